package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"slices"
	"time"

	"github.com/diffprof/diffprof/tools/artwrite"
)

// An event is an event of a thread, with its times since the start of the run.
type event struct {
	thread    int
	m         moment
	cpu, wall int64 // since the start of the thread (cpu) and of the run (wall)
}

// files returns the trace and the files that belong to it. name has no suffix.
func (a app) files(name string) ([]file, error) {
	events, err := a.events()
	if err != nil {
		return nil, err
	}
	t := &artwrite.Trace{
		Elapsed: time.Duration(a.seconds) * time.Second, VM: a.vm, PID: a.pid,
		Start: time.Duration(a.pid) * time.Second,
	}
	for _, th := range a.threads {
		t.Threads = append(t.Threads, artwrite.Thread{ID: th.id, Name: th.name})
	}
	var names *renaming
	if a.shrunk {
		names = shrink(a.pkg, events)
	}
	ids := make(map[string]int)
	out := make([]artwrite.Event, len(events))
	for i, e := range events {
		method := e.m.n.method
		id, ok := ids[method.Label()]
		if !ok {
			id = len(t.Methods)
			ids[method.Label()] = id
			if names != nil {
				method = names.method(method)
			}
			if a.vm == "dalvik" {
				method.Line = 20 + int(e.m.n.salt()%1500)
			}
			t.Methods = append(t.Methods, method)
		}
		out[i] = artwrite.Event{
			Thread: e.thread, Method: id,
			CPU: time.Duration(e.cpu) * time.Microsecond, Wall: time.Duration(e.wall) * time.Microsecond,
		}
		if e.m.exit {
			out[i].Action = artwrite.Exit
		}
	}
	t.Events = slices.Values(out)
	var b bytes.Buffer
	if err := artwrite.Write(&b, t, a.form); err != nil {
		return nil, err
	}
	made := []file{{name + ".trace", b.Bytes()}}
	if a.gzip {
		made = []file{{name + ".trace.gz", compress(b.Bytes())}}
	}
	flows, err := a.flows(events)
	if err != nil {
		return nil, err
	}
	if flows != nil {
		made = append(made, file{made[0].name + ".flows", flows})
	}
	if names != nil {
		made = append(made, file{name + ".mapping.txt", names.mapping()})
	}
	return made, nil
}

// flows returns the notes that the recorder in the paper's modified Android made: which thread put
// which object into a queue when, and when the object ran. It returns nil if the app's outlines
// have no hand-overs.
func (a app) flows(events []event) ([]byte, error) {
	var b bytes.Buffer
	waiting := make(map[string]bool)
	for i, e := range events {
		if e.m.exit || e.m.n.enqueue == "" && e.m.n.dispatch == "" {
			continue
		}
		// A note belongs to the call that is innermost after all events up to its time. So nothing
		// else may happen in that microsecond.
		for _, next := range events[i+1:] {
			if next.thread == e.thread {
				if next.wall == e.wall {
					return nil, fmt.Errorf("%s: no time to note the hand-over", e.m.n.label)
				}
				break
			}
		}
		verb, name := "enqueue ", e.m.n.enqueue
		if name == "" {
			verb, name = "dispatch", e.m.n.dispatch
			if !waiting[name] {
				return nil, fmt.Errorf("%s: dispatched before anything was enqueued", e.m.n.label)
			}
		}
		waiting[name] = true
		if b.Len() == 0 {
			b.WriteString("# generated together with the trace; see testdata/README.md\n")
		}
		hash := (&node{label: a.pkg + name}).salt() & 0xfffffff
		fmt.Fprintf(&b, "%s %d %d %x\n", verb, a.threads[e.thread].id, e.wall, hash)
	}
	return b.Bytes(), nil
}

// events expands all threads and sorts their events by wall clock.
func (a app) events() ([]event, error) {
	root := &node{label: a.pkg, inclusive: -1, self: -1, per: 1}
	roots := make([]*node, len(a.threads))
	for i := range a.threads {
		// Threads start one after the other, in the order of their IDs.
		switch th := &a.threads[i]; {
		case a.vm == "dalvik":
			// Dalvik numbered the threads. The main thread is 1.
			th.id = uint32(1 + 2*i)
		case th.id == 0:
			th.id = uint32(a.pid + 3 + 7*i)
		default:
			th.id = uint32(a.pid)
		}
		roots[i] = &node{label: a.threads[i].name, kids: a.threads[i].calls, per: 1, inclusive: -1, self: -1}
		for _, n := range a.threads[i].calls {
			n.bind(a.pkg)
		}
	}
	root.kids = roots
	if err := solve(root, a.total, a.exclusive); err != nil {
		return nil, err
	}
	var all []event
	for i, th := range a.threads {
		start := int64(i) * 11_000 // threads start one after the other
		moments, err := expand(roots[i], int64(a.seconds)*1_000_000-start)
		if err != nil {
			return nil, fmt.Errorf("thread %s: %w", th.name, err)
		}
		cpu, wall := int64(2+i), start
		for _, m := range moments {
			cpu += m.cpu
			wall += m.wall
			all = append(all, event{i, m, cpu, wall})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.wall, b.wall) })
	return all, nil
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	// Writing to a buffer cannot fail.
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Write(data)
	w.Close()
	return b.Bytes()
}
