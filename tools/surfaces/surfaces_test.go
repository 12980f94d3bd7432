package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wall writes a profile of elapsed time with n samples, one per millisecond.
func wall(n int) string {
	const node = `{"id":%d,"callFrame":{"functionName":%q,"scriptId":"1","url":"file:///app/main.js","lineNumber":%d,"columnNumber":1}%s}`
	ones := func(s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	return fmt.Sprintf(`{"nodes":[`+node+`,`+node+`],"startTime":0,"endTime":%d,"samples":[%s],"timeDeltas":[%s]}`,
		1, "(root)", 0, `,"children":[2]`, 2, "load", 9, "", 1000*n, ones("2"), ones("1000"))
}

// TestSurfacesAgree builds diffprof and checks all surfaces on a case of the paper, on stacks
// without a unit, and on profiles of elapsed time. It also checks the pages if there is a Chromium.
func TestSurfacesAgree(t *testing.T) {
	folder := t.TempDir()
	c := checker{program: filepath.Join(folder, "diffprof.exe"), chromium: chromium()}
	if testing.Short() {
		c.chromium = "" // The page in a browser takes most of the time.
	}
	if out, err := exec.Command("go", "build", "-o", c.program, "../../cmd/diffprof").CombinedOutput(); err != nil {
		t.Fatalf("building diffprof: %v\n%s", err, out)
	}
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sample := "../../testdata/cases/pandora57-pandora83/"
	pairs := []pair{
		{sample + "subject.trace.gz", sample + "reference.trace"},
		{write("slow.folded", "main;load;parse 9000\nmain;load;hash 400000\nmain;show 70\n"), write("fast.folded", "main;load;parse 8800\nmain;load;hash 900\nmain;show 75\n")},
		{write("slow.cpuprofile", wall(4000)), write("fast.cpuprofile", wall(200))},
	}
	var table strings.Builder
	if err := c.run(&table, pairs); err != nil {
		t.Errorf("%v:\n%s", err, &table)
	}
	if lines := strings.Count(table.String(), "all agree: json text markdown github gitlab sarif junit csv exit"); lines != len(pairs) {
		t.Errorf("%d of %d pairs were checked:\n%s", lines, len(pairs), &table)
	}
}

// TestDisagreementShows checks that each check that reads rows detects a changed report.
func TestDisagreementShows(t *testing.T) {
	a := new(agreement)
	rows := []row{{id: "1", verdict: "only here", energy: 5, savings: 5}}
	other := []row{{id: "1", verdict: "only here", energy: 5, savings: 4}}
	a.begin("lsp")
	sameRows(a, "the list", rows, rows)
	if len(a.differences) > 0 {
		t.Errorf("equal rows differ: %v", a.differences)
	}
	sameRows(a, "the list", rows, other)
	sameRows(a, "the list", rows, nil)
	if len(a.differences) != 2 || a.line() != "none; NOT: lsp" {
		t.Errorf("the disagreements are %v, the line %q", a.differences, a.line())
	}
}
