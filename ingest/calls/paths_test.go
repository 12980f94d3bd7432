package calls

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// pathMap has a method with a loop. Block 0 leads to the loop's head 1, which leads to the body 2
// and to the end 3. Block 4 is a handler. Path 0 leads from block 0 to the body, and path 1 from
// block 0 to the end. Paths 2 and 3 lead from block 1 to the body and to the end. Path 4 is the
// handler.
const pathMap = `{"format":"diffprof-calls-map 2","numbers":1,"dex":[],
"methods":[{"id":0,"class":"com.mine.Feed","name":"load","descriptor":"(I)V","file":"Feed.java",
 "paths":{"next":[[1],[2,3],[1],[],[3]],"starts":[0,4],"lines":[[50,51],[51],[52,51],[54],[56]]}},
 {"id":1,"class":"com.mine.Feed","name":"plain","descriptor":"()V"}],"sites":[]}`

// withPaths returns a version 4 recording of one thread with paths through methods.
func withPaths(paths ...any) []byte {
	newer := usual
	newer.version, newer.build = 4, sumOf(pathMap)
	thread := []any{1, "main", 0, 0, 0, 0, 0, 0, 1, 1, 0, 3, 900, 0, 0, 0}
	rest := append([]any{0, 2000, 500, 0, 0, 0, 0, 1}, thread...)
	return file(block('M', packed(pathMap)), block('P', newer.process(append(rest, paths...)...)))
}

// onePath returns the paths of a thread that took one path twice.
func onePath(method, code int, number uint64) []byte {
	return withPaths(1, 1, method, code, number, 2, 40, 0, 0, 0, 0)
}

// A pathLog is a sink for paths.
type pathLog struct {
	tracetest.Discard
	paths []trace.Path
	times []trace.PathTime
	cost  trace.PathCost
	calls []trace.Invocation
}

