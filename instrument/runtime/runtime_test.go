package runtime

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/test/cached"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

var update = flag.Bool("update", false, "make runtime.dex again, and the samples of ingest/calls")

// TestDexIsReproducible compiles the Java sources, if scripts/r8 has downloaded the compiler.
func TestDexIsReproducible(t *testing.T) {
	cached.R8(t)
	out, err := exec.Command("javac", "-version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "javac 17") {
		t.Skipf("needs javac 17, and has %.40s", out)
	}
	made := filepath.Join(t.TempDir(), "made.dex")
	if *update {
		made = "runtime.dex"
	}
	if out, err := exec.CommandContext(t.Context(), "./build", made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if !*update && !bytes.Equal(got, dex) {
		t.Error("runtime.dex is not what build makes of java/: run the test with -update and commit the file")
	}
}

// The numbers of methods and sites of the generated programs.
const methods, sites = 20, 30

// compiled compiles the runtime and the generated programs once, and returns their class path.
var compiled = sync.OnceValues(func() (string, error) {
	work, err := os.MkdirTemp("", "runtime")
	if err != nil {
		return "", err
	}
	scratch = work
	classes, stubs := filepath.Join(work, "classes"), filepath.Join(work, "stubs")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(programMap())
	entry := filepath.Join(classes, filepath.FromSlash(MapEntry))
	if err := errors.Join(err, z.Close(), os.MkdirAll(filepath.Dir(entry), 0o777), os.WriteFile(entry, packed.Bytes(), 0o666)); err != nil {
		return "", err
	}
	for _, step := range [][]string{{stubs, "stub/android/os/*.java"}, {filepath.Join(work, clocks), "testdata/clocks/android/os/*.java"}, {classes, "java/diffprof/*.java", "testdata/Workload.java", "testdata/PathWorkload.java"}} {
		args := []string{"--release", "8", "-Xlint:-options,-path", "-classpath", filepath.Join(work, clocks) + string(os.PathListSeparator) + stubs, "-d", step[0]}
		for _, p := range step[1:] {
			files, err := filepath.Glob(p)
			if err != nil {
				return "", err
			}
			args = append(args, files...)
		}
		if out, err := exec.Command("javac", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
	}
	return classes, nil
})

// clocks is a folder in scratch. It has replacements for Android's clocks.
const clocks = "clocks"

// scratch is the folder that compiled makes.
var scratch string

func TestMain(m *testing.M) {
	code := m.Run()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(code)
}

// needClasses returns the class path of the generated programs. It skips a short test, and a test
// without javac.
func needClasses(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a JVM")
	}
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("needs javac")
	}
	classes, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return classes
}

// runOnClocks is run with replacements for Android's clocks.
func runOnClocks(t *testing.T, mode string, seed int) (folder, log string) {
	t.Helper()
	return run(t, mode, seed, filepath.Join(filepath.Dir(needClasses(t)), clocks))
}

// run runs a generated program on a JVM. It returns the folder with the program's recording, and
// the program's log. The class path begins with the elements of before.
func run(t *testing.T, mode string, seed int, before ...string) (folder, log string) {
	t.Helper()
	classes := needClasses(t)
	work := t.TempDir()
	text := filepath.Join(work, "log")
	out, err := exec.CommandContext(t.Context(), "java", "-Xss64m", "-Ddiffprof.calls.folder="+work, "-classpath", strings.Join(append(before, classes), string(os.PathListSeparator)), "diffprof.Workload", mode, strconv.Itoa(seed), text).CombinedOutput()
	if err != nil && mode != "kill" || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(work, "diffprof-calls"), string(data)
}

// A figure has the number of calls and the time of a call path.
type figure struct{ calls, own int64 }

