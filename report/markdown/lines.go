package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Lines writes a table of source lines of one run or of two.
func Lines(w io.Writer, l *report.Lines, o report.Options) error {
	scale, names, two := scaleOf(o, l.Subject, l.Reference), apart(l.Methods), l.Reference != nil
	var p strings.Builder
	if l.Measures() {
		fmt.Fprintf(&p, "%s.\n", escaped(l.Precision()))
		// The measured energy replaces the modelled energy of methods.
		l = l.WithoutRows()
	} else {
		fmt.Fprintf(&p, "**%s**; %s in %s. %s.\n\n%s.\n\n", words.LinesTitle(two, l.RowNoun(), l.Sort, scale.Noun()), scale.Noun(), scale.Unit(), words.LinesLegend(two, l.Sort), escaped(l.Precision()))
	}
	between := func(least, most *units.Energy) string {
		if least == nil || most == nil {
			return "–"
		}
		return scale.Amount(*least) + " to " + scale.Amount(*most)
	}
	known := func(e *units.Energy) string {
		if e == nil {
			return "–"
		}
		return scale.Amount(*e)
	}
	rows := table{{l.RowNoun(), "code", "self", "95%", "share", "all"}}
	if l.Sort == report.ByAll {
		rows = table{{l.RowNoun(), "code", "all", "95%", "share", "self"}}
	}
	if two {
		rows = table{{l.RowNoun(), "code", "difference", "95%", l.Sort, "there", ""}}
	}
	for _, r := range l.Rows {
		text := l.Name(&r, names[r.Method])
		row := []string{literal(text), owner(r.Owner, r.Own)}
		if two {
			rows = append(rows, append(row, scale.Amount(*r.Saving), between(r.From, r.To), scale.Amount(l.SortEnergy(&r.Subject)), scale.Amount(l.SortEnergy(r.Reference)), r.Verdict))
			continue
		}
		e, least, most, share, other := r.Subject.Sorted(l.Sort)
		part := words.Percent(share)
		if e == nil {
			part = "–"
		}
		rows = append(rows, append(row, known(e), between(least, most), part, known(other)))
	}
	if l.ByMethod {
		fmt.Fprintf(&p, "%s.\n\n", escaped(words.MethodsNote))
	}
	if len(l.Rows) > 0 {
		rows.write(&p)
	}
	if text := l.Unlisted(scale); text != "" {
		fmt.Fprintf(&p, "\n%s\n", text)
	}
	writeLineMeters(&p, l, o)
	switch {
	case l.MeteredPairs != nil:
		writeMeteredPairs(&p, l, o)
	case l.Metered != nil && !two:
		writeMetered(&p, l, l.Metered, o)
	}
	if x := l.Executions; x != nil {
		fmt.Fprintf(&p, "\n**%s**; %s. %s. %s.\n\n", words.ExecutionsTitle, words.PathCounts(x.Paths, x.Stopped, x.Unknown, x.Times),
			words.ExecutionsLegend, words.PathCost(x.Overhead, x.Busy, x.Joined))
		rows := table{{"line", "executions", "stopped"}}
		for _, r := range x.Rows {
			rows = append(rows, []string{literal(l.Place(&r, names[r.Method])), words.Count(r.Count), words.Count(r.Stopped)})
		}
		rows.write(&p)
		if n := x.Unlisted(); n > 0 {
			fmt.Fprintf(&p, "\n%s\n", words.MoreLines(n))
		}
	}
	for i, note := range slices.Concat(l.Comparability, l.Doubts()) {
		if i == 0 {
			p.WriteString("\n")
		}
		fmt.Fprintf(&p, "- %s\n", escaped(note.Message))
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}
