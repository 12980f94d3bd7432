package perfetto_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A tape records a scan as text.
type tape struct {
	tracks []trace.Track
	lines  []func(*trace.Trace) string
}

func (t *tape) add(line func(*trace.Trace) string) { t.lines = append(t.lines, line) }

func (t *tape) Events(batch []trace.Event) error {
	for _, e := range batch {
		t.add(func(tr *trace.Trace) string {
			about := fmt.Sprint(e.Ref)
			if e.Kind == trace.Enter || e.Kind == trace.Exit {
				about = tr.Methods[e.Ref].Label()
			}
			line := fmt.Sprintf("%d thread %d %s %s, ran %d", e.Time, tr.Threads[e.Thread].ID,
				[...]string{"enter", "exit", "enqueue", "dispatch", "mark"}[e.Kind], about, e.CPU)
			if e.Energy != 0 {
				line += fmt.Sprintf(", drained %d", e.Energy)
			}
			return line
		})
	}
	return nil
}

func (t *tape) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		s.Stack, s.Lines = append([]trace.MethodID(nil), s.Stack...), append([]int32(nil), s.Lines...)
		t.add(func(tr *trace.Trace) string {
			var b strings.Builder
			fmt.Fprintf(&b, "%d thread %d cpu %d wall %d value %d:", s.Time, tr.Threads[s.Thread].ID, s.CPU, s.Wall, s.Energy)
			for i, m := range s.Stack {
				fmt.Fprintf(&b, " %s", tr.Methods[m].Label())
				if len(s.Lines) > 0 && s.Lines[i] > 0 {
					fmt.Fprintf(&b, ":%d", s.Lines[i])
				}
			}
			return b.String()
		})
	}
	return nil
}

func (t *tape) TakeSignals() trace.SignalSink { return t }
func (t *tape) Until(int64) error             { return nil }

func (t *tape) Track(track trace.Track) error {
	t.tracks = append(t.tracks, track)
	return nil
}

func (t *tape) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		t.add(func(tr *trace.Trace) string {
			if s.Kind == trace.Switch {
				id := int64(-1)
				if s.Thread != trace.NoThread {
					id = tr.Threads[s.Thread].ID
				}
				return fmt.Sprintf("%d %s: switch to thread %d", s.Time, t.tracks[s.Track].Name, id)
			}
			return fmt.Sprintf("%d %s: %s %d", s.Time, t.tracks[s.Track].Name, s.Kind, s.Value)
		})
	}
	return nil
}

func (t *tape) Operations(batch []trace.Operation) error {
	for _, o := range batch {
		t.add(func(tr *trace.Trace) string {
			by := ""
			if o.Thread != trace.NoThread {
				by = fmt.Sprintf(" of thread %d", tr.Threads[o.Thread].ID)
			}
			if o.Mark != trace.NoRef {
				by += fmt.Sprintf(", mark %d", o.Mark)
			}
			return fmt.Sprintf("%d %s %s %q %d bytes handle %d%s", o.Time, o.Component, o.Verb, o.Name, o.Bytes, o.Handle, by)
		})
	}
	return nil
}

// render formats a recording.
func render(r trace.Recording) string {
	t := &tape{}
	tr, err := r.Scan(context.Background(), t)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v, clock %v, interval %v, elapsed %v, calls %v\n", tr.Technique, tr.Clock, tr.Interval, tr.Elapsed, tr.Calls)
	if tr.Device != "" {
		fmt.Fprintf(&b, "device %q\n", tr.Device)
	}
	for _, p := range tr.Processes {
		fmt.Fprintf(&b, "process %q %d\n", p.Name, p.ID)
	}
	for _, th := range tr.Threads {
		fmt.Fprintf(&b, "thread %q %d of %d: %d events, cpu %v, wall %v\n", th.Name, th.ID, tr.Processes[th.Process].ID, th.Events, th.CPU, th.Wall)
	}
	for _, track := range t.tracks {
		fmt.Fprintf(&b, "track %q of %q in %q, core %d, uid %d\n", track.Name, track.Component, track.Unit, track.Core, track.UID)
	}
	for _, reading := range tr.Timeline {
		fmt.Fprintf(&b, "at %d %s was %d\n", reading.Time, reading.Clock, reading.Value)
	}
	for _, line := range t.lines {
		fmt.Fprintln(&b, line(tr))
	}
	for _, w := range tr.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}
