package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// names lists the names of the values from 0 to n-1.
func names[T interface {
	~uint8
	fmt.Stringer
}](n int) string {
	var all []string
	for i := range n {
		all = append(all, T(i).String())
	}
	return strings.Join(all, " ")
}

// TestNames checks the names that JSON and other files contain. A value beyond the last one must
// not have the name of a valid value.
func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{names[trace.Activity](5), "unknown working waiting unrecorded unknown"},
		{names[trace.Calls](4), "none estimated counted none"},
		{names[trace.Clock](8), "none thread-cpu wall dual none cycles none none"},
		{names[trace.Technique](4), "unknown instrumented sampled unknown"},
		{names[trace.Part](4), "use tail rest use"},
		{names[trace.Provenance](11), "none given cpu-time wall-time cycle-time measured modelled scaled api-cost fitted none"},
		{names[trace.SignalKind](9), "switch frequency idle drain gauge state suspend level unknown"},
		{names[trace.Verb](11), "send receive read write open close acquire release start stop unknown"},
		{strings.Join(trace.VerbNames(), " "), "send receive read write open close acquire release start stop"},
	} {
		if c[0] != c[1] {
			t.Errorf("got  %s\nwant %s", c[0], c[1])
		}
	}
}

// TestVerbs checks that each verb is found by its name, and checks the pairs of verbs.
func TestVerbs(t *testing.T) {
	for i, text := range trace.VerbNames() {
		v, ok := trace.VerbOf(text)
		if !ok || v != trace.Verb(i) {
			t.Errorf("%s is %v, %v", text, v, ok)
		}
		want := map[string]string{"open": "close", "acquire": "release", "start": "stop"}[text]
		if want == "" {
			want = text
		}
		if got := v.Ending().String(); got != want {
			t.Errorf("%s ends by %s, want %s", text, got, want)
		}
	}
	if v, ok := trace.VerbOf("burn"); ok || v != 0 {
		t.Errorf("burn is %v, %v", v, ok)
	}
	names := trace.VerbNames()
	if names[0] = "changed"; trace.VerbNames()[0] != "send" {
		t.Error("a caller can change the names")
	}
}

// TestCosts checks Activity.Costs and Provenance.Added for all values.
func TestCosts(t *testing.T) {
	for a, want := range map[trace.Activity]bool{trace.UnknownActivity: true, trace.Working: true, trace.Waiting: false, trace.Unrecorded: false} {
		if a.Costs() != want {
			t.Errorf("%v costs %v", a, a.Costs())
		}
	}
	added := ""
	for p := range trace.Provenance(10) {
		if p.Added() {
			added += p.String() + " "
		}
	}
	if added != "cpu-time wall-time cycle-time modelled scaled " {
		t.Errorf("other components are added to %s", added)
	}
}

// TestSums adds up threads. Some of them have no events.
func TestSums(t *testing.T) {
	tr := &trace.Trace{Threads: []trace.Thread{{CPU: 2 * time.Second, Events: 3}, {CPU: time.Second}, {CPU: 4 * time.Second, Events: 1}}}
	if tr.CPU() != 7*time.Second || tr.Active() != 2 {
		t.Errorf("%v, %d threads", tr.CPU(), tr.Active())
	}
}

// TestCounts checks that only counts above 0 make a warning.
func TestCounts(t *testing.T) {
	got := trace.Counts(trace.Count{0, "a", "%d a"}, trace.Count{1, "b", "%d {b|bs}"}, trace.Count{-1, "c", "%d c"}, trace.Count{2, "d", "%d {d|ds}"})
	if fmt.Sprint(got) != "[{b 1 b} {d 2 ds}]" {
		t.Errorf("got %v", got)
	}
}

// A plain sink wants only events. A curious sink asks for all kinds of data, and records what it
// receives.
type plain struct{ trace.Sink }

type curious struct {
	plain
	given []string
}

func (c *curious) note(text string)                        { c.given = append(c.given, text) }
func (c *curious) TakePaths() trace.PathSink               { c.note("paths"); return nil }
func (c *curious) TakeSignals() trace.SignalSink           { c.note("signals"); return nil }
func (c *curious) TakeNames(trace.Names)                   { c.note("names") }
func (c *curious) TakeFirstNames(trace.Names)              { c.note("first names") }
func (c *curious) Start(k trace.Clock, e trace.Provenance) { c.note(fmt.Sprint(k, " ", e)) }

// TestSinks checks that a sink receives the data that it wants, and that a sink that wants only
// events receives nothing else.
func TestSinks(t *testing.T) {
	var c curious
	for _, s := range []trace.Sink{plain{}, &c} {
		none := func(trace.MethodID) (name.Method, bool) { return name.Method{}, false }
		if trace.Paths(s) != nil || trace.Signals(s) != nil {
			t.Error("a sink wants paths or signals")
		}
		trace.Start(s, trace.WallClock, trace.WallTime)
		trace.GiveNames(s, none)
		trace.GiveFirstNames(s, none)
	}
	if got := strings.Join(c.given, ", "); got != "paths, signals, wall wall-time, names, first names" {
		t.Errorf("the sink was given %s", got)
	}
}
