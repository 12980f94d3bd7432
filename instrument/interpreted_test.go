package instrument

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/dex/dextest"
	"github.com/diffprof/diffprof/code/path"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A pair is a program before and after rewriting, with what the IDs of its probes refer to.
type pair struct {
	original, rewritten *dextest.Program
	methods             []string        // By ID.
	sites               []dextest.Event // By ID.
	graphs              []*flowGraph    // By ID, if paths are counted.
	numbers             []*path.Numbering
	ran                 [2]int // Numbers of compared executions and blocks.
	calls               int    // Number of calls with a start and an end.
}

func parseOne(t testing.TB, data []byte) *dex.File {
	t.Helper()
	files, err := dex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

func load(t testing.TB, f *dex.File) *dextest.Program {
	t.Helper()
	p, err := dextest.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rewrittenPair inserts probes into all methods and before all calls. If async is set, each call
// that passes an object hands the object over, and each method with an object parameter carries it
// out. If paths is set, paths are counted.
func rewrittenPair(t testing.TB, f *dex.File, async, paths bool) *pair {
	t.Helper()
	p := &pair{original: load(t, f)}
	w, err := dex.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Targets(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.asyncTargets(w); err != nil {
		t.Fatal(err)
	}
	if err := target.pathTargets(w, true); err != nil {
		t.Fatal(err)
	}
	nameOf := func(index uint32) string {
		id := f.Methods[index]
		return f.Descriptor(uint32(id.Class)) + "->" + f.Strings[id.Name] + f.Signature(id.Proto)
	}
	methods := methodsOf(t, f)
	for i, m := range methods {
		name := nameOf(m.Index)
		p.methods = append(p.methods, name)
		if err := f.Verify(m.Method, true); err != nil {
			t.Fatalf("before rewriting: %v", err)
		}
		put := &insertion{target: target, method: int32(i), parameters: parametersOf(f, m.Method), carried: -1}
		put.site = func(in *dex.BodyInstruction) (int32, bool) {
			p.sites = append(p.sites, dextest.Event{Kind: dextest.Call, Method: name, Address: in.Address, Callee: nameOf(in.Index)})
			return int32(len(p.sites) - 1), true
		}
		if async {
			put.carried = firstObject(put.parameters, strings.Contains(name, "-><init>("))
			put.handedOver = func(in *dex.BodyInstruction) work { return anyWork(f, in) }
		}
		if paths {
			put.timed = func(in *dex.BodyInstruction) bool { return in.Address%3 > 0 }
			put.flow = func(b *dex.Body) *flowGraph {
				lines, err := f.Lines(m.code)
				if err != nil {
					t.Fatal(err)
				}
				g := flowOf(b, lineFunction(lines, false))
				n, err := path.New(g.Graph)
				if err != nil {
					t.Fatal(err)
				}
				p.graphs, p.numbers = append(p.graphs, g), append(p.numbers, n)
				return g
			}
		}
		if err := insert(m.body, put); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w.Replace(m.Index, func() (*dex.Body, error) { return m.body, nil })
	}
	out, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again := parseOne(t, out)
	p.rewritten = load(t, again)
	for _, m := range methodsOf(t, again) {
		if err := again.Verify(m.Method, true); err != nil {
			t.Errorf("after rewriting: %v", err)
		}
	}
	return p
}

// firstObject returns the index of the first object among parameters, or -1. It skips the first
// parameter of a constructor, because a probe must not use an object whose constructor has not run.
func firstObject(parameters []string, constructor bool) int {
	for i, p := range parameters {
		if (p[0] == 'L' || p[0] == '[') && !(constructor && i == 0) {
			return i
		}
	}
	return -1
}

// anyWork returns the first object of a call as the work that it hands over. The way in which it is
// handed over depends on the call.
func anyWork(f *dex.File, in *dex.BodyInstruction) work {
	id := f.Methods[in.Index]
	var parameters []string
	if in.Op != dex.OpInvokeStatic && in.Op != dex.OpInvokeStatic+rangeForm {
		parameters = append(parameters, objectClass)
	}
	list, _ := f.TypeList(f.Protos[id.Proto].Parameters)
	for _, p := range list {
		parameters = append(parameters, f.Descriptor(uint32(p)))
	}
	constructor := f.Strings[id.Name] == "<init>"
	at := firstObject(parameters, constructor)
	switch {
	case at < 0:
		return work{}
	case at == 0 && len(parameters) > 1 && parameters[1] == "I":
		return work{how: numbered}
	}
	argument := 0
	for _, p := range parameters[:at] {
		argument += words(p)
	}
	return work{[]transfer{once, repeated}[in.Index%2], argument}
}

// run runs both programs. If interrupt is not 0, the same instruction throws an error in both. It
// compares their output, their calls in order, and the probes' log with the machine's log of the
// original. It also runs the rewritten program with an error in a probe, which must leave no lock
// held. It returns the machine of the original program.
func (p *pair) run(t testing.TB, class string, interrupt int) *dextest.Machine {
	t.Helper()
	log := newBlockLog(p)
	run := func(program *dextest.Program, probes string) *dextest.Machine {
		m := program.New()
		m.Interrupt, m.ProbeClass = interrupt, probes
		if p.graphs != nil {
			log.listen(m, probes != "")
		}
		if err := m.Main(class); err != nil {
			t.Fatalf("%s, error at %d, probes %q: %v", class, interrupt, probes, err)
		}
		return m
	}
	before, after := run(p.original, ""), run(p.rewritten, RuntimeClass)
	if before.Output.String() != after.Output.String() {
		t.Errorf("%s, error at %d: the rewritten program prints\n%s\nwant\n%s", class, interrupt, after.Output.String(), before.Output.String())
	}
	var probed []dextest.Event
	for _, probe := range after.Probes {
		switch probe.Name {
		case runtime.Send, runtime.Path, runtime.Abort, runtime.Invoked:
		case runtime.Enter, runtime.Dispatch, runtime.Begin, runtime.BeginWork:
			probed = append(probed, dextest.Event{Kind: dextest.Enter, Method: p.methods[probe.ID]})
		case runtime.End, runtime.Leave:
			probed = append(probed, dextest.Event{Kind: dextest.Exit, Method: p.methods[log.methods[probe.Numbers[0]]]})
		case runtime.Invoke:
			probed = append(probed, p.sites[probe.Numbers[0]])
		case runtime.Exit:
			probed = append(probed, dextest.Event{Kind: dextest.Exit, Method: p.methods[probe.ID]})
		default:
			probed = append(probed, p.sites[probe.ID])
		}
	}
	plain := func(events []dextest.Event) []dextest.Event { // Remove the addresses, which rewriting changes.
		events = slices.Clone(events)
		for i := range events {
			events[i].Address = 0
		}
		return events
	}
	difference(t, fmt.Sprintf("%s, error at %d: events of the rewritten program", class, interrupt), plain(after.Events), plain(before.Events))
	if interrupt > 0 { // The stack may be full when a probe is called.
		m := p.rewritten.New()
		m.InterruptProbe, m.ProbeClass = interrupt, RuntimeClass
		m.Answer = func(dextest.Probe) int32 { return -1 }
		if err := m.Main(class); err != nil {
			t.Errorf("%s, error in probe %d: %v", class, interrupt, err)
		}
	}
	difference(t, fmt.Sprintf("%s, error at %d: the log of the probes", class, interrupt), probed, before.Events)
	if p.graphs != nil {
		log.compare(t, fmt.Sprintf("%s, error at %d", class, interrupt), before, after)
	}
	return before
}

// difference reports the first difference between two logs.
func difference(t testing.TB, name string, got, want []dextest.Event) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: %d events, want %d, next %v", name, i, len(want), want[i])
		case i >= len(want):
			t.Errorf("%s: %d events, want %d, next %v", name, len(got), i, got[i])
		case got[i] != want[i]:
			t.Errorf("%s: event %d is %v, want %v", name, i, got[i], want[i])
		default:
			continue
		}
		return
	}
}

// TestInterpretedSample runs the sample before and after rewriting: without errors, and with an
// error at each instruction that may throw.
func TestInterpretedSample(t *testing.T) {
	data, err := os.ReadFile("testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		p := rewrittenPair(t, parseOne(t, data), way[0], way[1])
		m := p.run(t, "LShapes;", 0)
		if !strings.HasSuffix(m.Output.String(), "557] 14\n") {
			t.Errorf("the sample prints %q", m.Output.String())
		}
		for n := 1; n <= m.Throwing && !t.Failed(); n++ {
			p.run(t, "LShapes;", n)
		}
		t.Logf("%d events, %d runs with an error, %d activations with %d blocks compared", len(m.Events), m.Throwing, p.ran[0], p.ran[1])
	}
}
