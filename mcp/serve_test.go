package mcp_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/docs"
	"github.com/diffprof/diffprof/mcp"
)

// TestHandlerRefuses checks that the server answers only programs on this machine that have the
// token.
func TestHandlerRefuses(t *testing.T) {
	server, err := mcp.New(mcp.Options{Folders: []string{t.TempDir()}, Source: (&counting{}).source()})
	if err != nil {
		t.Fatal(err)
	}
	handler := server.Handler("secret")
	for _, c := range []struct {
		host, origin, token string
		code                int
	}{
		{"127.0.0.1:80", "", "secret", http.StatusOK},
		{"localhost", "", "secret", http.StatusOK},
		{"[::1]:80", "", "secret", http.StatusOK},
		{"localhost:80", "http://localhost:3000", "secret", http.StatusOK},
		{"127.0.0.1:80", "", "Secret", http.StatusUnauthorized},
		{"127.0.0.1:80", "", "", http.StatusUnauthorized},
		{"evil.example", "", "secret", http.StatusForbidden},
		{"evil.example:80", "http://evil.example", "secret", http.StatusForbidden},
		{"127.0.0.1:80", "http://evil.example", "secret", http.StatusForbidden},
		{"127.0.0.1:80", "null", "secret", http.StatusForbidden},
		{"127.0.0.1.evil.example", "", "secret", http.StatusForbidden},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		req.Host = c.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		if w.Code != c.code {
			t.Errorf("host %q, origin %q, token %q: %d %s, want %d", c.host, c.origin, c.token, w.Code, w.Body, c.code)
		}
	}
}

// bearer adds the token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(req)
}

// TestHTTP checks that a client over HTTP gets the same answers as a client over standard input.
func TestHTTP(t *testing.T) {
	p := cases(t)[0]
	server, err := mcp.New(mcp.Options{Folders: []string{p.folder}, Version: "test", Source: (&counting{folder: p.folder}).source()})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(server.Handler("secret"))
	defer served.Close()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: served.URL, HTTPClient: &http.Client{Transport: bearer{"secret"}}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	arguments := map[string]any{"subject": []string{p.subject}, "reference": []string{p.reference}}
	over, failed := call(t, session, "compare", arguments)
	if failed {
		t.Fatal(over)
	}
	if direct, _ := call(t, client(t, server), "compare", arguments); direct != over {
		t.Errorf("over HTTP: %s\nover standard input: %s", over, direct)
	}
}

// TestResources reads each resource, and prompts.
func TestResources(t *testing.T) {
	p := cases(t)[0]
	folder := t.TempDir()
	settings := "subject: " + p.folder + "/" + p.subject + "\nreference: " + p.folder + "/" + p.reference + "\n"
	if err := os.WriteFile(folder+"/diffprof.yaml", []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	session := connect(t, folder, mcp.Options{Docs: docs.Pages})
	c := asked[mcp.Comparison](t, session, "compare", map[string]any{})
	task := ""
	for _, row := range c.Rows {
		if row.Kind == "task" {
			task = row.ID
			break
		}
	}
	pages := 0
	for r, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		pages++
		if text := read(t, session, r.URI); len(text) < 100 {
			t.Errorf("%s: %q", r.URI, text)
		}
	}
	if pages < 20 {
		t.Errorf("%d resources", pages)
	}
	if text := read(t, session, "diffprof://report"); !strings.Contains(text, c.Sentences[0][:20]) {
		t.Errorf("the report lacks %q:\n%s", c.Sentences[0], text)
	}
	if text := read(t, session, "diffprof://flask/"+task); !strings.Contains(text, "subject") {
		t.Errorf("the call trees of %s: %s", task, text)
	}
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "diffprof://flask/none"}); err == nil {
		t.Error("an unknown task has call trees")
	}
	for prompt, err := range session.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		made, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt.Name, Arguments: map[string]string{"code": "Feed.\u202ebind"}})
		if err != nil || len(made.Messages) != 1 {
			t.Fatal(made, err)
		}
		text := made.Messages[0].Content.(*sdk.TextContent).Text
		if !strings.Contains(text, "compare") || strings.Contains(text, "\u202e") {
			t.Errorf("%s: %s", prompt.Name, text)
		}
	}
}

func read(t *testing.T, session *sdk.ClientSession, uri string) string {
	t.Helper()
	r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	return r.Contents[0].Text
}

// FuzzRequests checks that no input makes the server panic, hang, or write anything other than
// messages.
func FuzzRequests(f *testing.F) {
	open := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	f.Add([]byte(open + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"compare","arguments":{"subject":["a"],"reference":["b"],"cursor":"1@x"}}}` + "\n"))
	f.Add([]byte(open + `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"diffprof://flask/../x"}}` + "\n"))
	f.Add([]byte(open + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":null}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n[]\n{}\nnull\n"))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, input []byte) {
		server, err := mcp.New(mcp.Options{Folders: []string{folder}, Source: (&counting{folder: folder}).source()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var out bytes.Buffer
		// A request that cannot be read ends the session with an error.
		_ = server.Serve(ctx, io.NopCloser(bytes.NewReader(input)), nopCloser{&out})
		if ctx.Err() != nil {
			t.Fatal("the server hangs")
		}
		for line := range bytes.Lines(out.Bytes()) {
			if len(line) > 0 && line[0] != '{' && line[0] != '[' {
				t.Errorf("the server wrote %q", line)
			}
		}
	})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func BenchmarkFind(b *testing.B) {
	benchmark(b, "find", func(mcp.Comparison) map[string]any {
		return map[string]any{"class": "com", "all": true}
	})
}

func BenchmarkExplain(b *testing.B) {
	benchmark(b, "explain", func(c mcp.Comparison) map[string]any { return map[string]any{"id": c.Rows[0].ID} })
}

func benchmark(b *testing.B, tool string, argumentsOf func(mcp.Comparison) map[string]any) {
	p := cases(b)[0]
	session := connect(b, p.folder, mcp.Options{})
	with := map[string]any{"subject": []string{p.subject}, "reference": []string{p.reference}}
	arguments := argumentsOf(asked[mcp.Comparison](b, session, "compare", with))
	for k, v := range with {
		arguments[k] = v
	}
	for b.Loop() {
		if text, failed := call(b, session, tool, arguments); failed {
			b.Fatal(text)
		}
	}
}
