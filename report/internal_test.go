package report

import (
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestTracksHaveTheirFigures checks which figures each kind of track has, and their units.
func TestTracksHaveTheirFigures(t *testing.T) {
	one := func(kind trace.SignalKind) Track {
		return newTracks([]energy.Track{{Track: trace.Track{Name: "x", Component: "disk", Unit: "u"}, Kind: kind, Signals: 3, Begin: 5, End: 12, Energy: 9, Mean: 1.5, Least: 1, Most: 2, Active: 4}})[0]
	}
	for kind, c := range map[trace.SignalKind]struct {
		unit               string
		energy, spread, on bool
	}{
		trace.Drain: {"nJ", true, false, false}, trace.Frequency: {"Hz", false, true, false}, trace.Gauge: {"u", false, true, false}, trace.Level: {"u", false, true, false}, trace.State: {"u", false, false, true}, trace.Switch: {"u", false, false, true},
	} {
		got := one(kind)
		if got.Name != "x" || got.Component != "disk" || got.Signals != 3 || got.Span != 7 || got.Unit != c.unit || got.Kind != kind.String() {
			t.Errorf("%v: %+v", kind, got)
		}
		if (got.Energy != nil) != c.energy || (got.Mean != nil) != c.spread || (got.Least != nil) != c.spread || (got.Most != nil) != c.spread || (got.Active != nil) != c.on {
			t.Errorf("%v: %+v", kind, got)
		}
	}
	if drain, level, state := one(trace.Drain), one(trace.Level), one(trace.State); *drain.Energy != 9 || *level.Mean != 1.5 || *level.Least != 1 || *level.Most != 2 || *state.Active != 4 {
		t.Errorf("%+v, %+v, %+v", drain, level, state)
	}
}

// TestExecutionsAreListed lists executed lines up to a limit, and finds the lines of a class.
func TestExecutionsAreListed(t *testing.T) {
	of := func(label string) name.Method { return name.Parse(label, name.JVM) }
	e := &lines.Executions{Paths: 9, Stopped: 2, Unknown: 1, Times: 4, Cost: trace.PathCost{Busy: 200, Joined: 7, Probes: 50}, Rows: []lines.Execution{
		{Method: of("p.A.a()V"), Line: 5, Count: 40, Stopped: 1}, {Method: of("p.B.b()V"), Line: 5, Count: 30}, {Method: of("p.A$In.c()V"), Line: 5, Count: 50}, {Method: of("p.A.d()V"), Line: 9, Count: 20},
	}}
	made := func(o LinesOptions) *Lines {
		l := &Lines{Methods: Methods{}, maker: &lineMaker{owners: map[string]codeOwner{}}}
		l.maker.owners["p.A.a()V"] = codeOwner{method: of("p.A.a()V"), own: true}
		l.setExecutions(e, o)
		return l
	}
	for _, c := range []struct {
		o              LinesOptions
		listed, hidden int
	}{
		{LinesOptions{}, 4, 0}, {LinesOptions{Rows: 4}, 4, 0}, {LinesOptions{Rows: 3}, 3, 1}, {LinesOptions{Rows: 1}, 1, 3}, {LinesOptions{Keep: func(o LineOwner) bool { return o.Own }}, 1, 0},
		{LinesOptions{Rows: 1, Keep: func(o LineOwner) bool { return o.Method.Type == "A" }}, 1, 1},
	} {
		x := made(c.o).Executions
		if len(x.Rows) != c.listed || x.Unlisted() != c.hidden || x.Total != c.listed+c.hidden {
			t.Errorf("%+v: %d rows and %d hidden of %d", c.o, len(x.Rows), x.Unlisted(), x.Total)
		}
		if x.Overhead != 0.25 || x.Paths != 9 || x.Stopped != 2 || x.Unknown != 1 || x.Times != 4 || x.Busy != 200 || x.Joined != 7 || x.Probes != 50 {
			t.Errorf("%+v", x)
		}
		if first := x.Rows[0]; first.Method != "p.A.a()V" || first.Line != 5 || !first.Own || first.Count != 40 || first.Stopped != 1 {
			t.Errorf("the first row is %+v", first)
		}
	}
	if got := fmt.Sprint(made(LinesOptions{}).executionsIn("p.A")); got != "map[5:50 9:20]" {
		t.Errorf("the lines of a class ran %s", got)
	}
	if got := (&Lines{maker: &lineMaker{}}).executionsIn("p.A"); len(got) != 0 {
		t.Errorf("without executions, lines ran %v", got)
	}
	var none Lines
	none.maker = &lineMaker{owners: map[string]codeOwner{}}
	none.setExecutions(&lines.Executions{}, LinesOptions{})
	if none.Executions.Overhead != 0 || none.Executions.Rows == nil {
		t.Errorf("no executions are %+v", none.Executions)
	}
}
