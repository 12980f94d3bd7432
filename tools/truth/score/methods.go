package score

import (
	"context"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// A Method compares the two runs of a pair.
type Method struct {
	Name    string
	Compare func(context.Context, *Pair) ([]Claim, error)
}

// Methods returns the methods to measure: two methods that other tools use, and then diffprof's
// method. The methods of other tools are implemented here, on runs.
func Methods() []Method {
	methods := []Method{
		// One row per function, like pprof -top and dmtracedump -d.
		{"flat", grouped(func(c *run.Call, _ int) key { return key{label: c.Method.Label()} })},
		// Equal stacks are compared, as in hatchet's union of trees and pprof's -diff_base.
		{"stacks", grouped(func(_ *run.Call, path int) key { return key{path: path} })},
	}
	for alpha := range analysis.MaxAutoAlpha + 1 {
		methods = append(methods, Method{fmt.Sprintf("alpha=%d", alpha), diffprof(alpha)})
	}
	return append(methods, Method{"auto", diffprof(analysis.AutoAlpha)})
}

// A key identifies the tasks that a method treats as equal.
type key struct {
	path  int // number of the path, the same for equal stacks
	label string
}

// grouped returns a method that treats tasks with equal keys as the same task.
func grouped(keyOf func(c *run.Call, path int) key) func(context.Context, *Pair) ([]Claim, error) {
	return func(_ context.Context, p *Pair) ([]Claim, error) {
		paths := make(map[key]int)
		reference := make(map[key]*group)
		for _, g := range groups(p.Reference, paths, keyOf) {
			reference[g.key] = g
		}
		var claims []Claim
		for _, g := range groups(p.Subject, paths, keyOf) {
			c := Claim{Subject: g.tasks, Saving: g.energy}
			if peer := reference[g.key]; peer != nil {
				c.Matched, c.Reference, c.Found = true, peer.tasks, "exact"
				c.Saving -= peer.energy
			}
			claims = append(claims, c)
		}
		return claims, nil
	}
}

// A group is the tasks of a run that a method cannot distinguish.
type group struct {
	key    key
	tasks  []int
	energy units.Energy
}

// groups returns the groups of tasks in a run, in the order of appearance. paths gives each path
// the same number in both runs. Its keys have the number of the caller's path, and the label of the
// method.
func groups(r *run.Run, paths map[key]int, keyOf func(*run.Call, int) key) []*group {
	var out []*group
	byKey := make(map[key]*group)
	var walk func(c *run.Call, app bool, above int) units.Energy
	walk = func(c *run.Call, app bool, above int) units.Energy {
		at := key{above, c.Method.Label()}
		path, ok := paths[at]
		if !ok {
			path = len(paths) + 1
			paths[at] = path
		}
		sum := c.Cost
		for _, kid := range c.Kids {
			sum += walk(kid, c.App, path)
		}
		if app && !c.App {
			k := keyOf(c, path)
			g := byKey[k]
			if g == nil {
				g = &group{key: k}
				byKey[k], out = g, append(out, g)
			}
			if c.Task && !slices.Contains(g.tasks, c.Context) {
				g.tasks = append(g.tasks, c.Context)
			}
			g.energy += sum
		}
		return sum
	}
	for _, t := range r.Threads {
		for _, c := range t.Calls {
			walk(c, false, 0)
		}
	}
	return out
}

// trees builds the trees of both runs.
func (p *Pair) trees(ctx context.Context) (subject, reference *cct.Tree, err error) {
	if subject, _, err = cct.Build(ctx, p.Subject.Recording(), cct.Limits{}); err != nil {
		return nil, nil, err
	}
	if reference, _, err = cct.Build(ctx, p.Reference.Recording(), cct.Limits{}); err != nil {
		return nil, nil, err
	}
	return subject, reference, nil
}

// diffprof returns the method of diffprof itself, with the given α.
func diffprof(alpha int) func(context.Context, *Pair) ([]Claim, error) {
	return func(ctx context.Context, p *Pair) ([]Claim, error) {
		subject, reference, err := p.trees(ctx)
		if err != nil {
			return nil, err
		}
		result, err := analysis.Trees(ctx, subject, reference, analysis.Options{Alpha: alpha, MaxMemory: -1})
		if err != nil {
			return nil, err
		}
		s, r := numbers(p.Subject, result.Subject.Tree), numbers(p.Reference, result.Reference.Tree)
		claims := make([]Claim, 0, len(result.Tasks))
		for _, t := range result.Tasks {
			c := Claim{Subject: s[t.Node], Own: t.Own, Saving: t.Saving, Perhaps: t.Perhaps != nil || t.Moved()}
			if t.Found != eflask.Unmatched {
				c.Matched, c.Reference, c.Found = true, r[t.Peer], t.Found.String()
			}
			claims = append(claims, c)
		}
		return claims, nil
	}
}

// numbers returns the true tasks that each node of a preprocessed tree represents.
func numbers(r *run.Run, tree *preprocess.Tree) map[int32][]int {
	at := r.Locate(tree.Source)
	out := make(map[int32][]int)
	r.Each(func(c, _ *run.Call) {
		if !c.Task {
			return
		}
		node := tree.Image[at[c]]
		if !slices.Contains(out[node], c.Context) {
			out[node] = append(out[node], c.Context)
		}
	})
	return out
}
