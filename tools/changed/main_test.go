package main

import (
	"slices"
	"testing"
)

func TestBroken(t *testing.T) {
	pkgs := []pkg{
		{ImportPath: "m/units", Dir: "units"},
		{ImportPath: "m/trace", Dir: "trace", Imports: []string{"m/units", "fmt"}},
		{ImportPath: "m/report", Dir: "report", Imports: []string{"m/trace"}},
		{ImportPath: "m/tools/x", Dir: "tools/x", TestImports: []string{"m/trace"}},
		{ImportPath: "m/record", Dir: "record", XTestImports: []string{"m/tools/x"}},
	}
	for _, test := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"nothing", nil, nil},
		{"the top", []string{"report/a.go"}, []string{"m/report"}},
		{"importers, and tests that import", []string{"trace/a.go"}, []string{"m/report", "m/tools/x", "m/trace"}},
		{"tests that import", []string{"tools/x/a.go"}, []string{"m/record", "m/tools/x"}},
		{"test data", []string{"report/testdata/case/a.txt"}, []string{"m/report"}},
		{"no package", []string{"docs/a.md", "README.md"}, nil},
		{"modules", []string{"go.mod"}, []string{"m/record", "m/report", "m/tools/x", "m/trace", "m/units"}},
	} {
		if got := broken(pkgs, test.files); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
