package client

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// MaxRequests bounds the client's requests that are under way at once. A client that
// sends more does not wait for answers.
const MaxRequests = 1024

// Begin notes a request of the client; cancel ends it. It fails if too many are
// under way, or one with the same id.
func (c *Client) Begin(id jsonrpc2.ID, cancel context.CancelFunc) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.requests[id]; ok {
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a request with the id %q is under way", id)
	}
	if len(c.requests) >= MaxRequests {
		return jsonrpc2.Errorf(lsp.CodeRequestFailed, "%d requests are under way; wait for some to be answered", MaxRequests)
	}
	c.requests[id] = cancel
	return nil
}

// End forgets a request that was answered.
func (c *Client) End(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.requests, id)
}

// Cancel cancels a request that is under way. It does nothing for one that was
// answered or never made.
func (c *Client) Cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	cancel := c.requests[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
