package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoLocks checks that package server has no locks. Shared state is in the packages workspace,
// runner and client, which guard it.
func TestNoLocks(t *testing.T) {
	locks := []string{"Mutex", "RWMutex", "Cond", "Map", "Locker"}
	for name, file := range files(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := e.X.(*ast.Ident); ok && pkg.Name == "sync" && slices.Contains(locks, e.Sel.Name) {
					t.Errorf("%s names sync.%s", name, e.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestHandlersTakeSnapshots checks that each method that runs concurrently answers from a snapshot.
// Only workspace/executeCommand may change the state of the session.
func TestHandlersTakeSnapshots(t *testing.T) {
	entries := 0
	ast.Inspect(files(t)["methods.go"], func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		fields, ok := entry.Value.(*ast.CompositeLit)
		if !ok {
			return true
		}
		name, made, async := types(entry.Key), "", false
		for _, field := range fields.Elts {
			f := field.(*ast.KeyValueExpr)
			switch types(f.Key) {
			case "handle":
				made = types(f.Value.(*ast.CallExpr).Fun)
			case "async":
				async = true
			}
		}
		entries++
		snapshot := made == "query" || made == "compared"
		if async != snapshot && name != "protocol.MethodWorkspaceExecuteCommand" {
			t.Errorf("%s: async is %v, and its handler is made by %s", name, async, made)
		}
		return false
	})
	if entries != len(methods()) {
		t.Errorf("looked at %d of %d methods", entries, len(methods()))
	}
	for name, file := range files(t) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			for _, p := range f.Type.Params.List {
				if receiver := types(f.Recv.List[0].Type); receiver == "*session" && types(p.Type) == "*workspace.Snapshot" {
					t.Errorf("%s: %s takes a snapshot and sees the session, too", name, f.Name.Name)
				}
			}
		}
	}
}

// types formats a type that consists of names, selectors and pointers.
func types(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return types(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + types(e.X)
	}
	return ""
}

// files parses this package's files without its tests.
func files(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]*ast.File)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if out[name], err = parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
