package finding_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An invocation is a call with the processor time of its exclusive spans: before, between and after
// its callees. There is one more span than kids.
type invocation struct {
	method trace.MethodID
	spans  []int64
	kids   []*invocation
	caller *invocation
}

// A forest has the outermost calls of each thread of a recording of calls.
type forest struct {
	of      map[trace.ThreadID]*invocation // what no method spent
	open    map[trace.ThreadID]*invocation
	methods []name.Method
	threads []trace.Thread
}

func (f *forest) Samples([]trace.Sample) error { return fmt.Errorf("samples") }

func (f *forest) Events(batch []trace.Event) error {
	for _, e := range batch {
		at := f.open[e.Thread]
		if at == nil {
			at = &invocation{spans: []int64{0}}
			f.of[e.Thread] = at
		}
		at.spans[len(at.spans)-1] += e.CPU
		switch e.Kind {
		case trace.Enter:
			kid := &invocation{method: trace.MethodID(e.Ref), spans: []int64{0}, caller: at}
			at.kids, at.spans = append(at.kids, kid), append(at.spans, 0)
			at = kid
		case trace.Exit:
			if at.caller != nil && at.method == trace.MethodID(e.Ref) {
				at = at.caller
			}
		}
		f.open[e.Thread] = at
	}
	return nil
}