func (l *pathLog) TakePaths() trace.PathSink { return l }
func (l *pathLog) Paths(batch []trace.Path) error {
	for _, p := range batch {
		p.Lines = slices.Clone(p.Lines)
		l.paths = append(l.paths, p)
	}
	return nil
}
func (l *pathLog) PathTimes(batch []trace.PathTime) error {
	l.times = append(l.times, batch...)
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

func pathsOf(data []byte) (*pathLog, *trace.Trace, error) {
	l := new(pathLog)
	tr, err := Decode(context.Background(), []File{{Data: data}}, l, Options{})
	return l, tr, err
}

func TestPaths(t *testing.T) {
	l, _, err := pathsOf(withPaths(1,
		6, 0, 0, 0, 5, 100 /* 0-1-2 */, 0, 0, 3, 7, 70 /* 1-3 */, 0, 3+4, uint64(1<<32-4), 0, 0, 0, 1, 0, 2, 10, 0, 2, 0, 4, 20, 0, 3+5, 3, 1, 1,
		2, 0, 10, 20, 1, 30, 5, 9,
		2, 0, 2000, 1000, 2000, 7))
	if err == nil {
		t.Fatalf("%+v: register -4 in the handler is of no path", l.paths)
	}
	l, tr, err := pathsOf(withPaths(1,
		5, 0, 0, 0, 5, 100, 0, 0, 3, 7, 70, 0, 1, 0, 2, 10, 0, 2, 0, 4, 20, 0, 3+5, 3, 1, 1,
		2, 0, 10, 20, 1, 30, 5, 9,
		2, 0, 2000, 1000, 2000, 7))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v", l.paths)
	want := "[{Thread:0 Method:0 End:0 Continues:true Count:5 Wall:100 Lines:[50 51 52 51] Opcodes:[]} " +
		"{Thread:0 Method:0 End:0 Continues:false Count:7 Wall:70 Lines:[51 54] Opcodes:[]} " +
		"{Thread:0 Method:0 End:2 Continues:false Count:2 Wall:10 Lines:[] Opcodes:[]} " +
		"{Thread:0 Method:0 End:3 Continues:false Count:4 Wall:20 Lines:[] Opcodes:[]} " +
		"{Thread:0 Method:0 End:0 Continues:false Count:1 Wall:1 Lines:[51 54] Opcodes:[]}]"
	if got != want {
		t.Errorf("the paths are\n%s\nwant\n%s", got, want)
	}
	if got, want := fmt.Sprint(l.times), "[{0 10 30} {1 30 35}]"; got != want {
		t.Errorf("the times are %s, want %s", got, want)
	}
	// Three pairs of probes take 2 ns each. Of the 19 paths, 16 have one more probe of 0.5 ns.
	if want := (trace.PathCost{Busy: 3000, Joined: 7, Probes: 6 + 8, Dropped: 9}); l.cost != want {
		t.Errorf("the cost is %+v, want %+v", l.cost, want)
	}
	if !tr.Paths || !strings.Contains(fmt.Sprint(tr.Warnings), "4 executions of paths are counted for their methods only") {
		t.Errorf("paths %v, warnings %v", tr.Paths, tr.Warnings)
	}
}

// TestOpcodes reads a map with opcodes. Line 51 has instructions in two blocks.
func TestOpcodes(t *testing.T) {
	text := strings.Replace(pathMap, `"lines":`, `"opcodes":[["1201","6e"],["0a38"],["90","d8"],["0e"],[""]],"lines":`, 1)
	newer := usual
	newer.version, newer.build = 4, sumOf(text)
	data := file(block('M', packed(text)), block('P', newer.process(0, 0, 0, 0, 0, 0, 0, 1, 1, "main", 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0)))
	l, _, err := pathsOf(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%v %x", l.paths[0].Lines, l.paths[0].Opcodes), "[50 51 52 51] [1201 6e0a38 90 d8]"; got != want {
		t.Errorf("the path has %s, want %s", got, want)
	}
}

// TestUnion checks the example of vLens, eq. 5: paths from 1 to 3 and from 2 to 4 take 3 units of
// time.
func TestUnion(t *testing.T) {
	for _, c := range []struct {
		all  []interval
		want int64
	}{
		{nil, 0},
		{[]interval{{begin: 1, length: 2}, {begin: 2, length: 2}}, 3},
		{[]interval{{begin: 2, length: 2}, {begin: 1, length: 2}}, 3},
		{[]interval{{begin: 1, length: 10}, {begin: 2, length: 2}, {begin: 20, length: 5}}, 15},
		{[]interval{{begin: 0, length: 5}, {begin: 5, length: 5}}, 10},
	} {
		if got := union(c.all); got != c.want {
			t.Errorf("the union of %v is %d, want %d", c.all, got, c.want)
		}
	}
}

func TestBadPaths(t *testing.T) {
	withMap := func(was, is string) []byte {
		text := strings.Replace(pathMap, was, is, 1)
		newer := usual
		newer.version, newer.build = 4, sumOf(text)
		return file(block('M', packed(text)), block('P', newer.process(0, 0, 0, 0, 0, 0, 0, 1, 1, "main", 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0)))
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"number", onePath(0, 0, 5), "a path of com.mine.Feed.load(I)V: number 5 of 5: the graph has no such path; record again with the app and the map from the same build"},
		{"negative", onePath(0, 0, 1<<32-1), "number -1 of 5"},
		{"block", onePath(0, 3+6, 0), "block 6 of 5"},
		{"large block", onePath(0, 1<<31-1, 0), "of 5"},
		{"register", onePath(0, 3+3, 1000), "no path leads to the block with this register"},
		{"bits", onePath(0, 0, 1<<32), "more than 32 bits"},
		{"no graph", onePath(1, 0, 0), "the map has no paths of the method"},
		{"time of no path", withPaths(1, 0, 1, 0, 1, 1, 0, 0, 0), "a time belongs to path 0, but the thread has only 0"},
		{"clock", withPaths(1, 0, 0, 0, 1, 0, 1<<61, 0), "larger than a clock's"},
		{"many", withPaths(1, 1<<40), "the content ends early"},
		{"version of numbers", withMap(`"numbers":1`, `"numbers":2`), "numbers of version 2, and this diffprof reads version 1"},
		{"successor", withMap(`[2,3]`, `[2,9]`), "an edge from block 1 to block 9"},
		{"start", withMap(`[0,4]`, `[7]`), "a start at block 7"},
		{"lines", withMap(`[[50,51],[51],`, `[[50,51],`), "5 blocks, but lines for 4"},
		{"line", withMap(`[56]`, `[-1]`), "its paths have an invalid line -1"},
		{"opcodes of blocks", withMap(`"lines":[[`, `"opcodes":[],"lines":[[`), "5 blocks, but opcodes for 0"},
		{"opcodes of lines", withMap(`"lines":[[`, `"opcodes":[["12"],[],[],[],[]],"lines":[[`), "2 lines in a block, but opcodes for 1"},
		{"opcodes", withMap(`"lines":[[`, `"opcodes":[["12","1"],[""],["",""],[""],[""]],"lines":[[`), "odd length hex string"},
	} {
		if _, _, err := pathsOf(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	// If the sink takes no paths, an invalid path number is not detected.
	if _, err := one(onePath(0, 0, 5)).Scan(t.Context(), tracetest.Discard{}); err != nil {
		t.Error(err)
	}
}

// TestPathsCut truncates a recording at every byte.
func TestPathsCut(t *testing.T) {
	data, err := os.ReadFile("testdata/paths.calls")
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := pathsOf(data)
	if err != nil || len(l.paths) < 40 || len(l.times) < 200 || l.cost.Busy <= 0 {
		t.Fatalf("%d paths, %d times, cost %+v, %v", len(l.paths), len(l.times), l.cost, err)
	}
	for n := range data {
		if _, _, err := pathsOf(data[:n]); err == nil {
			t.Fatalf("%d bytes are read", n)
		}
	}
	if err := tracetest.Check(t.Context(), one(data)); err != nil {
		t.Error(err)
	}
}

func FuzzPaths(f *testing.F) {
	f.Add(numbers(1, 1, 0, 0, 3, 2, 40, 0, 0, 0, 0))
	f.Add(numbers(1, 1, 0, 5, 3, 2, 40, 1, 0, 1, 2, 0, 1, 1, 1, 0))
	f.Fuzz(func(t *testing.T, content []byte) {
		data := withPaths(content)
		l, _, err := pathsOf(data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("the error is not one line: %q", err)
			}
			return
		}
		again, _, err := pathsOf(bytes.Clone(data))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(l) {
			t.Error("two readings differ")
		}
	})
}

// withCalls returns a version 5 recording with two bursts of load, and with the times of calls.
func withCalls(calls ...any) []byte {
	text := strings.Replace(pathMap, `"sites":[]`, `"sites":[{"id":0,"method":0,"line":51,"class":"java.lang.Thread","name":"sleep","descriptor":"(J)V","timed":"waits"},
{"id":1,"method":0,"line":52,"class":"java.io.InputStream","name":"read","descriptor":"()I","timed":"works"}]`, 1)
	newer := usual
	newer.version, newer.build = 5, sumOf(text)
	rest := []any{0, 2000, 500, 2, 700, 20, 100, 50, 0, 0, 0, 0, 1, 1, "main", 0, 0, 0, 0, 0, 0, 1, 1, 0, 3, 900, 0, 0, 0, 1, 1, 0, 0, 0, 2, 90, 0, 0, 0, 0}
	return file(block('M', packed(text)), block('P', newer.process(append(rest, calls...)...)))
}

func TestInvocations(t *testing.T) {
	l, tr, err := pathsOf(withCalls(2, 0, 10, 30, 1, 50, 5))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range l.calls {
		got += fmt.Sprintln(tr.Methods[c.Method].Name, tr.Methods[c.Caller].Name, c.Line, c.Waits, c.Enter, c.Exit)
	}
	if want := "sleep load 51 true 10 40\nread load 52 false 50 55\n"; got != want {
		t.Errorf("the calls are\n%swant\n%s", got, want)
	}
	if got, want := fmt.Sprint(tr.Bursts), "[{100 150} {700 720}]"; got != want {
		t.Errorf("the bursts are %s, want %s", got, want)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{withCalls(1, 2, 0, 0), "the time of a call at site 2, which the map does not have; record again with the app and the map from the same build"},
		{withCalls(1<<40, 2, 0, 0), "the content ends early"},
		{withCalls(1, 1, uint64(1<<61), 0), "larger than a clock's"},
	} {
		if _, _, err := pathsOf(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
