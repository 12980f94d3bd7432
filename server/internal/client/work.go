package client

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// Work is a progress bar in the client. A separate goroutine sends its updates, because a client
// may be slow.
type Work struct {
	mu      sync.Mutex
	message string
	percent int
	final   string
	// changed holds a token if there is something new to report. over is closed when the work ends.
	changed chan struct{}
	over    chan struct{}
	once    sync.Once
}

// NoWork returns a Work that is not shown.
func NoWork() *Work { return &Work{changed: make(chan struct{}, 1), over: make(chan struct{})} }

// Show shows work under a token until [Work.End] or the end of ctx, if the client supports it.
// It calls cancel when the user cancels the work. background runs the sender.
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
			return // The work was cancelled, or the client refused it.
		}
		send := func(p lsp.Progress) {
			c.Notify(protocol.MethodProgress, &lsp.ProgressParams{Token: token, Value: p})
		}
		send(lsp.Progress{Kind: "begin", Title: title, Cancellable: true, Percentage: new(int)})
		send(lsp.Progress{Kind: "end", Message: w.follow(ctx, send)})
	})
	return w
}

// CancelWork cancels the work shown under a token, if any.
func (c *Client) CancelWork(token string) {
	c.mu.Lock()
	cancel := c.work[token]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// follow sends progress until the work ends. It returns the last message to show.
func (w *Work) follow(ctx context.Context, send func(lsp.Progress)) string {
	last, at := "", -1
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
			if message == last && percent == at {
				continue
			}
			last, at = message, percent
			send(lsp.Progress{Kind: "report", Cancellable: true, Message: message, Percentage: &percent})
		}
	}
}

// Report sets the progress of the work. It is cheap, and sends a message only if the progress has
// changed. The shown percentage never falls.
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

// End ends the work with a message. Only the first call has an effect.
func (w *Work) End(message string) {
	w.once.Do(func() {
		w.final = message
		close(w.over)
	})
}
