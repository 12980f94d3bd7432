package runtime

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/path"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// withPaths is the number of methods of the generated programs whose paths are counted.
const withPaths = 15

// A graphOf is the graph of a method in the map.
type graphOf struct {
	Next   [][]int32 `json:"next"`
	Starts []int32   `json:"starts"`
	Lines  [][]int32 `json:"lines"`
}

// programMap returns the map of the generated programs.
func programMap() []byte {
	type entry map[string]any
	doc := struct {
		Format  string  `json:"format"`
		Numbers int     `json:"numbers"`
		Dex     []entry `json:"dex"`
		Methods []entry `json:"methods"`
		Sites   []entry `json:"sites"`
	}{Format: "diffprof-calls-map 2", Numbers: path.Version, Dex: []entry{}}
	graph := ladder()
	for m := range methods {
		method := entry{"id": m, "class": fmt.Sprintf("com.mine.Part%d", m%3), "name": fmt.Sprintf("work%d", m), "descriptor": "()V", "file": "Part.java"}
		if m < withPaths {
			method["paths"] = graph
		}
		doc.Methods = append(doc.Methods, method)
	}
	for s := range sites {
		doc.Sites = append(doc.Sites, entry{"id": s, "method": s % methods, "line": 10 + s, "class": "com.mine.View", "name": fmt.Sprintf("show%d", s), "descriptor": "(I)V", "resolved": "android.view.View"})
	}
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return data
}

// ladder returns a graph of 64 blocks with 2^21 paths: 21 consecutive choices. Each block has a
// line.
func ladder() graphOf {
	g := graphOf{Next: make([][]int32, 64), Starts: []int32{0}, Lines: make([][]int32, 64)}
	for b := int32(0); b < 63; b += 3 {
		g.Next[b] = []int32{b + 1, b + 2}
		g.Next[b+1], g.Next[b+2] = []int32{b + 3}, []int32{b + 3}
	}
	for b := range g.Lines {
		g.Lines[b] = []int32{int32(100 + b)}
	}
	return g
}

// A pathLog counts paths by thread, method and lines. Paths of executions that ended without their
// probe have c in place of lines, and paths for which there was no room have o.
type pathLog struct {
	tracetest.Discard
	counts map[string]int64
	all    []trace.Path
	other  int64
	times  int
	cost   trace.PathCost
	calls  []trace.Invocation
}

func (l *pathLog) TakePaths() trace.PathSink { return l }
func (l *pathLog) Paths(batch []trace.Path) error {
	l.all = append(l.all, batch...)
	return nil
}
func (l *pathLog) PathTimes(batch []trace.PathTime) error {
	for _, at := range batch {
		if at.Path < 0 || at.Path >= len(l.all) || at.Exit < at.Enter {
			return fmt.Errorf("a time %+v, and %d paths", at, len(l.all))
		}
	}
	l.times += len(batch)
	return nil
}
func (l *pathLog) Invocations(batch []trace.Invocation) error {
	l.calls = append(l.calls, batch...)
	return nil
}
func (l *pathLog) PathCost(c trace.PathCost) error {
	l.cost = c
	return nil
}

