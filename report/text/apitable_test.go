package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
)

// TestMethodsOfTablesFit checks that the methods at the end of a table's rows are cut at the width
// of the page, and not earlier. Labels are not cut, so that they can be copied.
func TestMethodsOfTablesFit(t *testing.T) {
	const label = "Lcom/mine/Feed;->load()V"
	long := "Feed.load(" + strings.Repeat("View, ", 30) + "int)"
	write := func(width, n int, apart map[string]string) []string {
		p := newPage(report.Options{Width: width}, 0)
		p.apiTable(table.Row{"calls"}, "API", n, 2, apart, func(i int) (table.Row, string) { return table.Row{fmt.Sprint(10 * (i + 1))}, label })
		return strings.Split(strings.TrimRight(p.String(), "\n"), "\n")
	}
	for width := 80; width < 120; width += 9 {
		lines := write(width, 2, map[string]string{label: long})
		if len(lines) != 3 || cells(lines[0]) > width {
			t.Fatalf("%d cells: %q", width, lines)
		}
		for _, line := range lines[1:] {
			if cells(line) != width || !strings.HasSuffix(line, ", int)") {
				t.Errorf("%d cells of %d: %s", cells(line), width, line)
			}
		}
	}
	if lines := write(80, 3, nil); len(lines) != 4 || !strings.HasSuffix(lines[1], "  "+label) || !strings.Contains(lines[3], "1 more") {
		t.Errorf("three methods, of which two are shown: %q", lines)
	}
}
