package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTableIsInOrder checks the order of the table: a package imports only packages in the lines
// above its own.
func TestTableIsInOrder(t *testing.T) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "table_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	ast.Inspect(syntax, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := pair.Key.(*ast.BasicLit); ok {
			if folder, err := strconv.Unquote(key.Value); err == nil {
				place[folder] = len(place)
			}
		}
		return true
	})
	if len(place) != len(table) {
		t.Fatalf("found %d of %d packages in the table's source", len(place), len(table))
	}
	for folder, r := range table {
		for _, inside := range r.inside {
			if place[inside] > place[folder] {
				t.Errorf("%s imports %s, which stands below it in the table", folder, inside)
			}
		}
	}
}

// TestToolsDoNotShip checks that only tools and tests import packages in tools.
func TestToolsDoNotShip(t *testing.T) {
	for folder, r := range table {
		for _, inside := range r.inside {
			if strings.HasPrefix(inside, "tools/") && !strings.HasPrefix(folder, "tools/") {
				t.Errorf("%s ships and imports %s", folder, inside)
			}
		}
	}
}

// TestFleetIsIndependent checks that the analysis of fleets imports only its own packages and
// internal/syntax, and in tests also internal/shorten, so that it could become a separate module.
func TestFleetIsIndependent(t *testing.T) {
	found := 0
	for _, file := range goFiles(t) {
		if !inFleet(path.Dir(file)) {
			continue
		}
		found++
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			inside, ok := strings.CutPrefix(imported, module+"/")
			if !ok || inFleet(inside) || inside == "internal/syntax" {
				continue
			}
			if inside != "internal/shorten" || !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s imports %s: fleet may import internal/syntax only", file, inside)
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d files of fleet only", found)
	}
	for _, folder := range []string{"internal/syntax", "internal/shorten"} {
		for _, inside := range table[folder].inside {
			t.Errorf("%s imports %s, and so does fleet", folder, inside)
		}
	}
}

func inFleet(folder string) bool { return folder == "fleet" || strings.HasPrefix(folder, "fleet/") }
