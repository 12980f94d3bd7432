package main

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/android"
)

// A node is a calling context of a run: a method, with the number of its calls and its energy in
// that context.
type node struct {
	label  string
	method name.Method

	// total is the number of calls in the whole run. If it is 0, per is the number of calls per
	// call of the parent.
	per   float64
	total int
	// inclusive and self are stated energies in µAh. They are negative if not stated.
	inclusive, self float64
	// weight is the weight of a call when energy that is not stated is distributed.
	weight float64
	// one means that each call runs exactly one of the kids. sum means that the number of calls is
	// the sum of the kids' calls.
	one, sum bool
	// idle calls wait. The wall clock runs while they wait, and the thread clock does not.
	idle bool
	// unseen calls began before the recording. open calls ended after it. late calls come a little
	// later than their number requires.
	unseen, open, late bool
	// enqueue and dispatch name a hand-over of work.
	enqueue, dispatch string

	kids []*node

	// solve sets the number of calls in the whole run, and the exclusive processor time of the
	// context in microseconds.
	calls   int
	selfCPU int64
	made    int     // number of calls so far
	order   []*node // kid of each call, if one is set
}

// slots are the variable parts of an outline, by name.
type slots map[string][]*node

// outline parses the notation of the cases. It has one call per line, indented by tabs below its
// caller:
//
//	Looper.loop
//		Handler.dispatchMessage one
//			<messages>
//			~.chat.Poller.run()V #116 =44.3
//				Handler.post x2 w=5
//				@readPreference =1.5
//
// A name is a short name in framework.txt, a label, a label with ~ for the package of the app, a
// slot, or @ with the name of a fragment in tasks.txt. These may follow: xN for N calls per call of
// the caller (default 1), #N for N calls in total, =E for the inclusive energy in µAh, self=E for
// the exclusive energy, and w=N for the weight of a call when the remaining energy is distributed.
// The words one, sum, idle, unseen, open, late, enqueue=NAME and dispatch=NAME set the fields of
// node. Mistakes panic, because outlines are part of this program.
func outline(text string, s slots) []*node {
	top := &node{}
	stack := []*node{top}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		depth := len(line) - len(strings.TrimLeft(line, "\t"))
		if depth >= len(stack) {
			panic(fmt.Sprintf("outline: %q is indented too far", line))
		}
		stack = stack[:depth+1]
		parent := stack[depth]
		if name, ok := strings.CutPrefix(words[0], "<"); ok && strings.HasSuffix(name, ">") {
			kids, ok := s[strings.TrimSuffix(name, ">")]
			if !ok {
				panic(fmt.Sprintf("outline: nothing fills %s", words[0]))
			}
			parent.kids = append(parent.kids, kids...)
			continue
		}
		n := newNode(words[0])
		for _, w := range words[1:] {
			n.attribute(w)
		}
		parent.kids = append(parent.kids, n)
		stack = append(stack, n)
	}
	return top.kids
}

func newNode(word string) *node {
	if name, ok := strings.CutPrefix(word, "@"); ok {
		return fragment(name)
	}
	n := &node{label: word, per: 1, inclusive: -1, self: -1, weight: 1}
	if !strings.Contains(word, "(") {
		label, ok := android.Labels()[word]
		if !ok {
			panic(fmt.Sprintf("outline: framework.txt has no %s", word))
		}
		n.label = label
	}
	return n
}

func (n *node) attribute(word string) {
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || x < 0 {
			panic(fmt.Sprintf("outline: %s: %q is no number", n.label, word))
		}
		return x
	}
	key, value, _ := strings.Cut(word, "=")
	switch {
	case word == "one":
		n.one = true
	case word == "sum":
		n.sum = true
	case word == "idle":
		n.idle = true
	case word == "unseen":
		n.unseen = true
	case word == "open":
		n.open = true
	case word == "late":
		n.late = true
	case key == "enqueue":
		n.enqueue = value
	case key == "dispatch":
		n.dispatch = value
	case key == "self":
		n.self = number(value)
	case key == "w":
		n.weight = number(value)
	case word[0] == '=':
		n.inclusive = number(word[1:])
	case word[0] == 'x':
		n.per, n.total = number(word[1:]), 0
	case word[0] == '#':
		n.total = int(number(word[1:]))
	default:
		panic(fmt.Sprintf("outline: %s: what is %q?", n.label, word))
	}
}

// fragment returns a copy of a fragment of tasks.txt. Each fragment has one root.
func fragment(name string) *node {
	text, ok := android.Fragment(name)
	if !ok {
		panic(fmt.Sprintf("outline: tasks.txt has no @%s", name))
	}
	nodes := outline(text, nil)
	if len(nodes) != 1 {
		panic(fmt.Sprintf("tasks.txt: @%s has %d roots", name, len(nodes)))
	}
	return nodes[0]
}

// bind sets the methods of n and of all nodes below. pkg is the app's package.
func (n *node) bind(pkg string) {
	label := strings.ReplaceAll(n.label, "~", pkg)
	if i := strings.IndexByte(n.label, '('); i >= 0 {
		// A descriptor has slashes in the package.
		label = strings.ReplaceAll(n.label[:i], "~", pkg) +
			strings.ReplaceAll(n.label[i:], "~", strings.ReplaceAll(pkg, ".", "/"))
	}
	n.method = name.Parse(label, name.JVM)
	n.method.File = sourceFile(n.method.Class())
	for _, kid := range n.kids {
		kid.bind(pkg)
	}
}

// sourceFile guesses the file name of a class. A class whose name has one or two letters is
// obfuscated and gets the file name that R8 writes.
func sourceFile(class string) string {
	simple := strings.TrimPrefix(path.Ext("."+class), ".")
	simple, _, _ = strings.Cut(simple, "$")
	if len(simple) <= 2 {
		return "SourceFile"
	}
	return cmp.Or(simple, "Unknown") + ".java"
}
