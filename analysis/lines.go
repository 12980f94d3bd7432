package analysis

import (
	"context"
	"errors"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// LinesCode is the code of warnings about source lines.
const LinesCode = "lines"

// Lines divides the run by source line. If the number of samples is unknown, the rows have no samples and
// no intervals. The input was read with Options.Lines.
func (in *Input) Lines() *lines.Table {
	m := newFigures(in, false)
	source := &in.Tree.Source.Measures
	return lines.New(in.Tree.Source,
		func(v int32) float64 { return m.self(source, v) },
		func(v int32) float64 { return m.within(source, v) },
		max(m.each, in.sampleShare*float64(in.Energy)), m.clump, len(in.Runs))
}

// buildByLine builds the tree of a recording by line. Recursive calls stay apart, so that a line has the
// energy of all that it calls. If the tree then exceeds the limits, recursive calls are folded.
func buildByLine(ctx context.Context, rec *lines.Recording, limits cct.Limits) (*cct.Tree, *trace.Trace, error) {
	limits.Deep = true
	tree, tr, err := cct.Build(ctx, rec, limits)
	if !errors.Is(err, cct.ErrTooLarge) {
		return tree, tr, err
	}
	limits.Deep = false
	if tree, tr, err = cct.Build(ctx, rec, limits); err == nil {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: LinesCode,
			Message: "the recursive calls of this run do not fit --max-memory one by one, so the energy of a line with callees lacks what a recursive call of a caller uses"})
	}
	return tree, tr, err
}

// resolveLines replaces the lines and positions of a tree by the frames of the source. by restores the
// source names of methods, and may be nil.
func (s *setup) resolveLines(ctx context.Context, o *opened, tr *trace.Trace, tree *cct.Tree, by func(name.Method) name.Method) (*cct.Tree, error) {
	split := slices.ContainsFunc(tree.Methods, func(m name.Method) bool { return m.On > 0 })
	positions := slices.ContainsFunc(tree.Methods, func(m name.Method) bool { return m.On < 0 })
	switch {
	case positions, split && by != nil:
	case by != nil:
		return retrace(tree, by), nil
	default:
		return tree, nil
	}
	places, err := s.readPlaces(ctx, o, tr, tree)
	if err != nil {
		return nil, err
	}
	return lines.Resolve(ctx, tree, tr.Accounts, func(id trace.MethodID) []name.Method {
		m := tree.Methods[id]
		if _, ok := m.Unit(); ok {
			m = m.OnLine(places.line(id))
		}
		if by == nil || m.Type == "" {
			return []name.Method{m}
		}
		if m.On == 0 {
			return []name.Method{by(m)}
		}
		at := frame(m)
		at.Line = int(m.On)
		var chain []name.Method
		for _, f := range o.names.RetraceLine(at) {
			chain = append(chain, name.OfClass(f.Class, f.Method, f.Descriptor).At(f.File, 0).OnLine(int32(f.Line)))
		}
		return chain
	})
}
