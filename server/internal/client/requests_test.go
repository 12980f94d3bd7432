package client

import (
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// TestTooManyRequests checks that a client that does not wait for answers gets errors, and that the
// server does not hang.
func TestTooManyRequests(t *testing.T) {
	c := New(t.Context(), nil, nil)
	for i := range int32(maxRequests) {
		if err := c.Begin(jsonrpc2.NewNumberID(i), func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Begin(jsonrpc2.NewNumberID(maxRequests), func() {}); err == nil {
		t.Errorf("more than %d requests are under way", maxRequests)
	}
	c.End(jsonrpc2.NewNumberID(0))
	if err := c.Begin(jsonrpc2.NewNumberID(1), func() {}); err == nil {
		t.Error("two requests have one id")
	}
	if err := c.Begin(jsonrpc2.NewNumberID(maxRequests), func() {}); err != nil {
		t.Error(err)
	}
}
