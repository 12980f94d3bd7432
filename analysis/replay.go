package analysis

import (
	"context"
	"errors"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/name"
)

// A Replay is a recording that plays its calls in the order of time. The caller must close it.
type Replay struct {
	// Input describes the recording. It has no tree and no energy.
	Input *Input
	// Moments is true if the recording has the times of its calls. It is false for the mean of
	// several runs and for a stored run, which also have no Input.
	Moments bool
	setup   *setup
	opened  opened
	replay  *cct.Replay
}

// OpenReplay opens Options.Subject and scans it once. If there is a mapping file, methods have its
// source names.
func OpenReplay(ctx context.Context, o Options) (*Replay, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	if o.APICosts != "" {
		return nil, errors.New("API costs belong to calls and not to moments, so a timeline cannot show them: leave out --api-costs")
	}
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &Replay{setup: s}
	subject := s.options.sides()[0]
	if len(subject.paths) > 1 || NamesStored(subject.paths[0]) {
		return r, nil
	}
	s.done, s.total = make([]int64, 1), make([]int64, 1)
	names := func() (*mapping.Map, error) { return s.readMapping(ctx, 0, subject.Mapping) }
	if r.opened, err = s.openRun(ctx, 0, subject.paths[0], subject, names); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if r.replay, err = cct.NewReplay(ctx, r.opened.metered, s.treeLimits(1)); err != nil {
		return nil, errors.Join(s.explainTree(err), r.Close())
	}
	tr := *r.replay.Trace
	var by func(name.Method) name.Method
	r.Input, by = s.input(&r.opened, &tr, nil)
	if by != nil {
		tr.Methods = make([]name.Method, len(r.replay.Trace.Methods))
		for i, m := range r.replay.Trace.Methods {
			tr.Methods[i] = by(m)
		}
	}
	r.Moments = r.replay.HasTimes
	return r, nil
}

// Play plays the calls to a player.
func (r *Replay) Play(ctx context.Context, to cct.Player) error {
	return r.setup.explainTree(r.replay.Play(ctx, to))
}

// Close closes the recording's files.
func (r *Replay) Close() error { return r.opened.close() }
