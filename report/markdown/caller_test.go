package markdown

import (
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
)

// TestPlaces checks the file and the line after a method's name. A file that has the name of the
// class is left out if the line is unknown.
func TestPlaces(t *testing.T) {
	p := &page{r: &analysis.Result{}}
	r := &report.Report{Methods: report.Methods{}}
	const load = "com.app.Feed.load()V"
	r.Methods[load] = name.Parse(load, name.JVM)
	for _, c := range []struct {
		at   report.Place
		want string
	}{
		{report.Place{Method: load}, "`Feed.load`"},
		{report.Place{Method: load, File: "Feed.java"}, "`Feed.load`"},
		{report.Place{Method: load, File: "Feed.java", Line: 7}, "`Feed.load` `Feed.java:7`"},
		{report.Place{Method: load, File: "Feed.java", CallLines: []int{9, 12}, Line: 7}, "`Feed.load` `Feed.java:9`"},
		{report.Place{Method: load, File: "Lists.kt"}, "`Feed.load` `Lists.kt`"},
	} {
		if got := p.place(r, c.at, name.Method{}); got != c.want {
			t.Errorf("%+v is %q, want %q", c.at, got, c.want)
		}
	}
}
