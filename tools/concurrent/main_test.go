package main

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestConcurrent(t *testing.T) {
	starts, locks := use{starts: true}, use{locks: true}
	for text, want := range map[string]use{
		"":                                           {},
		"func f() { g() }":                           {},
		"func f() { go g() }":                        starts,
		"func f() { func() { go g() }() }":           starts,
		"func f() { group.Go(g) }":                   starts,
		"var l = language.Go":                        {},
		"import \"sync\"\nvar m sync.Mutex":          locks,
		"import \"sync\"\nvar m sync.Map":            locks,
		"import \"sync\"\nvar f = sync.OnceValue(g)": {},
		"import \"sync\"\nvar p sync.Pool":           {},
		"import \"sync/atomic\"":                     locks,
		"import \"net/http\"":                        {},
		"// go g() and sync\nvar s = \"go\"":         {},
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
