package finding_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A timed is a booked recording with other clocks. The processor time of each sample is cpu times
// the original one, and its wall time wall times the original processor time.
type timed struct {
	tracetest.Booked
	cpu, wall int64
}

// Scan implements trace.Recording.
func (r timed) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr, err := r.Booked.Scan(ctx, clocks{sink, r})
	if err != nil {
		return nil, err
	}
	tr.Clock = 0
	if r.cpu > 0 {
		tr.Clock |= trace.ThreadCPU
	}
	if r.wall > 0 {
		tr.Clock |= trace.WallClock
	}
	for i := range tr.Threads {
		th := &tr.Threads[i]
		th.CPU, th.Wall = th.CPU*time.Duration(r.cpu), th.CPU*time.Duration(r.wall)
	}
	return tr, nil
}

// clocks is a sink that sets the clocks of samples.
type clocks struct {
	trace.Sink
	timed
}

// Samples implements trace.Sink.
func (c clocks) Samples(batch []trace.Sample) error {
	for i := range batch {
		batch[i].CPU, batch[i].Wall = batch[i].CPU*c.cpu, batch[i].CPU*c.wall
	}
	return c.Sink.Samples(batch)
}

// TestClocks reads one recording with processor time, with wall time, with both, and with neither.
// Rows must have the processor time if there is some, and otherwise the wall time.
func TestClocks(t *testing.T) {
	const text = "p.A.a();p.B.b();p.A.a();p.C.c() 100 0 0\np.A.a();p.B.b() 20 0 0\np.C.c() 3 0 1\nq.D.d();q.D.d() 7 0 2\n"
	read := func(cpu, wall int64) *analysis.Input {
		tree, tr, err := cct.Build(t.Context(), timed{tracetest.Booked{Text: text, Only: -1, Method: jvm}, cpu, wall}, cct.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := analysis.Trees(t.Context(), tree, tree, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Subject.Trace = tr
		return &r.Subject
	}
	plain := read(1, 0)
	for _, c := range []struct {
		name      string
		cpu, wall int64
		clock     finding.Clock
		times     time.Duration
	}{
		{"processor", 1, 0, finding.ProcessorClock, 1},
		{"wall", 0, 3, finding.WallClock, 3},
		{"both", 2, 3, finding.ProcessorClock, 2},
		{"none", 0, 0, finding.NoClock, 0},
	} {
		in := read(c.cpu, c.wall)
		for _, grain := range finding.Grains() {
			got, want := finding.ByGrain(finding.Grain(grain), in), finding.ByGrain(finding.Grain(grain), plain)
			if got.Time[0] != c.clock {
				t.Errorf("%s by %s: the clock is %q, want %q", c.name, grain, got.Time[0], c.clock)
			}
			total := time.Duration(0)
			for i := range want.Methods {
				use := &want.Methods[i].Runs[0]
				use.SelfTime *= c.times
				use.AllTime *= c.times
				total += use.SelfTime
			}
			if total != 130*c.times {
				t.Errorf("%s by %s: %d ns in all rows, want %d", c.name, grain, total, 130*c.times)
			}
			if !reflect.DeepEqual(got.Methods, want.Methods) {
				t.Errorf("%s by %s: got %+v, want %+v", c.name, grain, got.Methods, want.Methods)
			}
		}
		// The times of a recursive method must count once.
		for _, row := range finding.ByMethod(in).Methods {
			if row.Method.Name == "a" && (row.Runs[0].SelfTime != 0 || row.Runs[0].AllTime != 120*c.times) {
				t.Errorf("%s: p.A.a has %+v, want %d ns", c.name, row.Runs[0], 120*c.times)
			}
		}
	}
}
