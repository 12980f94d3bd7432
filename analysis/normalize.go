package analysis

import (
	"errors"
	"fmt"
	"math"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Normalization says how to scale the reference's energies so that runs of different
// lengths compare. The zero value scales nothing.
type Normalization struct {
	// By is NoNormalization, ByTime, ByEnergy or ByWork.
	By NormalizedBy
	// Subject and Reference are how much work the runs did, for ByWork: user actions, for
	// instance. Both are positive.
	Subject, Reference int64
}

// NormalizedBy is what a Normalization makes equal.
type NormalizedBy uint8

// The ways.
const (
	NoNormalization NormalizedBy = iota
	// ByTime: the reference drains what it would have in the subject's length.
	ByTime
	// ByEnergy: the reference drains as much as the subject in all.
	ByEnergy
	// ByWork: the reference drains what it would have for the subject's work.
	ByWork
)

// String says what the runs then have in common.
func (by NormalizedBy) String() string {
	return [...]string{"nothing", "the subject's length", "the subject's energy", "the subject's work"}[by]
}

// A Scale is what a run's energies were multiplied by: Times/Of.
type Scale struct {
	Times, Of int64
	By        NormalizedBy
}

// Factor is the scale as a number.
func (s *Scale) Factor() float64 { return float64(s.Times) / float64(s.Of) }

// normalize scales the tree of the second input, the reference, as the options ask for.
func (s *setup) normalize(inputs []*Input, trees []*cct.Tree) error {
	n := s.options.Normalize
	scale := &Scale{By: n.By, Times: n.Subject, Of: n.Reference}
	switch n.By {
	case NoNormalization:
		return nil
	case ByTime:
		scale.Times, scale.Of = length(inputs[0].Trace), length(inputs[1].Trace)
		if scale.Times <= 0 || scale.Of <= 0 {
			return errors.New("normalizing by time: one of the recordings does not say how long it lasted")
		}
	case ByEnergy:
		scale.Times, scale.Of = int64(inputs[0].Energy), int64(inputs[1].Energy)
		if scale.Of <= 0 {
			return errors.New("normalizing by energy: the reference drained nothing")
		}
	}
	in := inputs[1]
	if in.Energy != 0 && scale.Factor() > math.MaxInt64/2/float64(in.Energy) {
		return fmt.Errorf("normalizing: %d times %d/%d is more energy than there is", in.Energy, scale.Times, scale.Of)
	}
	trees[1] = trees[1].Scaled(scale.Times, scale.Of)
	tr := *in.Trace
	tr.Calls = trace.NoCalls
	in.Trace, in.Scale, in.Energy = &tr, scale, trees[1].Energy.Total()
	return nil
}

// scaled says by what the reference's energies were scaled.
func scaled(s *Scale) trace.Warning {
	return trace.Warning{Code: "normalized", Message: fmt.Sprintf(
		"the reference's energies are times %s, to %s; calls do not scale and are not shown", units.Fixed(s.Factor(), 3), s.By)}
}
