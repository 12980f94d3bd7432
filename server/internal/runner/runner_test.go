package runner

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
)

// do runs a comparison in the background. The channel ended receives its error.
func do(run *Run, compare func(context.Context) (*finding.Set, error)) (ended chan error) {
	ended = make(chan error, 1)
	go run.Do(compare, func(_ *finding.Set, err error) { ended <- err })
	return ended
}

func found(set *finding.Set) func(context.Context) (*finding.Set, error) {
	return func(context.Context) (*finding.Set, error) { return set, nil }
}

func TestResultIsShown(t *testing.T) {
	var shown []*finding.Set
	r := New(t.Context(), func(set *finding.Set) { shown = append(shown, set) })
	if _, ok := r.Compared(); ok {
		t.Error("something was compared before the first comparison")
	}
	set := &finding.Set{}
	o := analysis.Options{Subject: analysis.Side{Path: "subject"}}
	run := r.Begin(o)
	if err := <-do(run, found(set)); err != nil {
		t.Error(err)
	}
	if got, err := run.Wait(t.Context()); got != set || err != nil || len(shown) != 1 || shown[0] != set {
		t.Errorf("Wait returned %p, %v, shown were %p; want %p", got, err, shown, set)
	}
	if last, ok := r.Compared(); !ok || last.Subject.Path != o.Subject.Path || run.Number != 1 {
		t.Errorf("comparison %d was of %+v", run.Number, last)
	}
}

// TestFailureShowsNothing checks that the previous result stays after a failure.
func TestFailureShowsNothing(t *testing.T) {
	r := New(t.Context(), func(*finding.Set) { t.Error("a failure was shown") })
	want := errors.New("a test")
	run := r.Begin(analysis.Options{})
	do(run, func(context.Context) (*finding.Set, error) { return nil, want })
	if set, err := run.Wait(t.Context()); set != nil || err != want {
		t.Errorf("Wait returned %p, %v", set, err)
	}
}

// TestOneAtATime checks that a comparison begins only after all earlier ones have stopped, even if
// an earlier one stops slowly and was already replaced twice.
func TestOneAtATime(t *testing.T) {
	r := New(t.Context(), func(*finding.Set) {})
	begun, stop := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	stopped := false
	first := r.Begin(analysis.Options{})
	firstEnded := do(first, func(context.Context) (*finding.Set, error) {
		close(begun)
		<-stop
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		return &finding.Set{}, nil
	})
	<-begun
	second := r.Begin(analysis.Options{})
	secondEnded := do(second, func(context.Context) (*finding.Set, error) {
		t.Error("a comparison that was replaced began")
		return nil, nil
	})
	third := r.Begin(analysis.Options{})
	if err := <-secondEnded; err != ErrReplaced {
		t.Errorf("the second comparison: %v", err)
	}
	thirdEnded := do(third, func(context.Context) (*finding.Set, error) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			t.Error("the third comparison began beside the first")
		}
		return &finding.Set{}, nil
	})
	close(stop)
	if err := <-firstEnded; err != ErrReplaced {
		t.Errorf("the first comparison: %v", err)
	}
	if err := <-thirdEnded; err != nil {
		t.Errorf("the third comparison: %v", err)
	}
}

// TestOnlyTheNewestIsShown ends any number of comparisons in any order. Only the newest result may
// be shown.
func TestOnlyTheNewestIsShown(t *testing.T) {
	var shown []*finding.Set
	r := New(t.Context(), func(set *finding.Set) { shown = append(shown, set) })
	const n = 50
	gate := make(chan struct{})
	sets := make([]*finding.Set, n)
	var ended []chan error
	for i := range sets {
		sets[i] = &finding.Set{}
		ended = append(ended, do(r.Begin(analysis.Options{}), func(context.Context) (*finding.Set, error) {
			<-gate
			return sets[i], nil
		}))
	}
	close(gate)
	for i, c := range ended {
		want := error(ErrReplaced)
		if i == n-1 {
			want = nil
		}
		if err := <-c; err != want {
			t.Errorf("comparison %d: %v, want %v", i, err, want)
		}
	}
	if len(shown) != 1 || shown[0] != sets[n-1] {
		t.Errorf("%d results were shown", len(shown))
	}
}

// TestClear checks that a result after Clear is not shown.
func TestClear(t *testing.T) {
	var shown []*finding.Set
	r := New(t.Context(), func(set *finding.Set) { shown = append(shown, set) })
	begun, stop := make(chan struct{}), make(chan struct{})
	ended := do(r.Begin(analysis.Options{}), func(context.Context) (*finding.Set, error) {
		close(begun)
		<-stop
		return &finding.Set{}, nil
	})
	<-begun
	r.Clear()
	close(stop)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a comparison that was cleared: %v", err)
	}
	if len(shown) != 1 || shown[0] != nil {
		t.Errorf("shown were %p, want none", shown)
	}
}

// TestCancel cancels comparisons in three ways: by the waiting caller, by the runner, and by the
// end of the runner's context.
func TestCancel(t *testing.T) {
	for name, cancel := range map[string]func(r *Runner, run *Run, stop func()){
		"the runner":  func(r *Runner, _ *Run, _ func()) { r.Cancel() },
		"the context": func(_ *Runner, _ *Run, stop func()) { stop() },
		"the waiter": func(_ *Runner, run *Run, _ func()) {
			ctx, end := context.WithCancel(t.Context())
			end()
			if _, err := run.Wait(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Wait: %v", err)
			}
		},
	} {
		ctx, stop := context.WithCancel(t.Context())
		r := New(ctx, func(*finding.Set) { t.Errorf("%s: a result was shown", name) })
		begun := make(chan struct{})
		run := r.Begin(analysis.Options{})
		ended := do(run, func(ctx context.Context) (*finding.Set, error) {
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		<-begun
		cancel(r, run, stop)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		stop()
	}
}

// TestAfter does more work after a comparison. A newer comparison and Clear end it, and it does not begin
// for a comparison that a newer one has replaced.
func TestAfter(t *testing.T) {
	for name, interrupt := range map[string]func(*Runner){
		"replaced": func(r *Runner) { r.Begin(analysis.Options{}) },
		"cleared":  (*Runner).Clear,
	} {
		r := New(t.Context(), func(*finding.Set) {})
		run := r.Begin(analysis.Options{})
		if err := <-do(run, found(&finding.Set{})); err != nil {
			t.Fatal(err)
		}
		begun, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			run.After(func(ctx context.Context) {
				close(begun)
				<-ctx.Done()
			})
		}()
		<-begun
		interrupt(r)
		<-ended
		run.After(func(context.Context) { t.Errorf("%s: work began afterwards", name) })
		// The next comparison may run.
		if err := <-do(r.Begin(analysis.Options{}), found(&finding.Set{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