// decode returns the samples of a recording.
func decode(t *testing.T, folder string) ([]trace.Sample, *trace.Trace) {
	t.Helper()
	f, err := ingest.Open(t.Context(), folder, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return tracetest.Samples(t, f)
}

// read returns the figures of a recording, by thread and call path.
func read(t *testing.T, folder string) (map[string]figure, *trace.Trace) {
	t.Helper()
	samples, tr := decode(t, folder)
	figures := make(map[string]figure)
	for _, s := range samples {
		text := tr.Threads[s.Thread].Name
		for _, m := range s.Stack {
			text += ";" + tr.Methods[m].Name
		}
		was := figures[text]
		figures[text] = figure{was.calls + s.Calls, was.own + s.Wall}
	}
	return figures, tr
}

// An expectation has what a recording must contain, as computed from the log of a program.
type expectation struct {
	figures                     map[string]figure
	byMethod, bySite            map[string]int64
	stray, missing, jumps, open int64
}

// expect computes what a recording must contain. A call path is the list of the methods that have
// not returned.
func expect(t *testing.T, log string) expectation {
	t.Helper()
	e := expectation{figures: make(map[string]figure), byMethod: make(map[string]int64), bySite: make(map[string]int64)}
	thread := ""
	var open []string
	var last int64
	key := func() string { return strings.Join(append([]string{thread}, open...), ";") }
	add := func(key string, calls, own int64) {
		was := e.figures[key]
		e.figures[key] = figure{was.calls + calls, was.own + own}
	}
	for line := range strings.Lines(log) {
		fields := strings.Fields(line)
		if fields[0] == "t" {
			e.open += int64(len(open))
			thread, open, last = fields[1], nil, 0
			continue
		}
		id, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		if len(fields) > 2 {
			now, err := strconv.ParseInt(fields[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if now < last {
				e.jumps++
			} else if len(open) > 0 {
				add(key(), 0, now-last)
			}
			last = now
		}
		method := "work" + fields[1]
		switch fields[0] {
		case "e":
			open = append(open, method)
			add(key(), 1, 0)
			e.byMethod[method]++
		case "x":
			at := -1
			for i, m := range open {
				if m == method {
					at = i
				}
			}
			if at < 0 {
				e.stray++
				continue
			}
			e.missing += int64(len(open) - 1 - at)
			open = open[:at]
		case "c":
			path := key()
			if own := fmt.Sprintf("work%d", id%methods); len(open) == 0 || open[len(open)-1] != own {
				path += ";" + own
			}
			add(path+";show"+fields[1], 1, 0)
			e.bySite["show"+fields[1]]++
		}
	}
	return e
}

// compare compares the calls of call paths, and their times if timed is set.
func compare(t *testing.T, got, want map[string]figure, timed bool) {
	t.Helper()
	shown := 0
	for _, key := range slices.Sorted(maps.Keys(join(got, want))) {
		g, w := got[key], want[key]
		if g.calls != w.calls || timed && g.own != w.own {
			if shown++; shown <= 10 {
				t.Errorf("%s: %v, want %v", key, g, w)
			}
		}
	}
}

func join(a, b map[string]figure) map[string]figure {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// counts returns the number of calls by method and by call site.
func counts(figures map[string]figure) (byMethod, bySite map[string]int64) {
	byMethod, bySite = make(map[string]int64), make(map[string]int64)
	for key, f := range figures {
		if leaf := key[strings.LastIndexByte(key, ';')+1:]; strings.HasPrefix(leaf, "show") {
			bySite[leaf] += f.calls
		} else if f.calls > 0 {
			byMethod[leaf] += f.calls
		}
	}
	return byMethod, bySite
}

// warned returns the codes of the warnings, except for the warning about the cost of the probes.
func warned(tr *trace.Trace) string {
	var codes []string
	for _, w := range tr.Warnings {
		if w.Code != "probe-cost" {
			codes = append(codes, w.Code)
		}
	}
	return strings.Join(codes, " ")
}

func TestThreads(t *testing.T) {
	folder, log := run(t, "threads", 1)
	got, tr := read(t, folder)
	compare(t, got, expect(t, log).figures, false)
	if len(tr.Threads) != 8 || warned(tr) != "" {
		t.Errorf("%d threads, warnings %v", len(tr.Threads), tr.Warnings)
	}
	for _, th := range tr.Threads {
		if th.Wall <= 0 || th.Wall > tr.Elapsed {
			t.Errorf("%s took %v of %v", th.Name, th.Wall, tr.Elapsed)
		}
	}
}

// TestDex runs the classes of runtime.dex on a JVM, after translation by enjarify.
func TestDex(t *testing.T) {
	const python, modules = "/usr/bin/python3", "/usr/lib/python3/dist-packages"
	if _, err := os.Stat(filepath.Join(modules, "enjarify")); err != nil {
		t.Skip("needs enjarify (apt-get install enjarify)")
	}
	jar := filepath.Join(t.TempDir(), "runtime.jar")
	cmd := exec.CommandContext(t.Context(), python, "-O", "-m", "enjarify.main", "runtime.dex", "-o", jar)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+modules)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "0 classes had errors") {
		t.Fatalf("%v\n%s", err, out)
	}
	for seed, mode := range []string{"threads", "faulty"} {
		folder, log := run(t, mode, 10+seed, jar)
		got, _ := read(t, folder)
		compare(t, got, expect(t, log).figures, false)
	}
}

func TestFaultyExits(t *testing.T) {
	folder, log := run(t, "faulty", 2)
	got, tr := read(t, folder)
	want := expect(t, log)
	compare(t, got, want.figures, false)
	text := fmt.Sprint(tr.Warnings)
	for _, n := range []int64{want.stray, want.missing} {
		if !strings.Contains(text, fmt.Sprintf("{%d ", n)) && !strings.Contains(text, fmt.Sprintf(" %d ", n)) {
			t.Errorf("%s lacks %d; %d exits are stray and %d missing", text, n, want.stray, want.missing)
		}
	}
}

func TestShortThreads(t *testing.T) {
	folder, log := run(t, "short", 3)
	got, tr := read(t, folder)
	want := expect(t, log)
	merge := func(figures map[string]figure) map[string]figure {
		all := make(map[string]figure)
		for key, f := range figures {
			_, path, _ := strings.Cut(key, ";")
			all[path] = figure{all[path].calls + f.calls, 0}
		}
		return all
	}
	compare(t, merge(got), merge(want.figures), false)
	if len(tr.Threads) > 300 || warned(tr) != "" {
		t.Errorf("%d threads, warnings %v", len(tr.Threads), tr.Warnings)
	}
}

func TestDeepPaths(t *testing.T) {
	folder, log := run(t, "deep", 4)
	got, tr := read(t, folder)
	want := expect(t, log)
	byMethod, bySite := counts(got)
	if !maps.Equal(byMethod, want.byMethod) || !maps.Equal(bySite, want.bySite) {
		t.Errorf("%v %v\nwant %v %v", byMethod, bySite, want.byMethod, want.bySite)
	}
	// Up to a depth of 1,000, calls have their paths. The last methods occur only at a larger
	// depth.
	shallow := make(map[string]figure)
	for key, f := range want.figures {
		if strings.Count(key, ";") < 1000 {
			shallow[key] = f
		}
	}
	for key := range got {
		if _, ok := shallow[key]; !ok {
			delete(got, key)
		}
	}
	compare(t, got, shallow, false)
	if warned(tr) != "paths-dropped call-paths-dropped" {
		t.Error(tr.Warnings)
	}
}

func TestManyPaths(t *testing.T) {
	folder, log := run(t, "many", 5)
	got, tr := read(t, folder)
	want := expect(t, log)
	byMethod, bySite := counts(got)
	if !maps.Equal(byMethod, want.byMethod) || !maps.Equal(bySite, want.bySite) {
		t.Errorf("%v %v\nwant %v %v", byMethod, bySite, want.byMethod, want.bySite)
	}
	if warned(tr) != "paths-dropped call-paths-dropped" {
		t.Error(tr.Warnings)
	}
}

func TestClock(t *testing.T) {
	folder, log := run(t, "clock", 6)
	got, tr := read(t, folder)
	want := expect(t, log)
	compare(t, got, want.figures, true)
	if text := fmt.Sprint(tr.Warnings); !strings.Contains(text, fmt.Sprintf("backwards %d times", want.jumps)) {
		t.Errorf("%s lacks %d jumps", text, want.jumps)
	}
}

// TestProcessorTime runs a program that waits, works and makes short calls, with replacements for
// Android's clocks. Waiting must take no processor time, and the sum must equal the thread's own
// clock. Short calls must not read the clock.
func TestProcessorTime(t *testing.T) {
	folder, log := runOnClocks(t, "waiting", 1)
	var cpu, reads int64
	if _, err := fmt.Sscanf(log, "cpu %d\nreads %d\n", &cpu, &reads); err != nil {
		t.Fatal(err)
	}
	samples, tr := decode(t, folder)
	if tr.Clock != trace.ThreadCPU|trace.WallClock {
		t.Errorf("the clocks are %v", tr.Clock)
	}
	times := make(map[string]trace.Sample)
	sum := int64(0)
	for _, s := range samples {
		times[tr.Methods[s.Stack[len(s.Stack)-1]].Name] = s
		sum += s.CPU
	}
	const ms = 1_000_000
	if w := times["work1"]; w.Wall < 60*ms || w.CPU > 20*ms {
		t.Errorf("waiting took %d ns, %d ns of the processor", w.Wall, w.CPU)
	}
	if w := times["work2"]; w.CPU < 39*ms || w.CPU > w.Wall {
		t.Errorf("working took %d ns, %d ns of the processor", w.Wall, w.CPU)
	}
	if difference := sum - cpu; difference < -5*ms || difference > 5*ms {
		t.Errorf("the sum is %d ns, and the thread used %d ns", sum, cpu)
	}
	if times["work3"].Calls != 20_000 || reads > 10_000 {
		t.Errorf("%d short calls read the clock %d times", times["work3"].Calls, reads)
	}
	t.Logf("sum %d ns, thread %d ns, %d reads for 40,006 probes", sum, cpu, reads)
}

// TestKilled halts the process. The file that it wrote at most two seconds before must be complete.
func TestKilled(t *testing.T) {
	folder, log := run(t, "kill", 7)
	got, _ := read(t, folder)
	_, bySite := counts(got)
	want := expect(t, log)
	if !maps.Equal(bySite, want.bySite) {
		t.Errorf("%v\nwant %v", bySite, want.bySite)
	}
	if parts, err := filepath.Glob(filepath.Join(folder, "*.part")); err != nil || len(parts) > 1 {
		t.Error(parts, err)
	}
}

// TestSample writes the sample of ingest/calls if -update is set: a file with the map and the
// recording of a process.
func TestSample(t *testing.T) {
	if !*update {
		t.Skip("writes the samples with -update only")
	}
	for mode, sample := range map[string]string{"sample": "workload", "asyncsample": "handovers"} {
		t.Run(sample, func(t *testing.T) { writeSample(t, mode, "../../ingest/calls/testdata/"+sample+".calls") })
	}
}

func writeSample(t *testing.T, mode, sample string) {
	folder, _ := run(t, mode, 8)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	if err := os.WriteFile(sample, all, 0o666); err != nil {
		t.Fatal(err)
	}
}