// readPaths reads the paths of a recording. If threads is not set, it omits the threads.
func readPaths(t *testing.T, folder string, threads bool) (*pathLog, *trace.Trace) {
	t.Helper()
	f, err := ingest.Open(t.Context(), folder, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := &pathLog{counts: make(map[string]int64)}
	tr, err := f.Scan(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range l.all {
		key := ""
		if threads {
			key = tr.Threads[p.Thread].Name + " "
		}
		switch p.End {
		case trace.PathOther:
			l.other += p.Count
			continue
		case trace.PathClosed:
			p.Lines = nil
		}
		l.counts[fmt.Sprint(key, tr.Methods[p.Method].Name, p.Lines)] += p.Count
	}
	return l, tr
}

// expectPaths returns the expected counts of paths, from the log of a program.
func expectPaths(t *testing.T, log string, threads bool) (counts map[string]int64, sum int64) {
	t.Helper()
	g := ladder()
	n, err := path.New(path.Graph{Next: g.Next, Starts: g.Starts})
	if err != nil || n.Count() != 1<<21 {
		t.Fatal(n, err)
	}
	counts = make(map[string]int64)
	thread := ""
	for line := range strings.Lines(log) {
		var method, number int
		var kind string
		var count int64
		if name, ok := strings.CutPrefix(line, "t "); ok {
			if thread = ""; threads {
				thread = strings.TrimSpace(name) + " "
			}
			continue
		}
		if _, err := fmt.Sscanf(line, "p %d %s %d %d", &method, &kind, &number, &count); err != nil {
			t.Fatal(line, err)
		}
		var lines []int32
		if kind == "w" {
			p, err := n.Path(int32(number), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range p.Blocks {
				lines = append(lines, 100+b)
			}
		}
		counts[fmt.Sprintf("%swork%d%v", thread, method, lines)] += count
		sum += count
	}
	return counts, sum
}

func TestPaths(t *testing.T) {
	folder, log := run(t, "paths", 1)
	got, tr := readPaths(t, folder, true)
	want, sum := expectPaths(t, log, true)
	if !maps.Equal(got.counts, want) || got.other != 0 {
		t.Errorf("%d paths, want %d; %d others", len(got.counts), len(want), got.other)
	}
	if int64(got.times)+got.cost.Dropped != sum || got.cost.Busy <= 0 || got.cost.Busy > int64(tr.Elapsed) {
		t.Errorf("%d times of %d, cost %+v in %v", got.times, sum, got.cost, tr.Elapsed)
	}
	if text := fmt.Sprint(tr.Warnings); !strings.Contains(text, " 8 exits of methods have no entry") || !strings.Contains(text, "were left without an exit") {
		t.Error(text)
	}
	t.Logf("%d different paths, %d in all, cost %+v", len(want), sum, got.cost)
}

// TestPathsOfShortThreads runs more threads than the runtime keeps separately. Their paths must be
// added up.
func TestPathsOfShortThreads(t *testing.T) {
	folder, log := run(t, "shortpaths", 2)
	got, tr := readPaths(t, folder, false)
	want, sum := expectPaths(t, log, false)
	if !maps.Equal(got.counts, want) || int64(got.times)+got.cost.Dropped != sum || len(tr.Threads) > 300 {
		t.Errorf("%d paths, want %d; %d times of %d; %d threads", len(got.counts), len(want), got.times, sum, len(tr.Threads))
	}
}

// TestManyDifferentPaths runs through more different paths than a process keeps. No run may be
// lost.
func TestManyDifferentPaths(t *testing.T) {
	folder, log := run(t, "manypaths", 3)
	got, tr := readPaths(t, folder, true)
	want, sum := expectPaths(t, log, true)
	kept := int64(0)
	for key, n := range got.counts {
		if n > want[key] {
			t.Fatalf("%s: %d, want at most %d", key, n, want[key])
		}
		kept += n
	}
	if kept+got.other != sum || got.other == 0 || len(got.counts) < 1<<18-1000 || got.times != 1<<17 {
		t.Errorf("%d paths kept of %d, %d others, %d different, %d times", kept, sum, got.other, len(got.counts), got.times)
	}
	if text := fmt.Sprint(tr.Warnings); !strings.Contains(text, "are counted for their methods only, because the memory for paths was full") {
		t.Error(text)
	}
}

// TestBusy has a thread in methods at more different times than a process keeps. The time between
// joined ones must be stated to the nanosecond.
func TestBusy(t *testing.T) {
	folder, log := run(t, "pathclock", 4)
	_, text, _ := strings.Cut(log, "busy ")
	var busy, calls, called int64
	if _, err := fmt.Sscan(text, &busy, &calls, &called); err != nil {
		t.Fatal(log, err)
	}
	got, tr := readPaths(t, folder, true)
	if got.cost.Busy != busy+got.cost.Joined || got.cost.Joined == 0 {
		t.Errorf("%+v, and the thread was in methods for %d ns", got.cost, busy)
	}
	for _, c := range got.calls {
		if !strings.HasPrefix(tr.Methods[c.Method].Name, "show") || !strings.HasPrefix(tr.Methods[c.Caller].Name, "work") || c.Line < 10 {
			t.Fatalf("%+v", c)
		}
		calls--
		called -= c.Exit - c.Enter
	}
	if calls != 0 || called != 0 || len(got.calls) == 0 {
		t.Errorf("%d calls have times; %d calls and %d ns are missing", len(got.calls), calls, called)
	}
	t.Logf("%d ns in methods, cost %+v", busy, got.cost)
}
