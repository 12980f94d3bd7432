// Package client talks to the program at the other end of the connection: it sends
// notifications and requests, shows work in progress, and keeps the client's own
// requests apart.
//
// A [Client] and what it returns are safe for concurrent use. What cannot be sent
// has no reader any more: the connection is over, and whoever reads from it notices.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// A Client is the other end of a connection.
type Client struct {
	// ctx ends with the connection.
	ctx  context.Context
	conn jsonrpc2.Conn
	log  log
	// can is what initialize said.
	can lsp.ClientCapabilities

	// mu guards what follows.
	mu sync.Mutex
	// work ends work in progress by its token.
	work map[string]func()
	// requests end the client's requests that are under way by their ids.
	requests map[jsonrpc2.ID]context.CancelFunc
}

// New returns the client behind a connection, which ends with ctx. Log takes lines
// about what goes wrong; nil is nowhere.
func New(ctx context.Context, conn jsonrpc2.Conn, out io.Writer) *Client {
	return &Client{
		ctx: ctx, conn: conn, log: log{out: out},
		work: make(map[string]func()), requests: make(map[jsonrpc2.ID]context.CancelFunc),
	}
}

// SetCapabilities takes what initialize says that the client can do. It is called
// once, before the others.
func (c *Client) SetCapabilities(can lsp.ClientCapabilities) { c.can = can }

// Can is what the client can do. It does not change after initialize.
func (c *Client) Can() *lsp.ClientCapabilities { return &c.can }

// Logf writes a line to the log.
func (c *Client) Logf(format string, args ...any) { c.log.printf(format, args...) }

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	data, err := json.Marshal(params)
	if err != nil {
		c.Logf("encoding %s: %v", method, err)
		return
	}
	_ = c.conn.Notify(c.ctx, method, json.RawMessage(data))
}

// Tell sends a notification of diffprof's own to a client that asks for them.
func (c *Client) Tell(method string, params any) {
	if c.can.Listens() {
		c.Notify(method, params)
	}
}

// Call asks the client and waits for its answer, or for the end of ctx. It must not
// be called while a message is being dispatched: the answer arrives behind that.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", method, err)
	}
	var raw json.RawMessage
	if _, err := c.conn.Call(ctx, method, json.RawMessage(data), &raw); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: the client's answer: %w", method, err)
	}
	return nil
}

// Request asks the client for something whose answer does not matter, and writes to
// the log if it fails.
func (c *Client) Request(method string, params any) {
	if err := c.Call(c.ctx, method, params, nil); err != nil && c.ctx.Err() == nil {
		c.Logf("%v", err)
	}
}

// log keeps lines of concurrent writers apart.
type log struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *log) printf(format string, args ...any) {
	if l.out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// A log that cannot be written has nowhere to say so.
	_, _ = fmt.Fprintf(l.out, "diffprof lsp: "+format+"\n", args...)
}
