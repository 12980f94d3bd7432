package samples

import (
	"context"
	"slices"
	"testing"
)

// TestInMemory gives each client once, in order, for any number of parts.
func TestInMemory(t *testing.T) {
	for n := range 8 {
		var clients []*Client
		for i := range n {
			clients = append(clients, NewClient(ID(i+1), 0))
		}
		for parts := 1; parts <= 10; parts++ {
			set := InMemory(NewNames(), nil, clients, parts)
			var got []*Client
			for part := range set.Parts() {
				err := set.Each(context.Background(), part, func(c *Client) error {
					got = append(got, c)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, clients) {
				t.Errorf("%d clients in %d parts: got %d clients", n, parts, len(got))
			}
			if set.Parts() > parts {
				t.Errorf("%d clients: %d parts, want at most %d", n, set.Parts(), parts)
			}
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	set := InMemory(NewNames(), nil, []*Client{NewClient(1, 0)}, 1)
	if err := set.Each(stopped, 0, func(*Client) error { return nil }); err == nil {
		t.Error("a stopped context does not stop the clients")
	}
}
