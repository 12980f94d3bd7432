package runtime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// expectHandOvers computes what a recording with hand-overs must contain. The threads of the log
// took turns, so the log has the probes in their order.
func expectHandOvers(t *testing.T, log string) map[string]figure {
	t.Helper()
	type handOver struct {
		path       string
		activation int
		order      int
		left       int // -1 for work that repeats.
		what       string
	}
	figures := make(map[string]figure)
	// An activation is an execution of a method, with its call path and its number.
	type activation struct {
		path   string
		number int
	}
	open := make(map[string][]activation)
	activations := 0
	pending := make(map[string]*handOver)
	methodOf := func(path string) string { return path[strings.LastIndexByte(path, ';')+1:] }
	order := 0
	for line := range strings.Lines(log) {
		f := strings.Fields(line)
		if f[0] == "t" {
			continue
		}
		thread, kind, method := f[0], f[1], "work"+f[2]
		stack := open[thread]
		top, innermost := "", 0
		if len(stack) > 0 {
			top, innermost = stack[len(stack)-1].path, stack[len(stack)-1].number
		}
		push := func(path string) {
			activations++
			open[thread] = append(stack, activation{path, activations})
		}
		// The work is an object, the Runnable of a message, or a handler and a number.
		object, what, target := "", "", ""
		if len(f) > 3 {
			object = f[3]
		}
		if len(f) > 4 {
			what, target = f[4], f[5]
			if f[6] != "-1" && kind != "d" {
				object, what = f[6], ""
			}
		}
		count := func(path string) { figures[thread+path] = figure{calls: figures[thread+path].calls + 1} }
		switch kind {
		case "n", "q", "r":
			key := object
			if kind == "n" {
				key = "handler " + f[2] + " " + f[3]
			} else {
				id, err := strconv.Atoi(f[2])
				if err != nil {
					t.Fatal(err)
				}
				path := top
				if own := fmt.Sprintf("work%d", id%methods); methodOf(top) != own {
					path += ";" + own
				}
				count(path + ";show" + f[2])
			}
			order++
			h := pending[key]
			switch {
			case top == "":
				delete(pending, key)
				continue
			case h == nil:
				h = new(handOver)
				pending[key] = h
			}
			h.path, h.activation, h.order, h.what = top, innermost, order, what
			if kind == "r" {
				h.left = -1
			} else if h.left >= 0 {
				h.left++
			}
		case "d":
			key := object
			h := pending[key]
			if what != "" {
				numbered := "handler " + target + " " + what
				if other := pending[numbered]; h != nil && (h.what != what || other != nil && other.order > h.order) {
					delete(pending, key)
					h = nil
				}
				if h == nil {
					key = numbered
					h = pending[key]
				}
			}
			path := top + ";" + method
			if h != nil {
				if h.left > 0 {
					if h.left--; h.left == 0 {
						delete(pending, key)
					}
				}
				if !slices.ContainsFunc(stack, func(a activation) bool { return a.number == h.activation }) {
					// Work that hands itself over again keeps its first origin.
					path = h.path + ";"
					if at := strings.LastIndex(path, ";"+method+";"); at >= 0 {
						path = path[:at] + ";"
					}
					path += method
				}
			}
			push(path)
			count(path)
		case "e":
			push(top + ";" + method)
			count(top + ";" + method)
		case "x":
			open[thread] = stack[:len(stack)-1]
		case "c":
			id, err := strconv.Atoi(f[2])
			if err != nil {
				t.Fatal(err)
			}
			path := top
			if own := fmt.Sprintf("work%d", id%methods); methodOf(top) != own {
				path += ";" + own
			}
			count(path + ";show" + f[2])
		}
	}
	return figures
}

// TestHandOvers runs threads that hand work over: several times before it is carried out, without
// it being carried out, never, and from within the work itself.
func TestHandOvers(t *testing.T) {
	folder, log := run(t, "async", 20)
	got, tr := read(t, folder)
	want := expectHandOvers(t, log)
	compare(t, got, want, false)
	if len(want) < 10_000 || warned(tr) != "" {
		t.Errorf("%d paths, warnings %v", len(want), tr.Warnings)
	}
}

// TestMessages is TestHandOvers for Android's messages, which the framework reuses.
func TestMessages(t *testing.T) {
	folder, log := runOnClocks(t, "messages", 30)
	got, _ := read(t, folder)
	want := expectHandOvers(t, log)
	compare(t, got, want, false)
	if !strings.Contains(log, " n 2 ") || len(want) < 10_000 {
		t.Errorf("%d paths", len(want))
	}
}

// TestHandOversOfEndedThreads adds up the counts of ended threads that handed work over.
func TestHandOversOfEndedThreads(t *testing.T) {
	folder, log := run(t, "tasks", 40)
	got, tr := read(t, folder)
	merge := func(figures map[string]figure) map[string]figure {
		all := make(map[string]figure)
		for key, f := range figures {
			_, path, _ := strings.Cut(key, ";")
			all[path] = figure{all[path].calls + f.calls, 0}
		}
		return all
	}
	compare(t, merge(got), merge(expectHandOvers(t, log)), false)
	if len(tr.Threads) > 300 {
		t.Errorf("%d threads", len(tr.Threads))
	}
}

// TestManyHandOvers hands over more work than the runtime keeps.
func TestManyHandOvers(t *testing.T) {
	folder, _ := run(t, "handovers", 1)
	got, tr := read(t, folder)
	const objects = 20_000
	const kept = 1 << 14
	carried, plain := got["main;work0;work1"].calls, got["main;work1"].calls
	// 200 of the following paths equal the path of work that the runtime kept, and 4,000 equal the
	// path of other work.
	if carried != kept+200 || plain != objects-kept+4000 {
		t.Errorf("%d hand-overs have their origin and %d not", carried, plain)
	}
	// The first execution of the work has no origin. All later executions have the same origin.
	if n := got["main;work3"].calls; n != 1000+4000 {
		t.Errorf("work that hands itself over is on its path %d times", n)
	}
	if warned(tr) != "handovers-dropped" {
		t.Error(tr.Warnings)
	}
}
