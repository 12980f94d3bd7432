package markdown

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// Trend writes a list of the commits since which something uses more or less energy, and the next
// runs to measure. A folded table has the entries of each series.
func Trend(w io.Writer, t *report.Trend, o report.Options) error {
	scale := t.Scale(o)
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s in %s (%s).\n", escaped(t.Scope()), scale.Noun(), scale.Unit(), t.EnergyFrom)
	if t.Judged > 1 {
		fmt.Fprintf(&b, "\n%s.\n", words.Judged(t.Judged, t.Changed, t.Rate))
	}
	b.WriteString("\n")
	for i := range t.Series {
		s := &t.Series[i]
		fmt.Fprintf(&b, "- %s **%s**: %s\n", sign(s), escaped(t.Name(s)), escaped(t.Verdict(s, scale)))
		for _, advice := range t.Advice(s) {
			fmt.Fprintf(&b, "  - next: %s\n", escaped(advice))
		}
	}
	for i := range t.Series {
		entries(&b, t, &t.Series[i], scale)
	}
	for _, note := range t.Warnings {
		fmt.Fprintf(&b, "\n- warning: %s\n", escaped(note.Message))
	}
	fmt.Fprintf(&b, "\n%s.\n", escaped(words.TrendMethod))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// sign returns a symbol that shows whether a series rose or fell.
func sign(s *report.TrendSeries) string {
	switch c := s.Latest(); {
	case c == nil:
		return "·"
	case c.Difference > 0:
		return "🔺"
	}
	return "🔽"
}

// entries writes a row for each entry of a series, folded.
func entries(b *strings.Builder, t *report.Trend, s *report.TrendSeries, scale words.Scale) {
	fmt.Fprintf(b, "\n<details><summary>%s, entry by entry</summary>\n", escaped(t.Name(s)))
	rows := table{{"entry", "version", "date", "runs", "median", "95% interval", "change"}}
	change := 0
	for i, e := range t.Entries {
		p := &s.Points[i]
		row := []string{escaped(e.Name), escaped(e.Version), e.Time.Format(time.DateOnly), words.Count(len(p.Runs)), scale.Energy(p.Median), "–", ""}
		if p.Least != nil {
			row[5] = scale.Amount(*p.Least) + " to " + scale.Amount(*p.Most)
		}
		if change < len(s.Changes) && s.Changes[change].Entry == i {
			row[6] = words.Growth(s.Changes[change].Growth)
			change++
		}
		rows = append(rows, row)
	}
	rows.write(b)
	b.WriteString("\n</details>\n")
}
