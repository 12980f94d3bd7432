package server

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestFoldersOfClients reads the workspace folders of a client. Older clients send the URI or the path
// of a single folder. These count only if the newer form is missing.
func TestFoldersOfClients(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	one, two, three := at("one"), at("two"), at("three")
	folder := func(path string) protocol.WorkspaceFolder {
		return protocol.WorkspaceFolder{URI: string(lsp.URIOf(path))}
	}
	for _, c := range []struct {
		what string
		set  func(p *lsp.InitializeParams)
		want []string
	}{
		{"none", func(*lsp.InitializeParams) {}, nil},
		{"folders", func(p *lsp.InitializeParams) {
			p.WorkspaceFolders = []protocol.WorkspaceFolder{folder(one), folder(two)}
		}, []string{one, two}},
		{"a URI", func(p *lsp.InitializeParams) { p.RootURI = string(lsp.URIOf(one)) }, []string{one}},
		{"a path", func(p *lsp.InitializeParams) { p.RootPath = two }, []string{two}},
		{"a URI and a path", func(p *lsp.InitializeParams) { p.RootURI, p.RootPath = string(lsp.URIOf(one)), two }, []string{one}},
		{"all", func(p *lsp.InitializeParams) {
			p.WorkspaceFolders, p.RootURI, p.RootPath = []protocol.WorkspaceFolder{folder(three)}, string(lsp.URIOf(one)), two
		}, []string{three}},
	} {
		s := newSession(context.Background(), Options{Log: io.Discard})
		var p lsp.InitializeParams
		c.set(&p)
		if got := s.folders(&p).Paths(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
