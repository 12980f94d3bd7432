package lsp

import (
	"encoding/json"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/buffer"
)

// TestCapabilities reads the capabilities of clients, and compares what the server may use.
func TestCapabilities(t *testing.T) {
	for _, c := range []struct {
		name, json                                 string
		listens, markdown, completesMarkdown, pull bool
		related                                    bool
	}{
		{name: "none", json: `{}`},
		{name: "pushes and pulls", json: `{"textDocument":{"diagnostic":{},"publishDiagnostics":{"relatedInformation":true}},"workspace":{"diagnostics":{"refreshSupport":true}}}`, related: true},
		{name: "pulls", json: `{"textDocument":{"diagnostic":{"relatedInformation":true}},"workspace":{"diagnostics":{"refreshSupport":true}}}`, pull: true, related: true},
		{name: "pulls without refresh", json: `{"textDocument":{"diagnostic":{}}}`},
		{name: "Markdown in hovers", json: `{"textDocument":{"hover":{"contentFormat":["plaintext","markdown"]}}}`, markdown: true},
		{name: "Markdown in completions", json: `{"textDocument":{"completion":{"completionItem":{"documentationFormat":["markdown"]}}}}`, completesMarkdown: true},
		{name: "diffprof's notifications", json: `{"experimental":{"diffprof":{"notifications":true}}}`, listens: true},
		{name: "options for another server", json: `{"experimental":["x"]}`},
	} {
		var can ClientCapabilities
		if err := json.Unmarshal([]byte(c.json), &can); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if can.Listens() != c.listens || can.ReadsMarkdown() != c.markdown || can.CompletesWithMarkdown() != c.completesMarkdown || can.Pulls() != c.pull {
			t.Errorf("%s: listens %v, reads Markdown %v, completes with Markdown %v, pulls %v",
				c.name, can.Listens(), can.ReadsMarkdown(), can.CompletesWithMarkdown(), can.Pulls())
		}
		if got := can.DiagnosticsShow().RelatedInformation; got != c.related {
			t.Errorf("%s: shows related information %v, want %v", c.name, got, c.related)
		}
	}
}

func TestNegotiate(t *testing.T) {
	for _, c := range []struct {
		offered []string
		want    buffer.Encoding
	}{
		{nil, buffer.UTF16},
		{[]string{"utf-8", "utf-16"}, buffer.UTF16},
		{[]string{"utf-32", "utf-8"}, buffer.UTF32},
		{[]string{"utf-7", "utf-8"}, buffer.UTF8},
		{[]string{"utf-7"}, buffer.UTF16},
	} {
		if got := Negotiate(c.offered); got != c.want {
			t.Errorf("Negotiate(%q) = %v, want %v", c.offered, got, c.want)
		}
	}
}

// TestRecode converts a column behind a character outside of the basic plane, which has four bytes,
// two units of UTF-16 and one of UTF-32.
func TestRecode(t *testing.T) {
	text := buffer.New("a\n😀b")
	columns := map[buffer.Encoding]int{buffer.UTF8: 4, buffer.UTF16: 2, buffer.UTF32: 1}
	for from, column := range columns {
		for to, want := range columns {
			got := Recode(text, PlaceOf(protocol.Position{Line: 1, Character: uint32(column)}), from, to)
			if at := PositionOf(got); at.Line != 1 || int(at.Character) != want {
				t.Errorf("column %d in %v is %v in %v, want column %d of line 1", column, from, at, to, want)
			}
		}
	}
}