func readForest(t *testing.T, path string) *forest {
	t.Helper()
	file, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := &forest{of: make(map[trace.ThreadID]*invocation), open: make(map[trace.ThreadID]*invocation)}
	tr, err := file.Scan(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	f.methods, f.threads = tr.Methods, tr.Threads
	return f
}

// each calls visit for each call, callers first.
func (f *forest) each(visit func(thread trace.ThreadID, c *invocation)) {
	for thread := range f.threads {
		if top := f.of[trace.ThreadID(thread)]; top != nil {
			waiting := slices.Clone(top.kids)
			for len(waiting) > 0 {
				c := waiting[len(waiting)-1]
				waiting = append(waiting[:len(waiting)-1], c.kids...)
				visit(trace.ThreadID(thread), c)
			}
		}
	}
}

// write writes the forest as a trace. Each span is multiplied by a factor of its own, about a fifth
// apart.
func (f *forest) write(t *testing.T, path string, r *rand.Rand) {
	t.Helper()
	out := &artwrite.Trace{Methods: f.methods}
	var events []artwrite.Event
	var longest time.Duration
	for thread, about := range f.threads {
		out.Threads = append(out.Threads, artwrite.Thread{ID: uint32(thread + 1), Name: about.Name})
		top := f.of[trace.ThreadID(thread)]
		if top == nil {
			continue
		}
		now := time.Duration(0)
		spend := func(c *invocation, i int) {
			now += time.Duration(float64(c.spans[i]) * math.Exp(0.2*r.NormFloat64()))
		}
		type step struct {
			c  *invocation
			at int
		}
		stack := []step{{top, 0}}
		for len(stack) > 0 {
			s := &stack[len(stack)-1]
			spend(s.c, s.at)
			if s.at < len(s.c.kids) {
				kid := s.c.kids[s.at]
				s.at++
				events = append(events, artwrite.Event{Thread: thread, Method: int(kid.method), Action: artwrite.Enter, CPU: now, Wall: now})
				stack = append(stack, step{kid, 0})
				continue
			}
			if s.c.caller != nil {
				events = append(events, artwrite.Event{Thread: thread, Method: int(s.c.method), Action: artwrite.Exit, CPU: now, Wall: now})
			}
			stack = stack[:len(stack)-1]
		}
		longest = max(longest, now)
	}
	slices.SortStableFunc(events, func(a, b artwrite.Event) int { return cmp.Compare(a.Wall, b.Wall) })
	out.Events, out.Elapsed = slices.Values(events), longest
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := artwrite.Write(file, out, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
}

// spent returns the processor time of a call with its callees.
func (c *invocation) spent() int64 {
	sum, waiting := int64(0), []*invocation{c}
	for len(waiting) > 0 {
		c := waiting[len(waiting)-1]
		waiting = append(waiting[:len(waiting)-1], c.kids...)
		for _, span := range c.spans {
			sum += span
		}
	}
	return sum
}

// move moves one of the costliest own methods that another own method calls, with its callees, to
// another callback of its thread. It describes the move. It returns false if the trace has no such
// method.
func (f *forest) move(known *platform.Platform, r *rand.Rand) (what string, ok bool) {
	app := func(c *invocation) bool { return c.caller != nil && known.Owner(f.methods[c.method]) == platform.App }
	top := func(c *invocation) *invocation {
		for app(c.caller) {
			c = c.caller
		}
		return c
	}
	type call struct {
		thread trace.ThreadID
		c      *invocation
	}
	var movable, callbacks []call
	f.each(func(thread trace.ThreadID, c *invocation) {
		if !app(c) {
			return
		}
		m := f.methods[c.method]
		if !app(c.caller) {
			callbacks = append(callbacks, call{thread, c})
		} else if known.Library(m) == "" && len(m.Type) > 2 && slices.ContainsFunc(c.kids, func(kid *invocation) bool { return known.Owner(f.methods[kid.method]) == platform.Framework }) {
			movable = append(movable, call{thread, c})
		}
	})
	// A move of little energy would be within a hundredth of the run unseen.
	slices.SortStableFunc(movable, func(a, b call) int { return cmp.Compare(b.c.spent(), a.c.spent()) })
	movable = movable[:min(len(movable), 12)]
	for range shorten.Count(100) {
		if len(movable) == 0 {
			break
		}
		from := movable[r.IntN(len(movable))]
		old := top(from.c)
		hosts := slices.DeleteFunc(slices.Clone(callbacks), func(to call) bool {
			for at := to.c; at != nil; at = at.caller {
				if at == from.c {
					return true
				}
			}
			return to.thread != from.thread || f.methods[to.c.method].Name == f.methods[old.method].Name
		})
		if len(hosts) == 0 {
			continue
		}
		host := hosts[r.IntN(len(hosts))].c
		i := slices.Index(from.c.caller.kids, from.c)
		up := from.c.caller
		up.kids = slices.Delete(up.kids, i, i+1)
		up.spans[i] += up.spans[i+1]
		up.spans = slices.Delete(up.spans, i+1, i+2)
		host.kids, host.spans, from.c.caller = append(host.kids, from.c), append(host.spans, 0), host
		return fmt.Sprintf("%s from %s to %s", f.methods[from.c.method].Short(), f.methods[old.method].Short(), f.methods[host.method].Short()), true
	}
	return "", false
}

// TestMovedWorkSavesNothing moves one own method between callbacks of real traces whose times vary
// by a fifth. The tasks only in the subject, which all moved, save at most a hundredth of the run.
func TestMovedWorkSavesNothing(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "data", "art")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("needs the real traces, which a clone does not have")
	}
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{
		"androidperformance-App.trace", "firefox-art-regular.trace.gz", "firefox-art-streaming.trace.gz", "likaci-cpu_trace.trace", "profilertester-cpu-art-new.trace",
	} {
		seeds := uint64(3)
		if testing.Short() {
			seeds = 1
		}
		for seed := range seeds {
			base := readForest(t, filepath.Join(folder, file))
			dir, random := t.TempDir(), rand.New(rand.NewPCG(seed, 15))
			subject, reference := filepath.Join(dir, "subject.trace"), filepath.Join(dir, "reference.trace")
			base.write(t, reference, random)
			what, ok := base.move(known, random)
			if !ok {
				t.Fatalf("%s has no method to move", file)
			}
			base.write(t, subject, random)
			for _, o := range []analysis.Options{{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}}, {Subject: analysis.Side{Path: reference}, Reference: analysis.Side{Path: subject}}} {
				o.Alpha = analysis.AutoAlpha
				r, err := analysis.Compare(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				var only units.Energy
				moved := 0
				for i := range r.Tasks {
					task := &r.Tasks[i]
					if task.Moved() || len(task.In)+len(task.Out) > 0 {
						moved++
					}
					if task.Found == eflask.Unmatched {
						only += max(task.Saving, 0)
					}
				}
				savable := finding.New(r).Headline().Savable.Most
				t.Logf("%s: %s: %d rows moved, only here save %.3f%%, all %.2f%%", file, what, moved, 100*units.Share(only, r.Subject.Energy), 100*units.Share(savable, r.Subject.Energy))
				if 100*savable > 2*r.Subject.Energy {
					t.Errorf("%s: %s: %d of %d could be saved by the headline", file, what, savable, r.Subject.Energy)
				}
				if 100*only > r.Subject.Energy {
					t.Errorf("%s: %s: tasks only here save %d of %d", file, what, only, r.Subject.Energy)
				}
			}
		}
	}
}
