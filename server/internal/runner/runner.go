// Package runner runs one comparison at a time, in the background.
//
// A newer comparison replaces the running comparison: it cancels that comparison and waits for its
// end, because two comparisons would need twice the memory. The result of a comparison is shown
// unless a newer comparison began or Clear was called.
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

// ErrReplaced is the error of a comparison that a newer one replaced.
var ErrReplaced = errors.New("replaced by a newer comparison")

// A Runner runs comparisons.
type Runner struct {
	ctx context.Context
	// show shows a result. nil means no result.
	show func(*finding.Set)
	// turn holds a token while a comparison runs.
	turn chan struct{}

	// mu guards the fields below. It is held during show, so results are shown in order.
	mu sync.Mutex
	// current is the latest comparison, nil before the first and after Clear.
	current *Run
	// begun counts comparisons. options are the options of the latest one, nil before the
	// first.
	begun   int
	options *analysis.Options
}

// New returns a runner whose comparisons end with ctx. It calls show with each result to
// show, and with nil after Clear. show must not call the runner.
func New(ctx context.Context, show func(*finding.Set)) *Runner {
	return &Runner{ctx: ctx, show: show, turn: make(chan struct{}, 1)}
}

// Begin registers a comparison, which replaces any running one. The caller runs it with
// [Run.Do].
func (r *Runner) Begin(o analysis.Options) *Run {
	run := &Run{runner: r, done: make(chan struct{}), stopAfter: func() {}}
	run.ctx, run.cancel = context.WithCancelCause(r.ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.cancel(ErrReplaced)
		r.current.stopAfter()
	}
	r.current, r.options = run, &o
	r.begun++
	run.Number = r.begun
	return run
}

// Compared returns the options of the latest comparison; false before the first.
func (r *Runner) Compared() (analysis.Options, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options == nil {
		return analysis.Options{}, false
	}
	return *r.options, true
}

// Running returns the comparison that runs, nil if none does.
func (r *Runner) Running() *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return nil
	}
	select {
	case <-r.current.done:
		return nil
	default:
		return r.current
	}
}

// Cancel cancels the running comparison, if any.
func (r *Runner) Cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Cancel()
	}
}

// Clear cancels the running comparison, and calls show with nil.
func (r *Runner) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		r.current.Cancel()
		r.current.stopAfter()
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

// A Run is a comparison. Its methods are safe for concurrent use.
type Run struct {
	// Number is the number of the comparison, from 1.
	Number int

	runner *Runner
	ctx    context.Context
	cancel context.CancelCauseFunc
	// done is closed at the end. Then set has the findings, or err the error.
	done chan struct{}
	set  *finding.Set
	err  error
	// stopAfter cancels the work of After. The runner's lock guards it.
	stopAfter context.CancelFunc
}

// Context ends when the comparison ends or is cancelled.
func (run *Run) Context() context.Context { return run.ctx }

// Cancel cancels the comparison.
func (run *Run) Cancel() { run.cancel(context.Canceled) }

// Do runs the comparison and shows its result. It must be called once. It waits until no other
// comparison runs. It passes the result to ended before [Run.Wait] returns. If the comparison was
// interrupted, the error is ErrReplaced or context.Canceled.
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

// After runs more work on the shown result, once no comparison runs. A newer comparison or
// [Runner.Clear] cancels the work. If one came first, After does nothing.
func (run *Run) After(work func(context.Context)) {
	r := run.runner
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	r.mu.Lock()
	current := r.current == run
	run.stopAfter = cancel
	r.mu.Unlock()
	if !current {
		return
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
		work(ctx)
	case <-ctx.Done():
	}
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

// Wait waits for the end of the comparison and returns its findings. The end of ctx cancels
// the comparison.
func (run *Run) Wait(ctx context.Context) (*finding.Set, error) {
	select {
	case <-run.done:
		return run.set, run.err
	case <-ctx.Done():
		run.Cancel()
		return nil, ctx.Err()
	}
}

// Join waits for the end of the comparison and returns its findings. Unlike [Run.Wait], it does not
// cancel the comparison if ctx ends.
func (run *Run) Join(ctx context.Context) (*finding.Set, error) {
	select {
	case <-run.done:
		return run.set, run.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
