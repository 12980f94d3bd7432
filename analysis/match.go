package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// Estimates of the memory for a matching, in bytes: per node of a tree (bytesSource), per node of
// its preprocessed form (bytesNode), and per candidate pair with the spare capacity of growing
// slices (bytesPair). They follow from the sizes of the types, rounded up.
const (
	bytesSource = 120
	bytesNode   = 240
	bytesPair   = 24
)

// treeLimits returns the limits of a tree if this many inputs are read at the same time.
func (s *setup) treeLimits(sides int) cct.Limits {
	return cct.Limits{Bytes: s.options.MaxMemory / int64(sides), Recursions: s.costs != nil}
}

// explainTree adds advice to the error of a tree that is too large.
func (s *setup) explainTree(err error) error {
	if !errors.Is(err, cct.ErrTooLarge) {
		return err
	}
	return fmt.Errorf("%w, which exceeds its share of --max-memory %s; raise --max-memory, or record a shorter part of the run",
		err, humanize.IBytes(uint64(s.options.MaxMemory)))
}

// trials is the state of matching two trees at several α.
type trials struct {
	*setup
	subject, reference *preprocess.Tree
	pairer             *eflask.Pairer
	bounds             eflask.Options
	// fewest is the number of tasks of the run with fewer tasks.
	fewest int
	// oneApp is true if both runs are from the same app. Tasks may then have moved.
	oneApp   bool
	own      [2]func(trace.MethodID) bool
	covered  []eflask.Coverage
	warnings []trace.Warning
}

// A trial is a matching, the counterparts derived from it, and their coverage.
type trial struct {
	matching     *eflask.Matching
	counterparts []eflask.Counterpart
	coverage     eflask.Coverage
}

// match sets the matching of a result, at the requested α or at one that a rule chooses. It also
// sets the tasks, and the coverage of each α that was tried or requested.
func (s *setup) match(ctx context.Context, r *Result) error {
	subject, reference := r.Subject.Tree, r.Reference.Tree
	t := &trials{setup: s, subject: subject, reference: reference, pairer: eflask.NewPairer(subject, reference), bounds: s.options.Matching, own: r.own(), fewest: min(countTasks(subject), countTasks(reference))}
	t.oneApp = !t.bounds.Lemma && appcode.OneApp(subject, reference, t.own)
	t.bounds.MaxPairs = s.maxPairs(subject, reference)
	t.bounds.Progress = func(done, total int64) { s.progress("matching", done, total) }
	best, err := t.choose(ctx)
	if errors.Is(err, eflask.ErrTooLarge) {
		err = s.explainMatching(ctx, subject, reference, err)
	}
	if err == nil && s.options.Coverage {
		err = t.rest(ctx)
	}
	if err != nil {
		return err
	}
	if t.oneApp {
		r.Shifts = t.pairer.Shifts(best.counterparts, t.own)
	}
	t.pairer = nil // the next steps need the memory
	r.Matching = best.matching
	r.Tasks = eflask.Tasks(subject, reference, best.counterparts)
	if t.oneApp {
		r.Tasks = eflask.Shifted(subject, reference, r.Tasks, r.Shifts, eflask.BothCount(subject, reference))
	}
	if r.pairs = withRoots(r.Matching.Pairs); !t.bounds.Lemma {
		r.pairs = believed(subject, reference, r.Matching, r.Tasks)
	}
	r.Coverage = t.covered
	r.Warnings = append(r.Warnings, t.warnings...)
	return nil
}

// try matches the two trees at one α.
func (t *trials) try(ctx context.Context, alpha int) (*trial, error) {
	m, err := eflask.Match(ctx, t.subject, t.reference, alpha, t.bounds)
	if err != nil {
		return nil, err
	}
	made := &trial{matching: m, counterparts: t.pairer.Counterparts(m, t.bounds.Lemma)}
	if t.oneApp {
		made.counterparts = t.pairer.Moves(made.counterparts, t.own)
	}
	made.coverage = eflask.Cover(t.subject, alpha, made.counterparts)
	t.covered = append(t.covered, made.coverage)
	return made, nil
}

