package text

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// maxRoutines, maxAPIs and maxMissing limit the rows of the tables of API costs.
const maxRoutines, maxAPIs, maxMissing = 10, 10, 10

// apiCosts writes the tables of API costs: by app method, by API, and the calls without a cost.
func (p *page) apiCosts(r *report.Profile) {
	b := r.APICosts
	if b == nil {
		return
	}
	guess := r.Input.APICosts.Guessed > 0
	apart := p.apart()
	p.linef("")
	p.paragraph(p.bold, words.APIRoutines+"; "+p.measure())
	p.paragraph(p.faint, words.APIDisclaimer)
	if sums := words.APISums(b.Runs); sums != "" {
		p.paragraph(p.faint, sums)
	}
	heading := table.Row{"average", "calls", "all", "share"}
	if guess {
		heading = append(heading, "guess")
	}
	p.apiTable(heading, "method", len(b.Routines), maxRoutines, apart, func(i int) (table.Row, string) {
		m := &b.Routines[i]
		row := table.Row{p.amount(m.Average), tally(m.Calls), p.amount(m.Energy), words.Percent(m.Share)}
		if guess {
			row = append(row, p.guessedEnergy(m.Guess))
		}
		return row, m.Method
	})
	p.linef("")
	p.paragraph(p.bold, words.APIList+"; "+p.measure())
	p.apiTable(table.Row{"all", "share", "calls", "a call"}, "API", len(b.APIs), maxAPIs, apart, func(i int) (table.Row, string) {
		a := &b.APIs[i]
		return table.Row{p.amount(a.Energy), words.Percent(a.Share), tally(a.Calls), p.amount(a.Each)}, a.Method
	})
	if len(b.Missing) == 0 {
		return
	}
	p.linef("")
	p.paragraph(p.bold, words.APIMissing)
	heading = table.Row{"calls", "why"}
	if guess {
		heading = append(heading, "guess")
	}
	p.apiTable(heading, "API", len(b.Missing), maxMissing, apart, func(i int) (table.Row, string) {
		m := &b.Missing[i]
		row := table.Row{tally(m.Calls), words.APIReason(m.Reason)}
		if guess {
			row = append(row, p.guessedEnergy(m.Energy))
		}
		return row, m.Method
	})
}

// guessedEnergy formats a guessed energy, which may be missing.
func (p *page) guessedEnergy(e units.Energy) string {
	if e == 0 {
		return "–"
	}
	return p.amount(e)
}

// apiTable writes the first rows of a table whose last column is a method. If apart is nil, methods
// are shown by their labels, otherwise by the names in apart.
func (p *page) apiTable(heading table.Row, noun string, n, most int, apart map[string]string, row func(int) (table.Row, string)) {
	rest := " more are in --format json"
	if apart == nil {
		rest = " more"
	}
	shown := min(n, most)
	rows, labels := make([]table.Row, shown), make([]string, shown)
	for i := range shown {
		rows[i], labels[i] = row(i)
	}
	lines := aligned(heading, rows)
	p.linef("%s", p.head(strings.TrimRight(lines[0], " ")+"  "+noun))
	for i, label := range labels {
		name := clean(label) // The name is not cut, so that it can be copied.
		if apart != nil {
			name = p.inCycle(apart, label, 0, false, p.width-cells(lines[i+1])-2)
		}
		p.linef("%s  %s", lines[i+1], name)
	}
	if more := n - shown; more > 0 {
		p.linef("%s", p.faint(words.Count(more)+rest))
	}
}
