package markdown

import (
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
)

// TestCodeNamesOneMethodOfACallback checks that the row of a callback names the callback's largest
// method and counts the other methods.
func TestCodeNamesOneMethodOfACallback(t *testing.T) {
	p := &page{r: &analysis.Result{}}
	part := func(method string) report.CodePart { return report.CodePart{Place: report.Place{Method: method}} }
	for _, c := range []struct {
		code report.AppCode
		want string
	}{
		{report.AppCode{Kind: "method", Place: report.Place{Method: "draw"}, PartCount: 3}, "`draw` itself"},
		{report.AppCode{Kind: "callback", Place: report.Place{Method: "onDraw"}, Parts: []report.CodePart{part("draw")}, PartCount: 1}, "`onDraw` itself, in `draw`"},
		{report.AppCode{Kind: "callback", Place: report.Place{Method: "onDraw"}, Parts: []report.CodePart{part("draw"), part("fill")}, PartCount: 2}, "`onDraw` itself, in `draw`, +1 more"},
		{report.AppCode{Kind: "callback", Place: report.Place{Method: "onDraw"}, Parts: []report.CodePart{part("draw")}, PartCount: 1500}, "`onDraw` itself, in `draw`, +1,499 more"},
	} {
		if got := p.code(&report.Report{}, &c.code); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
