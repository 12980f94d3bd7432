package server

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/mcp"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/settings"
)

// bearer adds the token to requests.
type bearer string

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(req)
}

// asks connects an assistant to an address.
func asks(t *testing.T, address, token string) *sdk.ClientSession {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: "http://" + address, HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// answer returns the text of an answer.
func answer(t *testing.T, session *sdk.ClientSession, tool string, arguments any) string {
	t.Helper()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, c := range r.Content {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
		text.WriteByte('\n')
	}
	return text.String()
}

// apart connects an assistant to a server without an editor.
func apart(t *testing.T, folder string) *sdk.ClientSession {
	t.Helper()
	path := filepath.Join(folder, workspace.ProjectFile)
	index := mcp.NewIndex("", folder)
	server, err := mcp.New(mcp.Options{Version: "test", Folders: []string{folder}, Source: mcp.Source{
		Index: index.Refresh,
		Settings: func(context.Context) (settings.Settings, error) {
			data, err := os.ReadFile(path)
			s, _ := settings.Default().WithYAML(data, folder)
			s.SettingsFile = path
			return s, err
		},
		Compare: func(ctx context.Context, s settings.Settings) (*finding.Set, error) {
			sources, err := index.Refresh(ctx)
			if err != nil {
				return nil, err
			}
			s.Classes = sources.Classes()
			r, err := analysis.Compare(ctx, s.Options)
			if err != nil {
				return nil, err
			}
			return finding.New(r), nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := &http.Server{Handler: server.Handler("secret")}
	go served.Serve(listener)
	t.Cleanup(func() { served.Close() })
	return asks(t, listener.Addr().String(), "secret")
}

// TestAssistant checks that an assistant sees the editor's session. Its answers equal those of a
// server without an editor, except for places in files with unsaved changes.
func TestAssistant(t *testing.T) {
	folder := t.TempDir()
	file := app(t, folder, "com.first")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := connect(t, func(o *Options) { o.Assistants = &Assistants{Listener: listener, Token: "secret"} })
	f.must("initialize", map[string]any{
		"capabilities": map[string]any{"experimental": map[string]any{"diffprof": map[string]any{"notifications": true}}},
		"rootUri":      lsp.URIOf(folder),
	}, nil)
	f.notify("initialized", struct{}{})
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
		t.Fatal(did.Error)
	}
	attached, detached := asks(t, listener.Addr().String(), "secret"), apart(t, folder)
	defer attached.Close()
	defer detached.Close()
	for _, c := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"compare", map[string]any{}},
		{"compare", map[string]any{"pair": "paid"}},
		{"compare", map[string]any{"subject": []string{"old.folded"}, "reference": []string{"new.folded"}}},
		{"find", map[string]any{"file": "Main.java", "all": true}},
		{"top", map[string]any{}},
		{"profile", map[string]any{}},
		{"info", map[string]any{"files": []string{"new.folded"}}},
		{"explain", map[string]any{"id": "none"}},
	} {
		with, without := answer(t, attached, c.tool, c.arguments), answer(t, detached, c.tool, c.arguments)
		if with != without {
			t.Errorf("%s %v:\nwith an editor    %s\nwithout an editor %s", c.tool, c.arguments, with, without)
		}
	}
	if n := f.count(lsp.MethodDidCompare); n != 1 {
		t.Errorf("questions about the editor's pair made it compare %d times", n)
	}

	before := answer(t, attached, "compare", map[string]any{})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(file), "languageId": "java", "version": 1, "text": "\n\n\n" + string(text)}})
	f.must("diffprof/tasks", map[string]any{}, nil) // The result includes the change.
	after := answer(t, attached, "compare", map[string]any{})
	if before == after {
		t.Errorf("the answer does not know of unsaved lines: %s", after)
	}

	f.must("shutdown", nil, nil)
	f.notify("exit", nil)
	if err := <-f.served; err != nil {
		t.Error(err)
	}
	if _, err := attached.CallTool(t.Context(), &sdk.CallToolParams{Name: "compare", Arguments: map[string]any{}}); err == nil {
		t.Error("the assistant outlives the editor")
	}
}
