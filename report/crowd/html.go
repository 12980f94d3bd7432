package crowd

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/diffprof/diffprof/report/html"
	"github.com/diffprof/diffprof/report/words"
)

// titles has the title and the description of each answer.
var titles = map[string][2]string{
	"hogs":    {"Apps that use a lot of energy on most devices", "Hogs, by how much shorter a charge is while they run."},
	"bugs":    {"Apps that use a lot of energy on some devices only", "Bugs: on these devices the app uses more than on others. The names of devices are hashed."},
	"actions": {"What this device could do", "The apps in the device's last sample. The gain per charge is multiplied by the share of time for which the app runs."},
	"scores":  {"Battery life of devices compared with similar devices", "The score is the percentage of the cohort, which are similar devices, with a shorter battery life. The names of devices are hashed."},
}

func writeHTML(w io.Writer, d *Document) error { return html.WriteArticle(w, article(d)) }

// article returns the page of an answer.
func article(d *Document) *html.Article {
	page := &html.Article{Title: titles[d.view][0]}
	var lead html.Section
	if about := titles[d.view][1]; about != "" {
		lead.Parts = append(lead.Parts, html.Text(about))
	}
	lead.Parts = append(lead.Parts, html.Dim(d.Fleet.Life()))
	var others []html.Section
	switch d.view {
	case "hogs":
		lead.Parts = append(lead.Parts, table(hogTable(d.Hogs), d.Fleet.NoHogs()))
	case "bugs":
		lead.Parts = append(lead.Parts, table(bugTable(d.Bugs), "No bugs were found."))
	case "actions":
		lead.Parts = append(lead.Parts, table(actionTable(d.Actions), "No app that runs on this device now is known to use a lot of energy."))
	case "scores":
		lead.Parts = append(lead.Parts, html.Part{Table: scoreTable(d.Scores)})
	case "suggestion":
		page.Title = "What to record for " + d.Suggestion.App
		lead.Parts = append(lead.Parts, d.Suggestion.lead()...)
		others = d.Suggestion.sections()
	case "app":
		page.Title = d.App.Name + ": " + d.App.Verdict
		lead.Parts = append(lead.Parts, d.App.lead()...)
		others = d.App.sections(d.Fleet.Clients > 0)
	}
	page.Sections = append([]html.Section{lead}, others...)
	if d.showsLeftOut() {
		t := &html.Table{Columns: []html.Column{{Title: "what"}, {Title: "number", Figure: true}}}
		for _, c := range d.LeftOut {
			t.Rows = append(t.Rows, []html.Cell{text(c.What), text(words.Count(c.N))})
		}
		page.Sections = append(page.Sections, html.Section{Title: "Left out", Parts: []html.Part{{Table: t}}})
	}
	if len(d.Notes) > 0 {
		notes := html.Section{Title: "Notes"}
		for _, n := range d.Notes {
			notes.Parts = append(notes.Parts, html.Dim(n))
		}
		page.Sections = append(page.Sections, notes)
	}
	return page
}

// table returns a table, or the sentence none if the table has no rows.
func table(t *html.Table, none string) html.Part {
	if len(t.Rows) == 0 {
		return html.Text(none)
	}
	return html.Part{Table: t}
}

func text(s string) html.Cell { return html.Cell{Text: s} }

func hogTable(hogs []Hog) *html.Table {
	t := &html.Table{Columns: []html.Column{
		{Title: "app"}, {Title: "while it runs, a charge is shorter by", Short: "a charge is shorter by", Figure: true},
		{Title: "and lasts", Figure: true}, {Title: "it uses more", Figure: true}, {Title: "devices", Figure: true},
	}}
	column := lifeReductions(hogs)
	var p picture
	for i := range hogs {
		h := &hogs[i]
		t.Rows = append(t.Rows, []html.Cell{
			{Text: h.Name(), Note: h.doubt()}, text(column[i]), text(h.lives()), text(words.PercentPerHour(h.Excess, h.Half)), text(words.Count(h.Clients)),
		})
		row := []value{h.withoutApp(), h.withApp()}
		for i := range h.Conditions {
			row = append(row, h.Conditions[i].conditional())
		}
		p.add(row...)
	}
	p.draw(t, "what devices use, and by condition", "use")
	return t
}

