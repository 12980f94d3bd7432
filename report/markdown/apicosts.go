package markdown

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report/words"
)

// maxAPIs is the largest number of rows in each table of API costs.
const maxAPIs = 10

// apiCosts writes three tables: the app's methods by average cost, the APIs with a known cost, and
// the APIs without one.
func (p *profilePage) apiCosts() {
	b := p.APICosts
	if b == nil {
		return
	}
	if len(p.Activities) > 0 {
		fmt.Fprintf(p, "\n%s", words.Activities)
		for i, a := range p.Activities {
			if i > 0 {
				p.WriteString(",")
			}
			fmt.Fprintf(p, " %s", escaped(words.Activity(a.Name, a.Minutes)))
		}
		p.WriteString(".\n")
	}
	fmt.Fprintf(p, "\n**%s**; %s in %s. %s %s\n", words.APIRoutines, p.scale.Noun(), p.scale.Unit(), words.APIDisclaimer, words.APISums(b.Runs))
	rows := table{{"method", "average", "calls", "all", "share"}}
	for _, r := range b.Routines[:min(len(b.Routines), maxAPIs)] {
		rows = append(rows, []string{p.name(r.Method), p.scale.Amount(r.Average), tally(r.Calls), p.scale.Amount(r.Energy), words.Percent(r.Share)})
	}
	rows.write(&p.Builder)
	fmt.Fprintf(p, "\n**%s**; %s in %s.\n", words.APIList, p.scale.Noun(), p.scale.Unit())
	rows = table{{"API", "all", "share", "calls", "a call"}}
	for _, a := range b.APIs[:min(len(b.APIs), maxAPIs)] {
		rows = append(rows, []string{p.name(a.Method), p.scale.Amount(a.Energy), words.Percent(a.Share), tally(a.Calls), p.scale.Amount(a.Each)})
	}
	rows.write(&p.Builder)
	if len(b.Missing) == 0 {
		return
	}
	fmt.Fprintf(p, "\n**%s**\n", words.APIMissing)
	rows = table{{"API", "calls", "why"}}
	for _, m := range b.Missing[:min(len(b.Missing), maxAPIs)] {
		rows = append(rows, []string{p.name(m.Method), tally(m.Calls), words.APIReason(m.Reason)})
	}
	rows.write(&p.Builder)
}

// name formats the name of a method.
func (p *profilePage) name(label string) string { return literal(cmp.Or(p.names[label], label)) }

// batteryUse writes Android's own estimate of the charge of components and apps.
func (p *profilePage) batteryUse() {
	u := p.BatteryUse
	if u == nil {
		return
	}
	fmt.Fprintf(p, "\n**%s**; in mAh. %s\n", words.BatteryUse, escaped(words.BatteryUseLegend(words.Name(u.Path), u.Computed, u.ActualLeast, u.ActualMost)))
	for i, note := range u.Notes {
		if i == 0 {
			p.WriteString("\n")
		}
		fmt.Fprintf(p, "- %s\n", escaped(note.Message))
	}
	rows := table{{"component", "mAh", "share"}}
	for _, c := range u.Components[:min(len(u.Components), maxAPIs)] {
		rows = append(rows, []string{escaped(c.Name), words.MilliampereHours(c.Charge), words.Percent(c.Share)})
	}
	rows.write(&p.Builder)
	p.WriteString("\n")
	rows = table{{"uid", "mAh", "share"}}
	for _, user := range u.Users[:min(len(u.Users), maxAPIs)] {
		rows = append(rows, []string{escaped(strings.TrimSpace(user.UID + " " + user.Package)), words.MilliampereHours(user.Charge), words.Percent(user.Share)})
	}
	rows.write(&p.Builder)
}
