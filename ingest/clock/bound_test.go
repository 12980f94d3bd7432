package clock

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// sums has, for each thread, the total time of samples and events that uses energy.
type sums [3]int64

func (s *sums) Events(batch []trace.Event) error {
	for i := range batch {
		s[batch[i].Thread] += batch[i].CPU
	}
	return nil
}

func (s *sums) Samples(batch []trace.Sample) error {
	for i := range batch {
		s[batch[i].Thread] += batch[i].CPU
		if batch[i].Activity.Costs() {
			s[batch[i].Thread] += batch[i].Wall
		}
	}
	return nil
}

// TestBound reads recordings in which threads worked longer than is possible, and checks the time
// that each thread keeps.
func TestBound(t *testing.T) {
	const s = int64(time.Second)
	for _, c := range []struct {
		name         string
		cores        int
		stated, want sums
		lowered      time.Duration
	}{
		{"one thread", 0, sums{s / 2, 9 * s, s}, sums{s / 2, s, s}, time.Second},
		{"each thread", 0, sums{7 * s, 9 * s, 1 << 61}, sums{s, s, s}, 3 * time.Second},
		{"cores", 2, sums{s, s, s}, sums{2 * s / 3, 2 * s / 3, 2 * s / 3}, 2 * time.Second},
		{"thread and cores", 1, sums{s / 2, 9 * s, s / 2}, sums{s / 4, s / 2, s / 4}, time.Second},
	} {
		for _, kind := range []string{"samples", "elapsed samples", "events"} {
			rng := rand.New(rand.NewPCG(1, 2))
			decode := func(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
				tr := &trace.Trace{Elapsed: time.Second, Cores: c.cores, Clock: trace.ThreadCPU}
				if kind == "elapsed samples" {
					tr.Clock = trace.WallClock
				}
				trace.Start(sink, tr.Clock, trace.NoEnergy)
				for id, rest := range c.stated {
					tr.Threads = append(tr.Threads, trace.Thread{Events: 1})
					if kind != "elapsed samples" {
						tr.Threads[id].CPU = time.Duration(rest)
					}
					for rest > 0 {
						ns := 1 + rng.Int64N(rest)
						rest -= ns
						thread := trace.ThreadID(id)
						var err error
						switch kind {
						case "samples":
							err = sink.Samples([]trace.Sample{{Thread: thread, CPU: ns}})
						case "events":
							err = sink.Events([]trace.Event{{Thread: thread, CPU: ns, Kind: trace.Enter}})
						default:
							err = sink.Samples([]trace.Sample{{Thread: thread, Wall: ns, Activity: trace.Working}, {Thread: thread, Wall: 5, Activity: trace.Waiting}})
						}
						if err != nil {
							return nil, err
						}
					}
				}
				return tr, nil
			}
			rule := &Rule{}
			first := &sums{}
			tr, err := rule.Scan(t.Context(), decode, first)
			if err != nil || !tr.Again || *first != c.stated {
				t.Fatalf("%s, %s: the first scan gives %v, again %v, %v", c.name, kind, *first, tr.Again, err)
			}
			for range 2 {
				got := &sums{}
				tr, err := rule.Scan(t.Context(), decode, got)
				if err != nil || tr.Again {
					t.Fatal(c.name, kind, err)
				}
				for id := range got {
					if off := got[id] - c.want[id]; off < -2 || off > 2 {
						t.Errorf("%s, %s: thread %d works for %d, want %d", c.name, kind, id, got[id], c.want[id])
					}
					if cpu := int64(tr.Threads[id].CPU); kind != "elapsed samples" && cpu != got[id] {
						t.Errorf("%s, %s: thread %d states %d, its events have %d", c.name, kind, id, cpu, got[id])
					}
				}
				if off := tr.Usage.Unknown - c.lowered; off < -3 || off > 3 || len(tr.Warnings) != 1 {
					t.Errorf("%s, %s: %v is unknown, want %v; %v", c.name, kind, tr.Usage.Unknown, c.lowered, tr.Warnings)
				}
			}
		}
	}
}
