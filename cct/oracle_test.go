package cct_test

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// at returns element i of a list, or 0 beyond its end.
func at(list []units.Energy, i int) units.Energy {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// A slow is the oracle's result for each path: its energy, its time, and the threads that had it
// open. It also has the part of the time that belongs to the first events of threads, which take no
// wall time.
type slow struct {
	energy      map[string]units.Energy
	time, first map[string]int64
	threads     map[string][]trace.ThreadID
	byThread    []units.Energy
}

// replayAll computes the expected result without building a tree. For each thread it first finds,
// by trial, the calls that were open at the start. To get the current stack, it replays the script
// again for each of its prefixes. It folds recursion by cutting the stack back to the earlier frame
// of the same method. A mark is a path and a thread.
func replayAll(s string) slow {
	out := slow{
		energy: map[string]units.Energy{"": 0}, time: make(map[string]int64), first: make(map[string]int64),
		threads: make(map[string][]trace.ThreadID),
	}
	type note struct {
		path   string
		thread int
	}
	notes, marks := make(map[int]note), 0
	for id, thread := range strings.Split(s, "|") {
		out.byThread = append(out.byThread, 0)
		visit := func(stack []byte) string {
			path := fold(stack)
			out.energy[path] += 0
			if id := trace.ThreadID(id); !slices.Contains(out.threads[path], id) {
				out.threads[path] = append(out.threads[path], id)
			}
			return path
		}
		initial := orphans(thread)
		started := false
		pending := int64(0)
		for i := range len(thread) {
			c := thread[i]
			if c >= '0' && c <= '9' {
				pending += int64(c - '0')
				continue
			}
			if !isLetter(c) && !strings.ContainsRune("!@$%&", rune(c)) {
				continue
			}
			here := visit(replay(initial, thread[:i]))
			out.time[here] += pending
			if !started {
				out.first[here] += pending
				for n := range initial {
					visit(initial[:n+1])
				}
				started = true
			}
			owner := note{here, id}
			switch c {
			case '!':
				notes[marks] = note{here, id}
				marks++
			case '@':
				notes[0], marks = note{here, id}, max(marks, 1)
			case '$', '%', '&':
				ref := map[byte]int{'$': marks - 1, '%': 0, '&': -1}[c]
				known := false
				if owner, known = notes[ref]; !known {
					owner = note{"", id}
				}
			}
			out.energy[owner.path] += units.Energy(pending)
			out.byThread[owner.thread] += units.Energy(pending)
			pending = 0
			visit(replay(initial, thread[:i+1]))
		}
	}
	return out
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// orphans returns the methods of the exits without an open call, outermost first.
func orphans(thread string) []byte {
	var found []byte
	for i := range len(thread) {
		if c := thread[i]; c >= 'A' && c <= 'Z' && len(seen(thread[:i])) == 0 {
			found = append([]byte{c - 'A' + 'a'}, found...)
		}
	}
	return found
}

// replay returns the stack after a thread's events: the calls of initial that are still open, and
// then the calls that began later.
func replay(initial []byte, thread string) []byte {
	return append(slices.Clone(initial[:len(initial)-len(orphans(thread))]), seen(thread)...)
}

// seen returns the open calls that began during the recording.
func seen(thread string) []byte {
	var stack []byte
	for i := range len(thread) {
		switch c := thread[i]; {
		case c >= 'a' && c <= 'z':
			stack = append(stack, c)
		case c >= 'A' && c <= 'Z':
			if i := slices.Index(reversed(stack), c-'A'+'a'); i >= 0 {
				stack = stack[:len(stack)-1-i]
			}
		}
	}
	return stack
}

func reversed(s []byte) []byte {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

func fold(stack []byte) string {
	var path []string
	for _, m := range stack {
		name := "p.C." + string(rune(m))
		if at := slices.Index(path, name); at >= 0 {
			path = path[:at]
		}
		path = append(path, name)
	}
	return strings.Join(path, " ")
}
