package server

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// The stages of a comparison, with the percentages at which each begins and ends.
// Matching several α in turn, as the dynamic one does, begins again: a percentage
// that was shown never falls.
var stages = map[string]struct {
	title       string
	first, last int
}{
	"indexing": {"reading sources", 0, 100},
	"reading":  {"reading traces", 0, 60},
	"matching": {"matching tasks", 60, 95},
	"placing":  {"finding tasks in the sources", 95, 100},
}

// A shownProgress is work in progress as the client shows it. What is slow, the
// client's reading, happens beside the work.
type shownProgress struct {
	mu      sync.Mutex
	message string
	percent int
	final   string
	// changed holds one token where there is news; over is closed at the end.
	changed chan struct{}
	over    chan struct{}
	once    sync.Once
}

// showProgress shows work until its end is called or ctx ends, if the client can.
// cancel is called when the user cancels the work.
func (s *session) showProgress(ctx context.Context, token string, cancel func()) *shownProgress {
	return s.show(ctx, token, "diffprof: comparing", cancel)
}

func (s *session) show(ctx context.Context, token, title string, cancel func()) *shownProgress {
	p := &shownProgress{changed: make(chan struct{}, 1), over: make(chan struct{})}
	if !s.client.Window.WorkDoneProgress {
		return p
	}
	s.mu.Lock()
	s.cancels[token] = cancel
	s.mu.Unlock()
	s.background.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.cancels, token)
			s.mu.Unlock()
		}()
		if err := s.call(ctx, protocol.MethodWorkDoneProgressCreate, &lsp.ProgressCreateParams{Token: token}, nil); err != nil {
			return // cancelled, or the client would rather not
		}
		s.notify(protocol.MethodProgress, &lsp.ProgressParams{Token: token, Value: lsp.Progress{
			Kind: "begin", Title: title, Cancellable: true, Percentage: new(int),
		}})
		s.notify(protocol.MethodProgress, &lsp.ProgressParams{Token: token, Value: p.follow(ctx, s, token)})
	})
	return p
}

// follow sends reports until the work is over, and returns the end.
func (p *shownProgress) follow(ctx context.Context, s *session, token string) lsp.Progress {
	said, at := "", -1
	for {
		select {
		case <-ctx.Done():
			select {
			case <-p.over:
				return lsp.Progress{Kind: "end", Message: p.final}
			default:
				return lsp.Progress{Kind: "end", Message: "cancelled"}
			}
		case <-p.over:
			return lsp.Progress{Kind: "end", Message: p.final}
		case <-p.changed:
			p.mu.Lock()
			message, percent := p.message, p.percent
			p.mu.Unlock()
			if message == said && percent == at {
				continue
			}
			said, at = message, percent
			s.notify(protocol.MethodProgress, &lsp.ProgressParams{Token: token, Value: lsp.Progress{
				Kind: "report", Cancellable: true, Message: message, Percentage: &percent,
			}})
		}
	}
}

// stage says how far a stage is; total is 0 where that is not known. It is cheap,
// and sends a message at most for each percent.
func (p *shownProgress) stage(name string, done, total int64) {
	st := stages[name]
	p.mu.Lock()
	percent := st.first
	if total > 0 {
		percent += int(float64(st.last-st.first) * min(float64(done)/float64(total), 1))
	}
	percent = max(percent, p.percent)
	news := percent != p.percent || st.title != p.message
	p.percent, p.message = percent, st.title
	p.mu.Unlock()
	if news {
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}
}

// end says how the work ended.
func (p *shownProgress) end(message string) {
	p.once.Do(func() {
		p.final = message
		close(p.over)
	})
}

// workDoneProgressCancel cancels work at the user's wish.
func (s *session) workDoneProgressCancel(_ context.Context, p *lsp.ProgressCancelParams) error {
	token, ok := p.Token.(string)
	if !ok {
		return errIgnore
	}
	s.mu.Lock()
	cancel := s.cancels[token]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	return nil
}
