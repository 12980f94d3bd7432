package tracetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// Show scans rec and returns its data as text: tables, then a line for each event, sample and
// signal in the order of arrival, then warnings. It is for golden tests of small recordings.
func Show(ctx context.Context, rec trace.Recording) (string, error) {
	s := &shower{}
	t, err := rec.Scan(ctx, s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: clock %s, energy %s, technique %s, calls %s, elapsed %v, skew %v, %d events, %d flows\n",
		t.Format, t.Clock, t.Energy, t.Technique, t.Calls, t.Elapsed, t.Skew, t.Events, t.Flows)
	for i, th := range t.Threads {
		fmt.Fprintf(&b, "thread %d: id %d, name %q, process %d, %d events, cpu %v, wall %v\n", i, th.ID, th.Name, th.Process, th.Events, th.CPU, th.Wall)
	}
	for i, p := range t.Processes {
		fmt.Fprintf(&b, "process %d: id %d, name %q\n", i, p.ID, p.Name)
	}
	for i, track := range t.Tracks {
		fmt.Fprintf(&b, "track %d: %s %s in %s\n", i, track.Name, track.Component, track.Unit)
	}
	for _, line := range s.lines {
		fmt.Fprintln(&b, line(t))
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String(), nil
}

// A shower keeps a function for each event, sample and signal. The functions format lines once the
// tables are known.
type shower struct{ lines []func(*trace.Trace) string }

var kinds = map[trace.Kind]string{
	trace.Enter: "enter", trace.Exit: "exit", trace.Enqueue: "enqueue", trace.Dispatch: "dispatch", trace.Mark: "mark", trace.Charge: "charge",
}

// Events implements trace.Sink.
func (s *shower) Events(batch []trace.Event) error {
	for _, e := range batch {
		s.lines = append(s.lines, func(t *trace.Trace) string {
			what := fmt.Sprint(e.Ref)
			if e.Kind <= trace.Exit {
				what = t.Methods[e.Ref].Label()
			}
			return fmt.Sprintf("%d: thread %d %s %s%s", e.Time, e.Thread, kinds[e.Kind], what, costs(e.CPU, 0, int64(e.Energy))+state(e.Activity))
		})
	}
	return nil
}

// Samples implements trace.Sink.
func (s *shower) Samples(batch []trace.Sample) error {
	for _, x := range batch {
		stack, lines := append([]trace.MethodID(nil), x.Stack...), append([]int32(nil), x.Lines...)
		s.lines = append(s.lines, func(t *trace.Trace) string {
			var names []string
			for i, id := range stack {
				m := t.Methods[id]
				switch {
				case i >= len(lines) || lines[i] == 0:
				case lines[i] > 0:
					m = m.OnLine(lines[i])
				default:
					m = m.AtUnit(^lines[i])
				}
				names = append(names, m.Label())
			}
			return fmt.Sprintf("%d: thread %d sample %s%s", x.Time, x.Thread, strings.Join(names, " > "), costs(x.CPU, x.Wall, int64(x.Energy))+state(x.Activity))
		})
	}
	return nil
}

// TakeSignals implements trace.SignalTaker.
func (s *shower) TakeSignals() trace.SignalSink { return signalShower{s} }

type signalShower struct{ *shower }

func (signalShower) Track(trace.Track) error { return nil }

func (s signalShower) Signals(batch []trace.Signal) error {
	for _, x := range batch {
		s.lines = append(s.lines, func(*trace.Trace) string {
			return fmt.Sprintf("%d: track %d signal of kind %d: %d", x.Time, x.Track, x.Kind, x.Value)
		})
	}
	return nil
}

func (s signalShower) Operations(batch []trace.Operation) error {
	for _, x := range batch {
		s.lines = append(s.lines, func(*trace.Trace) string { return fmt.Sprintf("%+v", x) })
	}
	return nil
}

func (signalShower) Until(int64) error { return nil }

// costs formats the values that are not 0.
func costs(cpu, wall, energy int64) string {
	var b strings.Builder
	for _, c := range []struct {
		name  string
		value int64
	}{{"cpu", cpu}, {"wall", wall}, {"energy", energy}} {
		if c.value != 0 {
			fmt.Fprintf(&b, ", %s %d", c.name, c.value)
		}
	}
	return b.String()
}

// state formats an activity. It returns "" for UnknownActivity.
func state(s trace.Activity) string {
	if s == trace.UnknownActivity {
		return ""
	}
	return ", " + s.String()
}
