package report

import "testing"

// TestNamesOfLines checks the names of rows of lines.
func TestNamesOfLines(t *testing.T) {
	for _, c := range []struct {
		row      LineRow
		byMethod bool
		want     string
	}{
		{LineRow{Line: 42, ReferenceLine: 40}, false, "Feed.load:42 (was :40)"},
		{LineRow{Line: 42}, false, "Feed.load:42"},
		{LineRow{}, true, "Feed.load"},
		{LineRow{}, false, "Feed.load, line unknown"},
		{LineRow{Lines: 1}, false, "Feed.load, 1 other line"},
		{LineRow{Lines: 3}, false, "Feed.load, 3 other lines"},
		{LineRow{Lines: 3, unlocated: true}, false, "Feed.load, 3 other lines and unknown"},
	} {
		l := &Lines{ByMethod: c.byMethod}
		if got := l.Name(&c.row, "Feed.load"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.row, got, c.want)
		}
	}
}