// choose matches at the requested α, or at each α up to the one that a rule selects.
func (t *trials) choose(ctx context.Context) (*trial, error) {
	if t.options.Alpha >= 0 {
		return t.try(ctx, t.options.Alpha)
	}
	var best *trial
	for alpha := range MaxAutoAlpha + 1 {
		next, err := t.try(ctx, alpha)
		switch {
		case errors.Is(err, eflask.ErrTooLarge) && best != nil:
			t.warnings = append(t.warnings, trace.Warning{Code: "alpha-bounded", Message: fmt.Sprintf(
				"α = %d is the largest that fits into --max-memory %s; a larger one might match more", alpha-1, humanize.IBytes(uint64(t.options.MaxMemory)))})
			return best, nil
		case err != nil:
			return nil, err
		case t.options.Alpha == PaperAlpha:
			if best = next; t.paperShare(next) >= paperAlphaShare {
				return best, nil
			}
		case best != nil && float64(next.coverage.Matched-best.coverage.Matched) < autoAlphaGain*float64(t.fewest):
			return best, nil
		default:
			if best = next; t.saturated(best) {
				return best, nil
			}
		}
	}
	return best, nil
}

// countTasks counts the tasks of a tree.
func countTasks(t *preprocess.Tree) int {
	n := 0
	for v := int32(1); int(v) < len(t.Nodes); v++ {
		if eflask.IsTask(t, v) {
			n++
		}
	}
	return n
}

// paperShare returns the share of the tasks that the matching pairs directly.
func (t *trials) paperShare(tried *trial) float64 {
	return eflask.Cover(t.subject, tried.matching.Alpha, t.pairer.Counterparts(tried.matching, true)).Share()
}

// saturated reports whether so few tasks are unmatched that a larger α cannot gain enough.
func (t *trials) saturated(tried *trial) bool {
	left := t.fewest - tried.coverage.Matched
	return float64(left) < autoAlphaGain*float64(t.fewest) || left <= 0
}

// maxCoveragePairs is the largest number of candidate pairs of a matching that is computed only for
// its coverage. Recorded traces have far fewer pairs at every α. Without the limit, this secondary
// figure could take ten times as long as the comparison for two traces of ten million calls.
const maxCoveragePairs = 1 << 20

// rest matches at each remaining α up to MaxAutoAlpha. It stops at the first α that exceeds memory
// or maxCoveragePairs, because a larger α has more candidate pairs.
func (t *trials) rest(ctx context.Context) error {
	t.bounds.MaxPairs = min(t.bounds.MaxPairs, maxCoveragePairs)
	for alpha := range MaxAutoAlpha + 1 {
		if slices.ContainsFunc(t.covered, func(c eflask.Coverage) bool { return c.Alpha == alpha }) {
			continue
		}
		if _, err := t.try(ctx, alpha); errors.Is(err, eflask.ErrTooLarge) {
			break
		} else if err != nil {
			return err
		}
	}
	slices.SortFunc(t.covered, func(a, b eflask.Coverage) int { return cmp.Compare(a.Alpha, b.Alpha) })
	return nil
}

// maxPairs returns the number of candidate pairs that fit into the memory next to the trees.
func (s *setup) maxPairs(trees ...*preprocess.Tree) int64 {
	left := s.options.MaxMemory
	for _, t := range trees {
		left -= bytesSource*int64(len(t.Source.Nodes)) + bytesNode*int64(len(t.Nodes))
	}
	return max(left/bytesPair, 1)
}

// explainMatching adds the largest α that would fit to the error of a matching that is too large.
func (s *setup) explainMatching(ctx context.Context, subject, reference *preprocess.Tree, err error) error {
	if !errors.Is(err, eflask.ErrTooLarge) {
		return err
	}
	o := s.options.Matching
	o.MaxPairs, o.Progress = s.maxPairs(subject, reference), nil
	limit := humanize.IBytes(uint64(s.options.MaxMemory))
	for alpha := s.options.Alpha - 1; alpha >= 0; alpha-- {
		_, e := eflask.Match(ctx, subject, reference, alpha, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e == nil {
			return fmt.Errorf("matching: %w, which exceeds --max-memory %s; --alpha %d fits", err, limit, alpha)
		}
	}
	return fmt.Errorf("matching: %w, which exceeds --max-memory %s; raise --max-memory, or merge more of the app with --app-package", err, limit)
}
