package client

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// maxRequests limits the client's concurrent requests. A client that exceeds it does not wait
// for answers.
const maxRequests = 1024

// Begin records a request of the client; cancel ends it. It fails if too many requests are running,
// or if a request with the same id is running.
func (c *Client) Begin(id jsonrpc2.ID, cancel context.CancelFunc) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.requests[id]; ok {
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a request with the id %q is already running", id)
	}
	if len(c.requests) >= maxRequests {
		return jsonrpc2.Errorf(lsp.CodeRequestFailed, "%d requests are running; wait for answers before sending more", maxRequests)
	}
	c.requests[id] = cancel
	return nil
}

// End forgets an answered request.
func (c *Client) End(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.requests, id)
}

// Cancel cancels a running request. It ignores the ids of other requests.
func (c *Client) Cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel := c.requests[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
