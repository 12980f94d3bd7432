package instrument

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/test/cached"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

const testManifest = `<manifest xmlns:android="a" package="com.mine"><uses-sdk android:minSdkVersion="21"/></manifest>`

// small returns the entries of an app whose code is testdata/Shapes.dex.
func small(t testing.TB) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile("testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"AndroidManifest.xml": []byte(testManifest), "classes.dex": data, "res/raw/a.txt": []byte("text")}
}

// archive returns an APK with the given entries.
func archive(t testing.TB, entries map[string][]byte) *apk.Archive {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, entry := range slices.Sorted(maps.Keys(entries)) {
		f, err := w.Create(entry)
		if err == nil {
			_, err = f.Write(entries[entry])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, b.Bytes())
}

func open(t testing.TB, data []byte) *apk.Archive {
	t.Helper()
	a, err := apk.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// single returns an app that consists of a single APK.
func single(a *apk.Archive) []Part { return []Part{{Archive: a}} }

// instrumented returns the reopened copy of an app with probes, the result, and the map.
func instrumented(t testing.TB, a *apk.Archive, o Options) (*apk.Archive, *Result, wholeMap) {
	t.Helper()
	r, err := App(t.Context(), single(a), o)
	if err != nil {
		t.Fatal(err)
	}
	key, err := apk.DebugKey(filepath.Join(t.TempDir(), "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := a.Write(t.Context(), &b, r.Edits[0], key, r.Manifest.MinSDK); err != nil {
		t.Fatal(err)
	}
	made := open(t, b.Bytes())
	return made, r, mapOf(t, made, r)
}

// A wholeMap is the complete map of a copy.
type wholeMap struct {
	document
	Methods []mapMethod `json:"methods"`
	Sites   []mapSite   `json:"sites"`
}

// mapOf returns the map of a copy.
func mapOf(t testing.TB, made *apk.Archive, r *Result) (doc wholeMap) {
	t.Helper()
	packed := content(t, made, runtime.MapEntry)
	if !bytes.Equal(packed, r.Map) {
		t.Error("the map in the APK is not the map of the result")
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func content(t testing.TB, a *apk.Archive, entry string) []byte {
	t.Helper()
	e := a.Entry(entry)
	if e == nil {
		t.Fatalf("the copy has no %s", entry)
	}
	data, err := a.Read(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// probes counts the probes in a DEX file, by method and ID, such as "enter 1". It verifies each
// method.
func probes(t testing.TB, data []byte) map[string]int {
	t.Helper()
	files, err := dex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	f := files[0]
	found := make(map[string]int)
	for _, m := range methodsOf(t, f) {
		if err := f.Verify(m.Method, false); err != nil {
			t.Error(err)
		}
		last := int64(-1)
		for _, in := range m.body.Code {
			if in.Op.Index() == dex.IndexMethod && f.Descriptor(uint32(f.Methods[in.Index].Class)) == RuntimeClass {
				switch name := f.Strings[f.Methods[in.Index].Name]; name {
				case runtime.Send:
				case runtime.Enqueue, runtime.Repeat:
					found[fmt.Sprint("call ", last)]++
				case runtime.Dispatch:
					found[fmt.Sprint("enter ", last)]++
				default:
					found[fmt.Sprint(name, " ", last)]++
				}
			}
			last = in.Literal
		}
	}
	return found
}

// checkMap compares the IDs of probes with the map.
func checkMap(t *testing.T, found map[string]int, r *Result, doc wholeMap) {
	t.Helper()
	if len(doc.Methods) != r.Methods || len(doc.Sites) != r.Sites || doc.Format != mapFormat {
		t.Errorf("the map has %d methods and %d sites; the result %d and %d", len(doc.Methods), len(doc.Sites), r.Methods, r.Sites)
	}
	known := make(map[int32]bool)
	for _, m := range doc.Methods {
		known[m.ID] = true
		if n := found[fmt.Sprint("enter ", m.ID)]; n != 1 {
			t.Errorf("%s.%s is entered at %d places", m.Class, m.Name, n)
		}
		delete(found, fmt.Sprint("enter ", m.ID))
		delete(found, fmt.Sprint("exit ", m.ID))
	}
	for _, s := range doc.Sites {
		if n := found[fmt.Sprint("call ", s.ID)]; n != 1 || !known[s.Method] {
			t.Errorf("the call of %s.%s in method %d is counted at %d places", s.Class, s.Name, s.Method, n)
		}
		delete(found, fmt.Sprint("call ", s.ID))
	}
	if len(found) > 0 {
		t.Errorf("probes without an entry in the map: %v", found)
	}
}

func TestApp(t *testing.T) {
	entries := small(t)
	original := bytes.Clone(entries["classes.dex"])
	made, r, doc := instrumented(t, archive(t, entries), Options{})
	if got := made.Dex(); !slices.Equal(got, []string{"classes.dex", "classes2.dex"}) {
		t.Fatal(got)
	}
	if !bytes.Equal(content(t, made, "classes2.dex"), runtime.Dex()) || !bytes.Equal(content(t, made, "res/raw/a.txt"), entries["res/raw/a.txt"]) || !bytes.Equal(entries["classes.dex"], original) {
		t.Error("the copy has other entries")
	}
	checkMap(t, probes(t, content(t, made, "classes.dex")), r, doc)
	if r.Methods < 15 || r.Sites < 50 || len(r.Skipped) > 0 {
		t.Errorf("%d methods, %d sites, left %v", r.Methods, r.Sites, r.Skipped)
	}
	if _, err := App(t.Context(), single(made), Options{}); !errors.Is(err, ErrInstrumented) {
		t.Errorf("a second time: %v", err)
	}
}

func TestAppPackages(t *testing.T) {
	packages := func(list ...string) *Filter {
		p, err := NewFilter(list)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, o := range []Options{{Include: packages("com.other.*")}, {Exclude: packages("*")}} {
		if _, err := App(t.Context(), single(archive(t, small(t))), o); err == nil || !strings.Contains(err.Error(), "--include") {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		options Options
		want    string // The classes with probes.
	}{
		{Options{Include: packages("Shapes$2")}, "Shapes$2"},
		{Options{Include: packages("Shapes"), Exclude: packages("Shapes$1", "Shapes$2")}, "Shapes Shapes$0"},
	} {
		_, _, doc := instrumented(t, archive(t, small(t)), c.options)
		found := make(map[string]bool)
		for _, m := range doc.Methods {
			found[m.Class] = true
		}
		if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != c.want {
			t.Errorf("%s have probes, want %s", got, c.want)
		}
	}
}

func TestAppBadInput(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(entries map[string][]byte)
	}{
		{"has no code", func(e map[string][]byte) { delete(e, "classes.dex") }},
		{"has no AndroidManifest.xml", func(e map[string][]byte) { delete(e, "AndroidManifest.xml") }},
		{"classes3.dex is in the APK without classes2.dex", func(e map[string][]byte) { e["classes3.dex"] = e["classes.dex"] }},
		{"instrumented already", func(e map[string][]byte) { e["classes2.dex"] = runtime.Dex() }},
		{"classes.dex: ", func(e map[string][]byte) { e["classes.dex"] = e["classes.dex"][:1000] }},
		{"classes.dex: ", func(e map[string][]byte) { e["classes.dex"] = []byte("text") }},
	} {
		entries := small(t)
		c.change(entries)
		if _, err := App(t.Context(), single(archive(t, entries)), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	// A DEX file that is cut anywhere must be an error, not a panic.
	whole := small(t)["classes.dex"]
	for n := 0; n < len(whole); n += 97 {
		entries := small(t)
		entries["classes.dex"] = whole[:n]
		if _, err := App(t.Context(), single(archive(t, entries)), Options{}); err == nil {
			t.Errorf("%d bytes are read", n)
		}
	}
}

// TestAppReal instruments real apps and compares their probes with the map.
func TestAppReal(t *testing.T) {
	for i, path := range cached.Few(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		made, r, doc := instrumented(t, open(t, data), Options{Async: i%2 == 0})
		found := make(map[string]int)
		entries := made.Dex()
		for _, entry := range entries[:len(entries)-1] {
			for key, n := range probes(t, content(t, made, entry)) {
				found[key] += n
			}
		}
		checkMap(t, found, r, doc)
		if len(r.Skipped) > 5 {
			t.Errorf("%s: left %v", path, r.Skipped)
		}
		t.Logf("%s: %d methods, %d calls, %d hand-overs, %d carriers, %d unclear, left %d",
			filepath.Base(path), r.Methods, r.Sites, r.HandOvers, r.Carriers, r.Unclear, len(r.Skipped))
	}
}

// A jvm runs the code of copies on a Java VM, after translation by enjarify.
type jvm struct {
	t      *testing.T
	folder string
}

// newJVM returns a jvm with a temporary folder.
func newJVM(t *testing.T) *jvm {
	t.Helper()
	for _, tool := range []string{"enjarify", "javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	return &jvm{t, t.TempDir()}
}

func (j *jvm) run(name string, args ...string) string {
	j.t.Helper()
	command := exec.CommandContext(j.t.Context(), name, args...)
	command.Env = append(os.Environ(), "PYTHONPATH=/usr/lib/python3/dist-packages")
	out, err := command.CombinedOutput()
	if err != nil {
		j.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// file writes a file, and returns its path.
func (j *jvm) file(path string, data []byte) string {
	j.t.Helper()
	path = filepath.Join(j.folder, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		j.t.Fatal(err)
	}
	return path
}

// jar translates a DEX file to a jar and returns its path.
func (j *jvm) jar(dex string) string {
	j.t.Helper()
	j.run("/usr/bin/python3", "-O", "-m", "enjarify.main", "-f", "-o", dex+".jar", dex)
	return dex + ".jar"
}

// copied returns the code of a copy as a jar, and the class path of its runtime, which includes the
// map.
func (j *jvm) copied(made *apk.Archive) (program string, runtimePath []string) {
	j.t.Helper()
	program = j.jar(j.file("classes.dex", content(j.t, made, "classes.dex")))
	counting := j.jar(j.file("classes2.dex", content(j.t, made, "classes2.dex")))
	j.file(filepath.Join("resources", filepath.FromSlash(runtime.MapEntry)), content(j.t, made, runtime.MapEntry))
	return program, []string{counting, filepath.Join(j.folder, "resources")}
}

func (j *jvm) java(class, property string, path ...string) string {
	j.t.Helper()
	return j.run("java", "-Xverify:all", "-D"+property, "-cp", strings.Join(path, string(filepath.ListSeparator)), class)
}

// TestAppRuns runs an instrumented program on a Java VM twice: with the runtime of the copy, and
// with a runtime that logs each probe. The decoded recording must have the counts of the log. The
// program does the same in each run.
func TestAppRuns(t *testing.T) {
	j := newJVM(t)
	made, _, doc := instrumented(t, archive(t, small(t)), Options{})
	program, counting := j.copied(made)
	logging, log := filepath.Join(j.folder, "logging"), filepath.Join(j.folder, "log")
	j.run("javac", "-nowarn", "-d", logging, "testdata/Runtime.java")
	logged := j.java("Shapes", "diffprof.log="+log, program, logging)
	printed := j.java("Shapes", "diffprof.calls.folder="+j.folder, append([]string{program}, counting...)...)
	if !strings.HasPrefix(logged, printed) {
		t.Errorf("the program prints\n%s\nwant\n%s", printed, logged)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	got, want := recorded(t, filepath.Join(j.folder, "diffprof-calls")), expected(t, string(text), doc)
	if len(want) < 40 || !maps.Equal(got, want) {
		t.Errorf("the recording has\n%v\nwant\n%v", got, want)
	}
}

func label(m name.Method) string { return m.Class() + "." + m.Name + m.Signature }

// expected computes numbers of calls from a log: by method, and for the framework by caller and
// callee.
func expected(t *testing.T, log string, doc wholeMap) map[string]int64 {
	t.Helper()
	figures := make(map[string]int64)
	for line := range strings.Lines(log) {
		var kind string
		var id int
		var n int64
		if _, err := fmt.Sscan(line, &kind, &id, &n); err != nil {
			t.Fatal(err)
		}
		method := id
		if kind == "c" {
			method = int(doc.Sites[id].Method)
		}
		m := doc.Methods[method]
		key := label(name.OfClass(m.Class, m.Name, m.Descriptor))
		if kind == "c" {
			s := doc.Sites[id]
			if s.Resolved != "" {
				s.Class = s.Resolved
			}
			key += " calls " + label(name.OfClass(s.Class, s.Name, s.Descriptor))
		}
		figures[key] += n
	}
	return figures
}

// samplesOf reads a recording.
func samplesOf(t *testing.T, folder string) ([]trace.Sample, *trace.Trace) {
	t.Helper()
	f, err := ingest.Open(t.Context(), folder, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return tracetest.Samples(t, f)
}

// recorded returns the numbers of calls in a recording.
func recorded(t *testing.T, folder string) map[string]int64 {
	t.Helper()
	samples, tr := samplesOf(t, folder)
	figures := make(map[string]int64)
	for _, s := range samples {
		last := tr.Methods[s.Stack[len(s.Stack)-1]]
		key := label(last)
		if !strings.HasPrefix(last.Class(), "Shapes") {
			key = label(tr.Methods[s.Stack[len(s.Stack)-2]]) + " calls " + key
		}
		if s.Calls > 0 {
			figures[key] += s.Calls
		}
	}
	return figures
}
