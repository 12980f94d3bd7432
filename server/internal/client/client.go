// Package client sends notifications and requests to the language client. It also shows progress
// and tracks requests that the client has sent.
//
// A [Client] and its results are safe for concurrent use. A failure to send means that the
// connection is over. The reader of the connection notices this.
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
	// can has the capabilities from initialize.
	can lsp.ClientCapabilities

	// mu guards the fields below.
	mu sync.Mutex
	// work maps tokens to functions that end the work in progress.
	work map[string]func()
	// requests maps the ids of the client's running requests to functions that cancel them.
	requests map[jsonrpc2.ID]context.CancelFunc
}

// New returns the client of a connection that ends with ctx. out receives the log; nil discards it.
func New(ctx context.Context, conn jsonrpc2.Conn, out io.Writer) *Client {
	return &Client{
		ctx: ctx, conn: conn, log: log{out: out},
		work: make(map[string]func()), requests: make(map[jsonrpc2.ID]context.CancelFunc),
	}
}

// SetCapabilities sets the client's capabilities from initialize. It is called once, before
// all other methods.
func (c *Client) SetCapabilities(can lsp.ClientCapabilities) { c.can = can }

// Can returns the client's capabilities. They do not change after initialize.
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

// Tell sends a notification of diffprof's own if the client supports them.
func (c *Client) Tell(method string, params any) {
	if c.can.Listens() {
		c.Notify(method, params)
	}
}

// Call sends a request and waits for the answer, or for the end of ctx. It must not be called
// during the dispatch of a message, since the answer arrives after that message.
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

// Request sends a request, ignores the answer, and logs an error.
func (c *Client) Request(method string, params any) {
	if err := c.Call(c.ctx, method, params, nil); err != nil && c.ctx.Err() == nil {
		c.Logf("%v", err)
	}
}

// log writes whole lines, so that the lines of concurrent writers do not mix.
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
	// An error of the log cannot be reported.
	_, _ = fmt.Fprintf(l.out, "diffprof lsp: "+format+"\n", args...)
}
