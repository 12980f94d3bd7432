// Package runner carries out one comparison at a time, in the background.
//
// A newer comparison takes the place of the one that runs: it cancels that one, and
// computes nothing before that one has stopped, since two need the memory of both. The result of a
// comparison is shown unless a newer one began, or all were cleared.
//
// A [Runner] is safe for concurrent use. Its comparisons end with its context.
package runner

import (
	"context"
	"errors"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
)

// ErrReplaced ends a comparison whose place a newer one took.
var ErrReplaced = errors.New("a newer comparison took this one's place")

// A Runner carries out comparisons.
type Runner struct {
	ctx context.Context
	// show shows a result, or none.
	show func(*finding.Set)
	// turn holds a token while a comparison is carried out.
	turn chan struct{}

	// mu guards what follows. It is held while a result is shown, so that results are
	// shown in the order of their comparisons.
	mu sync.Mutex
	// current is the comparison begun last, nil before the first and after Clear.
	current *Run
	// begun counts comparisons; options are those of the last one, nil before the
	// first.
	begun   int
	options *analysis.Options
}

// New returns a runner whose comparisons end with ctx. It calls show with the result
// of each comparison that is to be shown, and with nil when there is none any more.
// show must not call the runner.
func New(ctx context.Context, show func(*finding.Set)) *Runner {
	return &Runner{ctx: ctx, show: show, turn: make(chan struct{}, 1)}
}

// Begin begins a comparison in the place of any that runs. The caller carries it out
// with [Run.Do].
func (r *Runner) Begin(o analysis.Options) *Run {
	run := &Run{runner: r, done: make(chan struct{})}
	run.ctx, run.cancel = context.WithCancelCause(r.ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.cancel(ErrReplaced)
	}
	r.current, r.options = run, &o
	r.begun++
	run.Number = r.begun
	return run
}

// Compared returns the options of the comparison begun last; false before the first.
func (r *Runner) Compared() (analysis.Options, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options == nil {
		return analysis.Options{}, false
	}
	return *r.options, true
}

// Cancel cancels the comparison that runs, if one does.
func (r *Runner) Cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Cancel()
	}
}

// Clear cancels the comparison that runs, and shows none.
func (r *Runner) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Cancel()
	}
	r.current = nil
	r.show(nil)
}

// finish shows a result, unless the comparison is no longer the current one.
func (r *Runner) finish(run *Run, set *finding.Set) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != run {
		return ErrReplaced
	}
	r.show(set)
	return nil
}

// A Run is a comparison that runs or ran. Its methods are safe for concurrent use.
type Run struct {
	// Number counts the comparisons of a runner, from 1.
	Number int

	runner *Runner
	ctx    context.Context
	cancel context.CancelCauseFunc
	// done is closed at the end. Then err says how the comparison ended, and set is
	// what it found.
	done chan struct{}
	set  *finding.Set
	err  error
}

// Context ends when the comparison ends or is cancelled.
func (run *Run) Context() context.Context { return run.ctx }

// Cancel cancels the comparison.
func (run *Run) Cancel() { run.cancel(context.Canceled) }

// Do carries the comparison out: it waits until no other is carried out, calls compare
// and shows the result. It is called once. ended is told the result before [Run.Wait]
// returns it: ErrReplaced or context.Canceled is the error of a comparison that did
// not end by itself.
func (run *Run) Do(compare func(context.Context) (*finding.Set, error), ended func(*finding.Set, error)) {
	defer close(run.done)
	defer run.cancel(nil)
	set, err := run.compare(compare)
	if cause := context.Cause(run.ctx); cause != nil {
		err = cause
	}
	if err == nil {
		err = run.runner.finish(run, set)
	}
	if err == nil {
		run.set = set
	}
	run.err = err
	ended(run.set, err)
}

func (run *Run) compare(compare func(context.Context) (*finding.Set, error)) (*finding.Set, error) {
	select {
	case run.runner.turn <- struct{}{}:
		defer func() { <-run.runner.turn }()
		return compare(run.ctx)
	case <-run.ctx.Done():
		return nil, run.ctx.Err()
	}
}

// Wait waits for the end of the comparison and returns what it found. The end of ctx
// cancels the comparison.
func (run *Run) Wait(ctx context.Context) (*finding.Set, error) {
	select {
	case <-run.done:
		return run.set, run.err
	case <-ctx.Done():
		run.Cancel()
		return nil, ctx.Err()
	}
}
