package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// maxMissingSignatures limits the list of calls without a cost.
const maxMissingSignatures = 50

// maxOverloads limits the lists of overloaded names and of unreadable rows.
const maxOverloads = 10

// APITable describes the contents of a table of API costs, and lists the calls of a run that the
// table lacks.
func APITable(w io.Writer, t *report.APITable, o report.Options) error {
	p := newPage(o, 0, report.Input{})
	p.methods = t.Methods
	p.prose("table", plainText, clean(t.Path))
	rows := fmt.Sprintf("%s for %s in %s.*", words.Some(t.Rows, "row"), words.Some(t.Names, "name"), clean(strings.Join(t.Packages, ".*, ")))
	p.prose("rows", plainText, rows)
	if t.Unknown > 0 {
		p.prose("unknown", plainText, words.Some(t.Unknown, "row")+" without a cost: a cost of zero counts as unknown")
	}
	if t.Doubled > 0 {
		p.prose("doubled", plainText, words.Some(t.Doubled, "row")+" like an earlier one")
	}
	for _, line := range t.Unreadable[:min(len(t.Unreadable), maxOverloads)] {
		p.prose("unread", plainText, clean(line))
	}
	if more := len(t.Unreadable) - maxOverloads; more > 0 {
		p.prose("unread", plainText, words.Count(more)+" more")
	}
	if n := len(t.Overloads); n > 0 {
		p.linef("")
		p.paragraph(p.bold, words.APIOverloads(n))
		p.apiTable(table.Row{"rows", "least", "most"}, "name", n, maxOverloads, nil, func(i int) (table.Row, string) {
			v := &t.Overloads[i]
			return table.Row{tally(int64(v.Rows)), v.Least + " J", v.Most + " J"}, v.Name
		})
	}
	p.apiSites(t.Sites)
	if t.Charge == nil {
		return p.flush(w)
	}
	p.linef("")
	p.prose("run", p.bold, words.APIShare(t.Charge.Costed, t.Charge.Calls))
	if t.Charge.Elsewhere > 0 {
		p.prose("elsewhere", p.faint, words.Some(t.Charge.Elsewhere, "call")+" into packages without a row")
	}
	if t.Bill != nil && len(t.Bill.Missing) > 0 {
		p.linef("")
		p.paragraph(p.bold, words.APIMissing)
		missing := t.Bill.Missing
		p.apiTable(table.Row{"calls", "why"}, "signature", len(missing), maxMissingSignatures, nil, func(i int) (table.Row, string) {
			return table.Row{tally(missing[i].Calls), words.APIReason(missing[i].Reason)}, missing[i].Method
		})
	}
	return p.flush(w)
}

// apiSites writes which framework calls in an app's code have a cost in the table.
func (p *page) apiSites(s *report.APISites) {
	if s == nil {
		return
	}
	p.linef("")
	p.prose("app", p.bold, words.APISites(s.Costed, s.Sites))
	p.paragraph(p.faint, words.APISitesLegend)
	if s.Elsewhere > 0 {
		p.prose("elsewhere", p.faint, words.Some(s.Elsewhere, "call site")+" of packages without a row")
	}
	if s.Unclear > 0 {
		p.prose("unclear", p.faint, words.Some(int64(s.Unclear), "call site")+" that may reach several classes")
	}
	if len(s.APIs) > 0 {
		p.linef("")
		p.paragraph(p.bold, words.APIListed)
		p.apiTable(table.Row{"sites", "a call"}, "signature", len(s.APIs), maxAPIs, nil, func(i int) (table.Row, string) {
			return table.Row{tally(s.APIs[i].Sites), s.APIs[i].Joules + " J"}, s.APIs[i].Method
		})
	}
	if len(s.Missing) > 0 {
		p.linef("")
		p.paragraph(p.bold, words.APIMissingSites)
		p.apiTable(table.Row{"sites", "why"}, "signature", len(s.Missing), maxMissingSignatures, nil, func(i int) (table.Row, string) {
			return table.Row{tally(s.Missing[i].Sites), words.APIReason(s.Missing[i].Reason)}, s.Missing[i].Method
		})
	}
}