func bugTable(bugs []Bug) *html.Table {
	t := &html.Table{Columns: []html.Column{
		{Title: "app"}, {Title: "device", Figure: true}, {Title: "while it runs, a charge lasts", Figure: true},
		{Title: "it uses more", Figure: true}, {Title: "pairs of samples", Figure: true},
	}}
	var p picture
	for i := range bugs {
		b := &bugs[i]
		t.Rows = append(t.Rows, []html.Cell{
			{Text: b.App, Note: b.confoundedText()}, text(b.Client), text(b.lives()), text(words.PercentPerHour(b.Excess, b.Half)), text(words.Count(b.Pairs)),
		})
		p.add(b.withoutApp(), b.withApp())
	}
	p.draw(t, "what the device uses", "use")
	return t
}

func actionTable(actions []Action) *html.Table {
	t := &html.Table{Columns: []html.Column{{Title: "what to do"}, {Title: "a charge is longer by", Figure: true}, {Title: "it runs", Figure: true}}}
	var p picture
	for i := range actions {
		a := &actions[i]
		t.Rows = append(t.Rows, []html.Cell{
			{Text: a.Advice + " " + a.App, Note: confoundedText(a.Confounded)}, text(words.Gain(a.Minutes, a.Least, a.Most)), text(words.TwoDigits(100*a.Share) + " % of the time"),
		})
		p.add(value{"gain", "", "with", a.Minutes, a.Least, a.Most})
	}
	p.draw(t, "with its interval", "")
	return t
}

func scoreTable(scores []Score) *html.Table {
	t := &html.Table{Columns: []html.Column{{Title: "device"}, {Title: "score"}, {Title: "cohort"}, {Title: "devices in it", Figure: true}, {Title: "use", Figure: true}}}
	for i := range scores {
		s := &scores[i]
		score, drain := html.Cell{Note: s.Missing}, html.Cell{}
		if s.Score != nil {
			score = text(fmt.Sprint(*s.Score))
		}
		if s.Rate > 0 {
			drain.Text = words.TwoDigits(s.Rate*3600) + " %/h"
			if s.Active {
				drain.Note = "screen on"
			}
		}
		t.Rows = append(t.Rows, []html.Cell{text(s.Client), score, text(s.Cohort), text(words.Count(s.N)), drain})
	}
	return t
}

