package main

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestConcurrent(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                  false,
		"func f() { g() }":                  false,
		"func f() { go g() }":               true,
		"import \"sync\"\nvar m sync.Mutex": true,
		"import \"sync\"\nvar m sync.Map":   true,
		"import \"sync\"\nvar f = sync.OnceValue(g)": false,
		"import \"sync/atomic\"":                     true,
		"import \"net/http\"":                        false,
		"func f() { func() { go g() }() }":           true,
		"// go g() and sync\nvar s = \"go\"":         false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package p\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := concurrent(file); got != want {
			t.Errorf("concurrent(%q) = %v, want %v", text, got, want)
		}
	}
}
