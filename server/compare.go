package server

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// errReplaced ends a comparison that a newer one took the place of.
var errReplaced = errors.New("a newer comparison took this one's place")

// A comparison is one that runs, or ran, in the background.
type comparison struct {
	cancel context.CancelCauseFunc
	// done is closed at its end; then err says how it ended.
	done chan struct{}
	err  error
	set  *finding.Set
}

// compare compares in the background, in the place of any comparison that runs.
func (s *session) compare(o analysis.Options) *comparison {
	ctx, cancel := context.WithCancelCause(s.ctx)
	c := &comparison{cancel: cancel, done: make(chan struct{})}
	s.mu.Lock()
	before := s.comparing
	s.comparing = c
	s.comparisons++
	token := fmt.Sprintf("diffprof/compare/%d", s.comparisons)
	s.mu.Unlock()
	if before != nil {
		before.cancel(errReplaced)
	}
	s.scanSources()
	shown := s.showProgress(ctx, token, func() { cancel(context.Canceled) })
	o.Progress = shown.stage
	s.background.Go(func() {
		defer cancel(nil)
		defer close(c.done)
		c.set, c.err = s.runComparison(ctx, before, o)
		if cause := context.Cause(ctx); cause != nil {
			c.set, c.err = nil, cause
		}
		if c.err == nil {
			shown.stage("placing", 1, 1)
			c.err = s.take(c)
		}
		shown.end(outcome(c))
		s.report(c)
	})
	return c
}

// runComparison waits for the comparison before, which must not take memory
// beside this one, and for the sources, and compares.
func (s *session) runComparison(ctx context.Context, before *comparison, o analysis.Options) (set *finding.Set, err error) {
	defer s.recovers("comparing", &err)
	if before != nil {
		select {
		case <-before.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := s.awaitSources(ctx); err != nil {
		return nil, err
	}
	o.Classes = s.sourceClasses()
	r, err := s.o.compare(ctx, o)
	if err != nil {
		return nil, err
	}
	return finding.New(ctx, r)
}

// take makes a comparison's result the one that is shown, unless a newer
// comparison began.
func (s *session) take(c *comparison) (err error) {
	defer s.recovers("showing the comparison", &err)
	s.mu.Lock()
	if s.comparing != c {
		s.mu.Unlock()
		return errReplaced
	}
	s.set = c.set
	s.mu.Unlock()
	s.placeAll()
	return nil
}

// outcome says in a few words how a comparison ended.
func outcome(c *comparison) string {
	switch {
	case c.err == nil:
		sum := c.set.Result.Summary
		return fmt.Sprintf("%d tasks, %d unmatched", sum.Tasks, sum.Unmatched)
	case errors.Is(c.err, errReplaced), errors.Is(c.err, context.Canceled):
		return "cancelled"
	default:
		return "failed"
	}
}

// A didCompareParams is what the client is told at the end of a comparison.
type didCompareParams struct {
	// Error is empty after success; the rest is then absent.
	Error     string  `json:"error,omitempty"`
	Subject   string  `json:"subject,omitempty"`
	Reference string  `json:"reference,omitempty"`
	Alpha     int     `json:"alpha"`
	Tasks     int     `json:"tasks"`
	Unmatched int     `json:"unmatched"`
	EnergyNJ  int64   `json:"energyNJ"`
	SavingNJ  int64   `json:"savingNJ"`
	Outside   float64 `json:"outsideShare"`
}

// report tells the client how a comparison ended, if it ended by itself.
func (s *session) report(c *comparison) {
	switch {
	case c.err == nil:
		s.notify(lsp.MethodDidCompare, s.summary(c.set))
	case errors.Is(c.err, errReplaced), errors.Is(c.err, context.Canceled):
	default:
		s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{
			Type: protocol.MessageTypeError, Message: "Comparing failed: " + c.err.Error(),
		})
		s.notify(lsp.MethodDidCompare, &didCompareParams{Error: c.err.Error()})
	}
}

// summary sums a comparison up by the settings as they are now.
func (s *session) summary(set *finding.Set) *didCompareParams {
	s.mu.Lock()
	prefs := s.config.prefs
	s.mu.Unlock()
	return summarize(set, hidden(set, prefs, nil))
}

// summarize sums a comparison up; hidden are the tasks that the settings ignore.
func summarize(set *finding.Set, hidden map[int]bool) *didCompareParams {
	r := set.Result
	return &didCompareParams{
		Subject: r.Subject.Path, Reference: r.Reference.Path, Alpha: r.Matching.Alpha,
		Tasks: r.Summary.Tasks, Unmatched: r.Summary.Unmatched, EnergyNJ: int64(r.Subject.Energy),
		SavingNJ: int64(finding.Savable(r, hidden)), Outside: set.Share(r.Summary.OutsideEnergy),
	}
}

// wait waits for a comparison; the end of ctx cancels it.
func (c *comparison) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		c.cancel(context.Canceled)
		return ctx.Err()
	}
}

// stopWork cancels what runs in the background for results.
func (s *session) stopWork() {
	s.mu.Lock()
	c := s.comparing
	s.mu.Unlock()
	if c != nil {
		c.cancel(context.Canceled)
	}
}
