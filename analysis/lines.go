package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// LinesCode is the code of warnings about source lines.
const LinesCode = "lines"

// unsureLines returns a warning that the intervals of lines hold only if the app slept in the part
// of the run that has no samples.
func unsureLines(share float64) trace.Warning {
	return trace.Warning{Code: LinesCode, Message: fmt.Sprintf(
		"there are no samples in %.0f%% of the run's time, in unequal gaps: the error intervals of lines are right if the app slept then, and too narrow if the recorder was off", share*100)}
}

// Lines divides the run by source line. If the number of samples is unknown, the rows have no
// samples and no intervals. The input must have been read with Options.Lines.
func (in *Input) Lines() *lines.Table {
	m := newFigures(in, false)
	source := &in.Tree.Source.Measures
	t := lines.New(in.Tree.Source,
		func(v int32) float64 { return m.self(source, v) },
		func(v int32) float64 { return m.within(source, v) },
		max(m.each, in.sampleShare*float64(in.Energy)), max(m.clump, in.together), in.lineErrors, len(in.Runs))
	t.Unsampled = in.unsampled
	if in.sharesMeter() {
		t.Powers, t.Doubt = max(t.Powers, in.Meter.Powers), in.meterDoubt
	}
	return t
}

// sharesMeter reports whether the samples' energy comes from a power meter.
func (in *Input) sharesMeter() bool { return in.Meter != nil && in.Meter.Reason == "" }

// buildByLine builds the tree of a recording by source line. It keeps recursive calls apart, so
// that a line's inclusive energy has everything that the line calls. If the tree then exceeds the
// limits, buildByLine folds recursive calls.
func buildByLine(ctx context.Context, rec *lines.Recording, limits cct.Limits) (*cct.Tree, *trace.Trace, error) {
	limits.Deep = true
	tree, tr, err := cct.Build(ctx, rec, limits)
	if !errors.Is(err, cct.ErrTooLarge) {
		return tree, tr, err
	}
	limits.Deep = false
	if tree, tr, err = cct.Build(ctx, rec, limits); err == nil {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: LinesCode,
			Message: "--max-memory is too small to hold each recursive call, so the energy of a line with callees leaves out recursive calls of its callers"})
	}
	return tree, tr, err
}

// resolveLines replaces the recorded lines and positions in a tree by source lines, including the
// frames of inlined methods. The function by restores the source names of methods. It may be nil.
func (s *setup) resolveLines(ctx context.Context, o *opened, in *Input, tree *cct.Tree, by func(name.Method) name.Method) (*cct.Tree, error) {
	tree, err := s.placeLines(ctx, o, in, tree, by)
	tr := in.Trace
	if err == nil && !lines.Callers(tree) {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: LinesCode,
			Message: "the recording has no lines of callers, so the energy of a line with callees is unknown"})
	}
	return tree, err
}

// reframe replaces the methods of a tree by frames, as lines.Resolve does. It updates in.lineErrors
// accordingly.
func (in *Input) reframe(ctx context.Context, tree *cct.Tree, frames func(trace.MethodID) []name.Method) (*cct.Tree, error) {
	chains := make([][]name.Method, len(tree.Methods))
	for id := range chains {
		chains[id] = frames(trace.MethodID(id))
	}
	chainOf := func(id trace.MethodID) []name.Method { return chains[id] }
	in.lineErrors = in.lineErrors.Through(tree.Methods, chainOf)
	return lines.Resolve(ctx, tree, in.Trace.Accounts, chainOf)
}

func (s *setup) placeLines(ctx context.Context, o *opened, in *Input, tree *cct.Tree, by func(name.Method) name.Method) (*cct.Tree, error) {
	tr := in.Trace
	if reason := firstLines(tree); reason != "" {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: LinesCode, Message: reason})
		whole, err := in.reframe(ctx, tree, func(id trace.MethodID) []name.Method {
			m := tree.Methods[id]
			if m.On > 0 {
				m = m.OnLine(0)
			}
			return []name.Method{m}
		})
		if err != nil {
			return nil, err
		}
		tree = whole
	}
	split := slices.ContainsFunc(tree.Methods, func(m name.Method) bool { return m.On > 0 })
	positions := slices.ContainsFunc(tree.Methods, func(m name.Method) bool { return m.On < 0 })
	switch {
	case positions, split && by != nil:
	case by != nil:
		in.lineErrors = in.lineErrors.Through(tree.Methods, func(id trace.MethodID) []name.Method { return []name.Method{by(tree.Methods[id])} })
		return retrace(tree, by), nil
	default:
		return tree, nil
	}
	places, err := s.readPlaces(ctx, o, tr, tree)
	if err != nil {
		return nil, err
	}
	return in.reframe(ctx, tree, func(id trace.MethodID) []name.Method {
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

// minFunctions is the smallest number of functions or lines from which firstLines draws a
// conclusion.
const minFunctions = 20

// firstLines reports whether the lines of a tree are the first lines of functions instead of the
// lines of samples, as some recorders write them. It returns a message if so, and otherwise the
// empty string.
//
// If the recording states the first lines of functions, 19 of 20 lines must be equal to them.
// Otherwise at most one function in 20 may have two lines, although many functions were sampled in
// several contexts. Functions with the same name, such as lambdas, count as one.
func firstLines(tree *cct.Tree) string {
	type function struct {
		line, contexts int32
		several        bool
	}
	known, first := 0, 0
	others := make(map[name.Method]*function)
	functions := make([]*function, len(tree.Methods))
	for id, m := range tree.Methods {
		switch {
		case m.On <= 0:
		case m.Line > 0:
			known++
			if int(m.On) == m.Line {
				first++
			}
		default:
			f := others[m.OnLine(0)]
			if f == nil {
				f = &function{line: m.On}
				others[m.OnLine(0)] = f
			}
			f.several = f.several || f.line != m.On
			functions[id] = f
		}
	}
	if known >= minFunctions && first*20 >= known*19 {
		return "the recording has the first line of each function instead of the line of each sample, so lines have no energy"
	}
	if len(others) < minFunctions {
		return ""
	}
	for v := int32(1); int(v) < len(tree.Nodes); v++ {
		if m := tree.Nodes[v].Method; m != cct.NoMethod && functions[m] != nil && tree.Energy.Self(v) > 0 {
			functions[m].contexts++
		}
	}
	repeated, several := 0, 0
	for _, f := range others {
		if f.contexts > 1 {
			repeated++
		}
		if f.several {
			several++
		}
	}
	if repeated < minFunctions || several*20 > repeated {
		return ""
	}
	return "nearly every function of the recording has a single line, so the recorder probably stored the first line of the function instead of the line of the sample: lines have no energy"
}
