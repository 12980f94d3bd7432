package instrument

import (
	"fmt"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/test/cached"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex/dextest"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A blockLog has the blocks that each execution of a method ran, according to the machine and
// according to the probes.
type blockLog struct {
	*pair
	// addresses has the addresses that each execution of the original program ran.
	addresses [][]int
	// methods has the method of each token. A token is the number of an execution.
	methods []int32
}

func newBlockLog(p *pair) *blockLog { return &blockLog{pair: p} }

// listen logs a run of the original program, or answers the probes of the rewritten program.
func (l *blockLog) listen(m *dextest.Machine, rewritten bool) {
	if rewritten {
		m.Answer = func(p dextest.Probe) int32 {
			l.methods = append(l.methods, p.ID)
			return int32(len(l.methods) - 1)
		}
		return
	}
	m.Ran = func(activation, address int) {
		for len(l.addresses) <= activation {
			l.addresses = append(l.addresses, nil)
		}
		l.addresses[activation] = append(l.addresses[activation], address)
	}
}

// compare compares the blocks of each execution of a method, in order.
func (l *blockLog) compare(t testing.TB, name string, before, after *dextest.Machine) {
	t.Helper()
	got := make([][]int32, len(l.methods))
	ended := make([]bool, len(l.methods))
	open := make(map[int32]bool) // Executions that are inside a call whose start and end are recorded.
	for _, probe := range after.Probes {
		var block int
		switch probe.Name {
		case runtime.Invoke:
			open[probe.Numbers[1]] = true
			continue
		case runtime.Invoked:
			if !open[probe.Numbers[0]] {
				t.Fatalf("%s: a call of activation %d returns, and did not begin", name, probe.Numbers[0])
			}
			delete(open, probe.Numbers[0])
			l.calls++
			continue
		case runtime.Path, runtime.End, runtime.Abort, runtime.Leave:
		default:
			continue
		}
		token := probe.Numbers[0]
		if open[token] && (probe.Name == runtime.Path || probe.Name == runtime.End) {
			t.Fatalf("%s: a call of activation %d has no end", name, token)
		}
		delete(open, token)
		if ended[token] {
			t.Fatalf("%s: a probe of activation %d after its end", name, token)
		}
		ended[token] = probe.Name == runtime.End || probe.Name == runtime.Leave
		method := l.methods[token]
		n := l.numbers[method]
		if block = len(l.graphs[method].Next); len(probe.Numbers) > 2 {
			if block = int(probe.Numbers[2]); block < 0 {
				block = ^block
			}
		}
		p, err := n.Partial(probe.Numbers[1], block, nil)
		if err != nil {
			t.Fatalf("%s: %s: %s %v: %v", name, l.pair.methods[method], probe.Name, probe.Numbers, err)
		}
		got[token] = append(got[token], p.Blocks...)
	}
	if len(got) != len(l.addresses) {
		t.Fatalf("%s: %d activations, want %d", name, len(got), len(l.addresses))
	}
	for i, addresses := range l.addresses {
		g := l.graphs[l.methods[i]]
		var want []int32
		for _, at := range addresses {
			if k, ok := slices.BinarySearch(g.begins, at); ok {
				want = append(want, int32(k))
			}
		}
		if !slices.Equal(got[i], want) || !ended[i] {
			t.Fatalf("%s: activation %d of %s ran the blocks %v by its paths, want %v; ended %v", name, i, l.pair.methods[l.methods[i]], got[i], want, ended[i])
		}
		l.ran[0]++
		l.ran[1] += len(want)
	}
}

// TestRealPaths counts the paths of all methods of real apps, including those of libraries. The
// verifier must accept each rewritten method. The paths of only a few methods may not be counted,
// and each must have a reason.
func TestRealPaths(t *testing.T) {
	all, err := NewFilter([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cached.Few(t) {
		f, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := App(t.Context(), single(open(t, f)), Options{Include: all, Paths: true})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(r.WithoutPaths) > r.Methods/1000 || r.Paths+len(r.WithoutPaths) != r.Methods {
			t.Errorf("%s: paths of %d of %d methods, %d without", file, r.Paths, r.Methods, len(r.WithoutPaths))
		}
		for _, l := range r.WithoutPaths[:min(10, len(r.WithoutPaths))] {
			t.Log(l)
		}
		t.Logf("%s: paths of %d of %d methods, %d left, map of %d bytes", filepath.Base(file), r.Paths, r.Methods, len(r.Skipped), len(r.Map))
	}
}

// executions runs a program on the machine. It counts how often control comes to each line from
// another line, a caller or an exception.
func executions(t *testing.T, data []byte, class string) map[string]int64 {
	t.Helper()
	f := parseOne(t, data)
	type code struct {
		lines  []dex.Position
		caught map[int]bool
	}
	methods := make(map[string]code)
	for _, m := range methodsOf(t, f) {
		lines, err := f.Lines(m.code)
		if err != nil {
			t.Fatal(err)
		}
		c := code{lines, make(map[int]bool)}
		for _, in := range m.body.Code {
			c.caught[in.Address] = in.Op == dex.OpMoveException
		}
		id := f.Methods[m.Index]
		methods[f.Descriptor(uint32(id.Class))+"->"+f.Strings[id.Name]+f.Signature(id.Proto)] = c
	}
	m := load(t, f).New()
	log := newBlockLog(nil)
	log.listen(m, false)
	if err := m.Main(class); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int64)
	activation := 0
	for _, e := range m.Events {
		if e.Kind != dextest.Enter {
			continue
		}
		c, last := methods[e.Method], 0
		owner, signature, _ := strings.Cut(e.Method, "->")
		for _, at := range log.addresses[activation] {
			line, _ := dex.LineAt(c.lines, at)
			if c.caught[at] {
				last = 0
			}
			if line > 0 && line != last {
				counts[fmt.Sprintf("%s.%s:%d", dex.ClassName(owner), signature, line)]++
				last = line
			}
		}
		activation++
	}
	return counts
}

// TestPathsRun runs a program on a Java VM while its paths are counted. It compares how often each
// line ran with a run of the original program on the test machine. The samples must be the same as
// without paths.
func TestPathsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some seconds")
	}
	j := newJVM(t)
	var printed string
	var plain map[string]int64
	for _, paths := range []bool{false, true} {
		made, r, _ := instrumented(t, archive(t, small(t)), Options{Paths: paths, Async: true})
		j.folder = t.TempDir()
		program, counting := j.copied(made)
		out := j.java("Shapes", "diffprof.calls.folder="+j.folder, append([]string{program}, counting...)...)
		folder := filepath.Join(j.folder, "diffprof-calls")
		if !paths {
			printed, plain = out, recorded(t, folder)
			continue
		}
		if out != printed || r.Paths != r.Methods {
			t.Errorf("%d of %d methods have paths; the program prints\n%s\nwant\n%s", r.Paths, r.Methods, out, printed)
		}
		if got := recorded(t, folder); !maps.Equal(got, plain) {
			t.Errorf("the recording has\n%v\nwithout paths\n%v", got, plain)
		}
		file, err := ingest.Open(t.Context(), folder, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		e, err := lines.CountExecutions(t.Context(), file, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int64)
		for _, row := range e.Rows {
			got[fmt.Sprintf("%s.%s%s:%d", row.Method.Class(), row.Method.Name, row.Method.Signature, row.Line)] = row.Count
		}
		want := executions(t, small(t)["classes.dex"], "LShapes;")
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if got[key] != want[key] {
				t.Errorf("%s ran %d times, want %d", key, got[key], want[key])
			}
			delete(got, key)
		}
		if len(got) > 0 || len(want) < 50 {
			t.Errorf("%d lines ran; these did not: %v", len(want), got)
		}
		if e.Unknown != 0 || e.Stopped == 0 || e.Times != e.Paths || e.Cost.Busy <= 0 || e.Cost.Probes <= 0 {
			t.Errorf("%+v", e)
		}
		t.Logf("%d lines, %d paths, %d stopped, %+v", len(want), e.Paths, e.Stopped, e.Cost)
		if *update {
			writePaths(t, folder)
		}
	}
}

// writePaths writes a sample of ingest/calls: a file with the map and the recording.
func writePaths(t *testing.T, folder string) {
	t.Helper()
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
	if err := os.WriteFile("../ingest/calls/testdata/paths.calls", all, 0o666); err != nil {
		t.Fatal(err)
	}
}
