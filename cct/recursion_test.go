package cct_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestSharedCalls looks at a call that two threads make and at calls that one of them makes.
func TestSharedCalls(t *testing.T) {
	tree, _ := build("abBcCA|abBA|dD")
	for i := range tree.Nodes {
		label := tree.Label(int32(i))
		if want := label == "p.C.a" || label == "p.C.b"; i > 0 && tree.Shared(int32(i)) != want {
			t.Errorf("several threads call %s: %v, want %v", label, !want, want)
		}
	}
}

// TestEdges lists the calls of a tree, and stops after the first.
func TestEdges(t *testing.T) {
	tree, _ := build("abBcCA|bdDB")
	var list []string
	for caller, callee := range tree.Edges() {
		from := "root"
		if caller >= 0 && caller < len(tree.Methods) {
			from = tree.Methods[caller].Name
		}
		list = append(list, from+" calls "+tree.Methods[callee].Name)
	}
	slices.Sort(list)
	if got, want := strings.Join(list, ", "), "a calls b, a calls c, b calls d, root calls a, root calls b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for range tree.Edges() {
		break
	}
}

// TestFits compares a tree with runs that lack a thread or an account to which the tree refers.
func TestFits(t *testing.T) {
	run := tracetest.Booked{Text: "a 5 0 0\na 7 1 1\nb 7 2 2\n", Only: -1, Method: func(label string) name.Method { return name.Parse(label, name.JVM) }}
	tree := must(t, run)
	for _, c := range []struct {
		threads, accounts int
		want              bool
	}{{3, 3, true}, {4, 9, true}, {2, 3, false}, {3, 2, false}, {3, 0, false}, {0, 3, false}} {
		run := &trace.Trace{Threads: make([]trace.Thread, c.threads), Accounts: make([]trace.Account, c.accounts)}
		if got := tree.Fits(run); got != c.want {
			t.Errorf("it fits a run with %d threads and %d accounts: %v, want %v", c.threads, c.accounts, got, c.want)
		}
	}
	plain, _ := build("a1A")
	if run := (&trace.Trace{Threads: make([]trace.Thread, 1)}); !plain.Fits(run) {
		t.Error("a tree without accounts does not fit a run without accounts")
	}
}
