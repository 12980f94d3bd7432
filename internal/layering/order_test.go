package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestTableIsInOrder checks the order of the table: a package imports only from lines above its
// own.
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
