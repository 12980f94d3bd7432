package client

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// Work is work in progress as the client shows it. Sending is slow where the client
// reads slowly, so it happens beside the work.
type Work struct {
	mu      sync.Mutex
	message string
	percent int
	final   string
	// changed holds a token where there is news; over is closed at the end.
	changed chan struct{}
	over    chan struct{}
	once    sync.Once
}

// NoWork returns work that nobody sees.
func NoWork() *Work { return &Work{changed: make(chan struct{}, 1), over: make(chan struct{})} }

// Show shows work under a token until [Work.End] or the end of ctx, if the client
// can. It calls cancel when the user cancels the work. background runs what sends.
func (c *Client) Show(ctx context.Context, token, title string, cancel func(), background func(func())) *Work {
	w := NoWork()
	if !c.can.Window.WorkDoneProgress {
		return w
	}
	c.mu.Lock()
	c.work[token] = cancel
	c.mu.Unlock()
	background(func() {
		defer func() {
			c.mu.Lock()
			delete(c.work, token)
			c.mu.Unlock()
		}()
		if err := c.Call(ctx, protocol.MethodWorkDoneProgressCreate, &lsp.ProgressCreateParams{Token: token}, nil); err != nil {
			return // cancelled, or the client would rather not
		}
		send := func(p lsp.Progress) {
			c.Notify(protocol.MethodProgress, &lsp.ProgressParams{Token: token, Value: p})
		}
		send(lsp.Progress{Kind: "begin", Title: title, Cancellable: true, Percentage: new(int)})
		send(lsp.Progress{Kind: "end", Message: w.follow(ctx, send)})
	})
	return w
}

// CancelWork cancels the work that is shown under a token, if any is.
func (c *Client) CancelWork(token string) {
	c.mu.Lock()
	cancel := c.work[token]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// follow sends reports until the work is over, and returns how it ended.
func (w *Work) follow(ctx context.Context, send func(lsp.Progress)) string {
	said, at := "", -1
	for {
		select {
		case <-ctx.Done():
			select {
			case <-w.over:
				return w.final
			default:
				return "cancelled"
			}
		case <-w.over:
			return w.final
		case <-w.changed:
			w.mu.Lock()
			message, percent := w.message, w.percent
			w.mu.Unlock()
			if message == said && percent == at {
				continue
			}
			said, at = message, percent
			send(lsp.Progress{Kind: "report", Cancellable: true, Message: message, Percentage: &percent})
		}
	}
}

// Report says how far the work is. It is cheap, and it sends a message only where
// there is news. A percentage that was reported never falls.
func (w *Work) Report(message string, percent int) {
	w.mu.Lock()
	percent = max(percent, w.percent)
	news := percent != w.percent || message != w.message
	w.percent, w.message = percent, message
	w.mu.Unlock()
	if news {
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}

// End says how the work ended; only the first call counts.
func (w *Work) End(message string) {
	w.once.Do(func() {
		w.final = message
		close(w.over)
	})
}
