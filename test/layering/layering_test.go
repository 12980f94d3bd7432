package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/diffprof/diffprof"
	root   = "../.."
)

// TestLayers checks every Go file of the module against the table, and that the table has no
// unused permission.
func TestLayers(t *testing.T) {
	used := map[string]map[string]bool{}
	for _, file := range goFiles(t) {
		folder := path.Dir(file)
		allowed, listed := table[folder]
		if used[folder] == nil {
			used[folder] = map[string]bool{}
			if !listed {
				t.Errorf("package %s is not in the table of test/layering: add it with what it may import", folder)
			}
		}
		if listed {
			checkFile(t, file, allowed, used[folder])
		}
	}
	for folder, r := range table {
		if used[folder] == nil {
			t.Errorf("the table names %s, which has no Go files", folder)
			continue
		}
		for _, inside := range r.inside {
			if !used[folder][inside] {
				t.Errorf("the table lets %s import %s, which it does not: take that out", folder, inside)
			}
		}
	}
}

// checkFile checks one file, and adds the imported packages of the module to used.
func checkFile(t *testing.T, file string, allowed rule, used map[string]bool) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	isTest := strings.HasSuffix(file, "_test.go")
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: import %s: %v", file, spec.Path.Value, err)
		}
		if why := forbidden(allowed, imported, isTest); why != "" {
			t.Errorf("%s: must not import %s: %s", file, imported, why)
		}
		if !isTest {
			used[strings.TrimPrefix(imported, module+"/")] = true
		}
	}
	if !isTest && declaresInit(syntax) {
		t.Errorf("%s: has an init function: use a table or a constructor", file)
	}
}

// forbidden says why a package with rule r may not import a package. It returns "" if it may.
func forbidden(r rule, imported string, isTest bool) string {
	if inside, ok := strings.CutPrefix(imported, module+"/"); ok {
		if isTest || slices.Contains(r.inside, inside) {
			return ""
		}
		return "the table does not allow it; see ARCHITECTURE.md on who may import whom"
	}
	if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
		modules := r.outside
		if isTest {
			modules = slices.Concat(modules, testModules)
		}
		for _, m := range modules {
			if imported == m || strings.HasPrefix(imported, m+"/") {
				return ""
			}
		}
		return "the table does not list this module for the package"
	}
	if !r.command && !isTest && slices.Contains(commandOnly, imported) {
		return "only commands and the server read flags, signals and logs"
	}
	return ""
}

func TestForbiddenFindsEachKind(t *testing.T) {
	r := rule{inside: []string{"trace"}, outside: []string{"example.com/m"}}
	for _, c := range []struct {
		imported        string
		isTest, allowed bool
	}{
		{"fmt", false, true},
		{"log", false, false},
		{"flag", true, true},
		{module + "/trace", false, true},
		{module + "/cct", false, false},
		{module + "/cct", true, true},
		{"example.com/m/sub", false, true},
		{"example.com/mother", false, false},
		{"github.com/rogpeppe/go-internal/testscript", false, false},
		{"github.com/rogpeppe/go-internal/testscript", true, true},
	} {
		if got := forbidden(r, c.imported, c.isTest) == ""; got != c.allowed {
			t.Errorf("import of %s (test: %v) allowed = %v, want %v", c.imported, c.isTest, got, c.allowed)
		}
	}
}

// goFiles lists the module's Go files, with paths relative to its root and with slashes. It leaves
// out folders that go ignores.
func goFiles(t *testing.T) []string {
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			name == "testdata" || p == "vscode-extension"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go"):
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestNamesAreReadOnce finds packages that parse a method name from a text. Only the packages in
// nameReaders may do so. Other packages get names as values.
func TestNamesAreReadOnce(t *testing.T) {
	readers := make(map[string]bool)
	for _, file := range goFiles(t) {
		if folder := path.Dir(file); folder != "name" && !strings.HasSuffix(file, "_test.go") && readsNames(t, file) {
			readers[folder] = true
			if !slices.Contains(nameReaders, folder) {
				t.Errorf("%s: must not read the name of a method from a text: use the name.Method that the text was made of", file)
			}
		}
	}
	for _, folder := range nameReaders {
		if !readers[folder] {
			t.Errorf("nameReaders lists %s, which reads no names: take it out", folder)
		}
	}
}

// readsNames reports whether a file uses name.Parse or name.Detector.
func readsNames(t *testing.T, file string) bool {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imported := slices.ContainsFunc(syntax.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == strconv.Quote(module+"/name")
	})
	found := false
	ast.Inspect(syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && imported {
			pkg, ok := s.X.(*ast.Ident)
			found = found || ok && pkg.Name == "name" && (s.Sel.Name == "Parse" || s.Sel.Name == "Detector")
		}
		return !found
	})
	return found
}

func declaresInit(file *ast.File) bool {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			return true
		}
	}
	return false
}
