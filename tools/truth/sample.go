package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
)

// sampleOptions returns the options for the comparisons from which pairs are sampled.
func sampleOptions(subject, reference string) analysis.Options {
	return analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Alpha: analysis.AutoAlpha}
}

// printSample prints a row for each pair of tasks of two recordings, for a person to judge: the row
// of testdata/judged.txt without a verdict, and a description for the person.
func printSample(ctx context.Context, out io.Writer, subject, reference string) error {
	r, err := analysis.Compare(ctx, sampleOptions(subject, reference))
	if err != nil {
		return err
	}
	s, t := r.Subject.Tree, r.Reference.Tree
	candidates := make(map[[2]int32]eflask.Candidate)
	unlike := false
	for _, c := range eflask.Candidates(s, t, r.Matching) {
		candidates[[2]int32{c.Subject, c.Reference}] = c
		unlike = c.Unlike
	}
	kind := "similar"
	switch {
	case r.AppCode.OneApp:
		kind = "one"
	case unlike:
		kind = "unlike"
	}
	shown := make(map[[2]int32]bool)
	row := func(v, w int32, found string, e *eflask.Evidence) {
		at := [2]int32{v, w}
		shown[at] = true
		c := candidates[at]
		alone := e.Likelihood
		if unlike && !c.Exact {
			alone = c.Features.Alone()
		}
		fmt.Fprintf(out, "? %s %s ? %s %.3f %s", base(subject), base(reference), found, alone, kind)
		for _, x := range c.Traits[:judgedTraits] {
			fmt.Fprintf(out, " %.3g", x)
		}
		fmt.Fprintf(out, " %s %s %s\n", pathOf(s, t, v, w), firstCaller(s, v), firstCaller(t, w))
		describe(out, s, v)
		describe(out, t, w)
	}
	for i := range r.Tasks {
		switch task := &r.Tasks[i]; {
		case task.Found != eflask.Unmatched:
			row(task.Node, task.Peer, task.Found.String(), &task.Evidence)
		case task.Perhaps != nil:
			row(task.Node, task.Perhaps.Reference, task.Perhaps.Found.String(), &task.Perhaps.Evidence)
		}
	}
	for at, c := range candidates {
		if c.Exact && !shown[at] {
			row(at[0], at[1], "exact", &eflask.Evidence{Likelihood: c.Traits.Likelihood()})
		}
	}
	return nil
}

func base(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// pathOf returns the callback and the framework method of a pair. If the sides differ, it returns
// those of both sides.
func pathOf(s, t *preprocess.Tree, v, w int32) string {
	text := func(t *preprocess.Tree, v int32) string {
		return words(t.Labels.Method(t.Nodes[t.Nodes[v].Parent].Label).Label()) + ">" + words(t.Labels.Method(t.Nodes[v].Label).Label())
	}
	if a, b := text(s, v), text(t, w); a != b {
		return a + "|" + b
	}
	return text(s, v)
}

func words(s string) string { return strings.ReplaceAll(s, " ", "_") }

func firstCaller(t *preprocess.Tree, v int32) string {
	for _, c := range eflask.Callers(t, v) {
		return words(method(t.Source, c.Source))
	}
	return "-"
}

func method(t *cct.Tree, node int32) string {
	if m := t.Nodes[node].Method; m >= 0 {
		return t.Methods[m].Label()
	}
	return "-"
}

// describe prints the description of a task: its path, its callers, and its callees.
func describe(out io.Writer, t *preprocess.Tree, v int32) {
	var path, callers, callees []string
	for u := t.Nodes[v].Parent; u > 0; u = t.Nodes[u].Parent {
		path = append(path, t.Labels.Method(t.Nodes[u].Label).Label())
	}
	slices.Reverse(path)
	for _, c := range eflask.Callers(t, v) {
		if len(callers) < 3 {
			callers = append(callers, method(t.Source, c.Source)+" < "+method(t.Source, t.Source.Nodes[c.Source].Parent))
		}
	}
	for u := v + 1; u < t.Nodes[v].End && len(callees) < 6; u = t.Nodes[u].End {
		callees = append(callees, t.Labels.Method(t.Nodes[u].Label).Label())
	}
	if len(path) > 5 {
		path = path[len(path)-5:]
	}
	fmt.Fprintf(out, "#    %s > [%s]\n#      from %s\n#      calls %s\n", strings.Join(path, " > "), t.Labels.Method(t.Nodes[v].Label).Label(), strings.Join(callers, "; "), strings.Join(callees, ", "))
}
