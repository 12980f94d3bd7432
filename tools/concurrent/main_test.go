package main

import "testing"

func TestConcurrent(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                   false,
		"func f() { g() }":                   false,
		"func f() { go g() }":                true,
		"import \"sync\"":                    true,
		"import \"sync/atomic\"":             true,
		"import \"net/http\"":                false,
		"import \"net/http/httptest\"":       true,
		"func TestF(t *T) { t.Parallel() }":  true,
		"func f() { func() { go g() }() }":   true,
		"// go g() and sync\nvar s = \"go\"": false,
	} {
		got, err := concurrent("a.go", "package p\n"+text)
		if err != nil || got != want {
			t.Errorf("concurrent(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	if _, err := concurrent("a.go", "package"); err == nil {
		t.Error("a file that does not parse is no error")
	}
}