// lead shows both recordings, and how much more energy the subject uses according to the fleet.
func (s *Suggestion) lead() []html.Part {
	t := &html.Table{Columns: []html.Column{{Title: "recording"}, {Title: "it uses more", Figure: true}}}
	var p picture
	add := func(what, style string, d Drain) {
		t.Rows = append(t.Rows, []html.Cell{text(what), text(words.ExcessPerHour(d.Excess, d.Half))})
		p.add(value{map[string]string{"with": "record", "without": "compare"}[style], "", style, d.Excess, d.Excess - d.Half, d.Excess + d.Half})
	}
	if s.Drain != nil {
		add("Record "+s.Recording(), "with", *s.Drain)
	}
	if s.Against != nil {
		add("Compare with "+s.Against.Text(), "without", s.Against.Drain)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	p.draw(t, "by the fleet's samples", "use")
	return []html.Part{{Table: t}}
}

func (s *Suggestion) sections() (all []html.Section) {
	how, missing := html.Section{Title: "How"}, html.Section{Title: "What is missing"}
	for _, c := range s.Commands {
		how.Parts = append(how.Parts, html.Dim(c.For), html.Part{Command: c.Line})
	}
	for _, m := range s.Missing {
		missing.Parts = append(missing.Parts, html.Text(m))
	}
	for _, section := range []html.Section{how, missing} {
		if len(section.Parts) > 0 {
			all = append(all, section)
		}
	}
	return all
}

func (a *App) lead() (parts []html.Part) {
	if h := a.Hog; h != nil {
		text := fmt.Sprintf("While the app runs%s, a full charge is shorter by %s and lasts %s. The app uses %s more. %s ran it.",
			when(h.When), h.minutes(), h.lives(), words.PercentPerHour(h.Excess, h.Half), words.Some(h.Clients, "device"))
		if len(h.Confounded) > 0 {
			text += " It cannot be distinguished from " + strings.Join(h.Confounded, ", ") + "."
		}
		parts = append(parts, html.Text(text))
	}
	if a.BugsOn > 0 {
		parts = append(parts, html.Text(fmt.Sprintf("It is a bug on %s.", words.Some(a.BugsOn, "device"))))
	}
	return parts
}

// sections returns the charts, conditions and remedies of an app. Without devices, the sections
// describe all rates.
func (a *App) sections(devices bool) (all []html.Section) {
	conditions, remedies := "The discharge rate, by condition", "What could be done"
	if devices {
		conditions, remedies = "How much more it uses, by condition", "What could be done other than closing it"
	}
	add := func(title string, part html.Part) {
		all = append(all, html.Section{Title: title, Parts: []html.Part{part}})
	}
	if chart := curve(a.Rates); chart != nil {
		add("Rates with the app (solid) and without it (dashed)", html.Part{Chart: chart})
	}
	if a.Tree != nil {
		root := a.Tree.shown()
		add(conditions, html.Part{Tree: &root})
	}
	if len(a.Remedies) > 0 {
		t := &html.Table{Columns: []html.Column{{Title: "what to do"}, {Title: remedyPrefix(devices), Figure: true}}}
		for _, r := range a.Remedies {
			t.Rows = append(t.Rows, []html.Cell{text(strings.Join(r.Advice, ", ") + when(r.When)), text(r.use(devices))})
		}
		add(remedies, html.Part{Table: t})
	}
	if chart := grow(a.Growth); chart != nil {
		add("How the estimate converges with more devices", html.Part{Chart: chart})
	}
	return all
}

func (n *Node) shown() html.Node {
	node := html.Node{Text: n.Condition, Note: words.Drained(n.Drain, n.Half)}
	for _, child := range []*Node{n.With, n.Without} {
		if child != nil {
			node.Children = append(node.Children, child.shown())
		}
	}
	return node
}

// curve draws the distributions of rates, on a logarithmic axis (Carat, Figures 3 and 15). It is
// nil for fewer than two rates.
func curve(classes []Class) *html.Chart {
	with, without := html.Line{Style: "with"}, html.Line{Style: "without"}
	most := 0.0
	for _, c := range classes {
		if c.Rate > 0 {
			with.Points = append(with.Points, [2]float64{c.Rate, c.With})
			without.Points = append(without.Points, [2]float64{c.Rate, c.Without})
			most = max(most, c.With, c.Without)
		}
	}
	if len(with.Points) < 2 || most == 0 {
		return nil
	}
	x := html.Axis{From: with.Points[0][0], To: with.Points[len(with.Points)-1][0], Log: true}
	for _, hour := range []float64{0.5, 1, 2, 5, 10, 20, 50, 100} {
		if rate := hour / 3600; rate > x.From && rate < x.To {
			x.Ticks = append(x.Ticks, html.Tick{At: rate, Text: words.TwoDigits(hour) + " %/h"})
		}
	}
	return &html.Chart{
		Label: "Distribution of rates with the app and without it", X: x, Y: html.Axis{To: most, Ticks: []html.Tick{}}, Lines: []html.Line{without, with},
		Caption: "horizontal: the discharge rate between two samples; vertical: the share of the pairs of samples with this rate; pairs without a discharge are not drawn",
	}
}

// grow draws the change of an estimate with the number of clients (Carat, Figure 18). It is nil for
// fewer than two estimates.
func grow(points []Point) *html.Chart {
	if len(points) < 2 {
		return nil
	}
	chart := &html.Chart{
		Label: "The estimate and its interval as data is added", X: html.Axis{Log: true},
		Caption: "devices, or rates for the paper's method; the band is the 95 % interval",
	}
	var band html.Band
	line := html.Line{Style: "with"}
	for _, p := range points {
		chart.Y.From, chart.Y.To = min(chart.Y.From, p.Mean-p.Half), max(chart.Y.To, p.Mean+p.Half)
		chart.X.Ticks = append(chart.X.Ticks, html.Tick{At: float64(p.N), Text: fmt.Sprint(p.N)})
		band.Points = append(band.Points, [3]float64{float64(p.N), p.Mean - p.Half, p.Mean + p.Half})
		line.Points = append(line.Points, [2]float64{float64(p.N), p.Mean})
	}
	chart.X.From, chart.X.To = float64(points[0].N), float64(points[len(points)-1].N)
	if chart.X.From == chart.X.To || chart.Y.From == chart.Y.To || math.IsNaN(chart.Y.To) {
		return nil
	}
	chart.Y.Ticks = []html.Tick{{At: 0, Text: "0"}, {At: chart.Y.To, Text: words.TwoDigits(chart.Y.To*3600) + " %/h"}}
	chart.Bands, chart.Lines = []html.Band{band}, []html.Line{line}
	return chart
}
