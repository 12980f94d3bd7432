package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// What a node of a tree and of its preprocessed form take while a matching is
// sought, and what a candidate pair takes with what growing slices hold twice:
// estimates from the sizes of what is held, rounded up.
const (
	bytesSource = 120
	bytesNode   = 240
	bytesPair   = 24
)

// treeLimits shares the memory between the inputs that are read at a time.
func (s *setup) treeLimits(sides int) cct.Limits {
	return cct.Limits{Bytes: s.options.MaxMemory / int64(sides)}
}

// explainTree says what to do about a tree that is too large.
func (s *setup) explainTree(err error) error {
	if !errors.Is(err, cct.ErrTooLarge) {
		return err
	}
	return fmt.Errorf("%w, which passes its share of --max-memory %s; raise that, or record a shorter part of the run",
		err, humanize.IBytes(uint64(s.options.MaxMemory)))
}

// match finds the matching at the α asked for, or at the dynamic one.
func (s *setup) match(ctx context.Context, subject, reference *preprocess.Tree) (*eflask.Matching, error) {
	o := eflask.Options{
		Threads:  s.options.Threads,
		MaxPairs: s.maxPairs(subject, reference),
		Progress: func(done, total int64) { s.progress("matching", done, total) },
	}
	if s.options.Alpha != AutoAlpha {
		m, err := eflask.Match(ctx, subject, reference, s.options.Alpha, o)
		if errors.Is(err, eflask.ErrTooLarge) {
			return nil, s.explainMatching(ctx, subject, reference, err)
		}
		return m, err
	}
	var best *eflask.Matching
	for alpha := range maxAutoAlpha + 1 {
		m, err := eflask.Match(ctx, subject, reference, alpha, o)
		if errors.Is(err, eflask.ErrTooLarge) && best != nil {
			s.warnings = append(s.warnings, trace.Warning{Code: "alpha-bounded", Message: fmt.Sprintf(
				"α = %d is the largest that fits into --max-memory %s; fewer than a fifth of the tasks match at it", best.Alpha, humanize.IBytes(uint64(s.options.MaxMemory)))})
			return best, nil
		}
		if err != nil {
			return nil, s.explainMatching(ctx, subject, reference, err)
		}
		if best = m; eflask.MatchedShare(subject, reference, m) >= autoAlphaShare {
			break
		}
	}
	return best, nil
}

// maxPairs is how many candidate pairs fit into what the trees leave.
func (s *setup) maxPairs(trees ...*preprocess.Tree) int64 {
	if s.options.MaxMemory == 0 {
		return 0
	}
	left := s.options.MaxMemory
	for _, t := range trees {
		left -= bytesSource*int64(len(t.Source.Nodes)) + bytesNode*int64(len(t.Nodes))
	}
	return max(left/bytesPair, 1)
}

// explainMatching says which α would fit in place of one that is too large.
func (s *setup) explainMatching(ctx context.Context, subject, reference *preprocess.Tree, err error) error {
	if !errors.Is(err, eflask.ErrTooLarge) {
		return err
	}
	o := eflask.Options{Threads: s.options.Threads, MaxPairs: s.maxPairs(subject, reference)}
	limit := humanize.IBytes(uint64(s.options.MaxMemory))
	for alpha := s.options.Alpha - 1; alpha >= 0; alpha-- {
		_, e := eflask.Match(ctx, subject, reference, alpha, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e == nil {
			return fmt.Errorf("matching: %w, which passes --max-memory %s; --alpha %d fits", err, limit, alpha)
		}
	}
	return fmt.Errorf("matching: %w, which passes --max-memory %s; raise that, or merge more of the app with --app-package", err, limit)
}
