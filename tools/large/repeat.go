package main

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

// repeated creates a trace with the given number of records by repeating the events of a recording.
// As in an app, calls are then nested, contexts recur, and threads take turns. It leaves out calls
// that are open at the start of the recording, and closes calls that are open at its end.
func repeated(path string, records int) (*artwrite.Trace, error) {
	f, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var l list
	tr, err := f.Scan(context.Background(), &l)
	if err != nil {
		return nil, err
	}
	t := &artwrite.Trace{Methods: tr.Methods, Elapsed: time.Duration(records) * 3 * time.Microsecond}
	for i, th := range tr.Threads {
		t.Threads = append(t.Threads, artwrite.Thread{ID: uint32(1 + i), Name: th.Name})
	}
	if l.calls == 0 {
		return nil, errors.New(path + " has no calls to repeat")
	}
	t.Events = l.repeat(len(t.Threads), records)
	return t, nil
}

// A list is the events of a recording.
type list struct {
	events []trace.Event
	calls  int
	// end is the time of the latest event.
	end time.Duration
}

func (l *list) Events(batch []trace.Event) error {
	for _, e := range batch {
		switch e.Kind {
		case trace.Enter:
			l.calls++
			fallthrough
		case trace.Exit:
			l.events = append(l.events, e)
			l.end = max(l.end, time.Duration(e.Time))
		}
	}
	return nil
}

func (l *list) Samples([]trace.Sample) error { return errors.New("samples cannot be repeated") }

// repeat yields the events repeatedly.
func (l *list) repeat(threads, records int) iter.Seq[artwrite.Event] {
	return func(yield func(artwrite.Event) bool) {
		cpu, wall := make([]time.Duration, threads), time.Duration(0)
		stacks := make([][]trace.MethodID, threads)
		left, open := records, 0
		event := func(thread trace.ThreadID, m trace.MethodID, action artwrite.Action) bool {
			left--
			return yield(artwrite.Event{Thread: int(thread), Method: int(m), Action: action, CPU: cpu[thread], Wall: wall})
		}
		closeAll := func() bool {
			for thread := range stacks {
				for n := len(stacks[thread]); n > 0; n-- {
					open--
					if !event(trace.ThreadID(thread), stacks[thread][n-1], artwrite.Exit) {
						return false
					}
				}
				stacks[thread] = stacks[thread][:0]
			}
			return true
		}
		for round := time.Duration(0); left > open+1; round++ {
			for _, e := range l.events {
				if left <= open+1 {
					break
				}
				cpu[e.Thread] += time.Duration(e.CPU)
				wall = round*l.end + time.Duration(e.Time)
				m, s := trace.MethodID(e.Ref), &stacks[e.Thread]
				n := len(*s)
				switch {
				case e.Kind == trace.Enter:
					*s = append(*s, m)
					open++
					if !event(e.Thread, m, artwrite.Enter) {
						return
					}
				case n > 0 && (*s)[n-1] == m:
					*s = (*s)[:n-1]
					open--
					if !event(e.Thread, m, artwrite.Exit) {
						return
					}
				}
			}
			wall = (round + 1) * l.end
			if !closeAll() {
				return
			}
		}
	}
}
