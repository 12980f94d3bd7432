package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// Apps writes the overlap of the apps of a group, as three tables.
func Apps(w io.Writer, g *report.AppGroup, o report.Options) error {
	scale := g.Scale(o)
	var b strings.Builder
	fmt.Fprintf(&b, "**%s, %s**; %s in %s (%s).\n\n%s\n", words.Some(len(g.Apps), "app"), words.Some(len(g.Pairs), "comparison"), scale.Noun(), scale.Unit(), strings.Join(g.EnergyFrom, ", "), words.GroupTasks)
	apps := table{{"app", scale.Noun(), "tasks"}}
	for k := range g.Apps {
		apps[0] = append(apps[0], fmt.Sprint(k))
	}
	apps[0] = append(apps[0], "unique", "0, equal paths")
	for _, a := range g.Apps {
		row := []string{literal(a.Name), scale.Amount(a.Energy), words.Count(a.Tasks)}
		for _, n := range a.SharedTasks {
			row = append(row, words.Count(n))
		}
		apps = append(apps, append(row, words.Percent(a.Share), words.Count(a.ExactShared[0])))
	}
	apps.write(&b)
	fmt.Fprintf(&b, "\n%s\n", words.GroupOverlap)
	overlaps := table{{"app"}}
	for j := range g.Apps {
		overlaps[0] = append(overlaps[0], fmt.Sprint(j+1))
	}
	for i, a := range g.Apps {
		row := []string{fmt.Sprintf("%d %s", i+1, literal(a.Name))}
		for j := range g.Apps {
			row = append(row, overlap(g, i, j))
		}
		overlaps = append(overlaps, row)
	}
	overlaps.write(&b)
	if len(g.Tasks) > 0 {
		fmt.Fprintf(&b, "\n%s\n", words.GroupTasksLegend)
		duties := table{{"task", "room", "apps, least energy first"}}
		for _, d := range g.Tasks {
			users := make([]string, len(d.Users))
			for i, u := range d.Users {
				users[i] = literal(g.Apps[u.App].Name) + " " + words.Spent(scale, u.Energy, u.Calls, d.PerCall, u.Verdict)
			}
			duties = append(duties, []string{literal(d.Short) + " from " + literal(d.Under), scale.Amount(d.Saving), d.Ranked(users, " &lt; ")})
		}
		duties.write(&b)
		if hidden := g.Total - len(g.Tasks); hidden > 0 {
			fmt.Fprintf(&b, "\n%s more.\n", words.Some(hidden, "task"))
		}
	}
	fmt.Fprintf(&b, "\n%s.\n", strings.ToUpper(g.Spread[:1])+g.Spread[1:])
	for _, n := range g.Notes {
		fmt.Fprintf(&b, "\n- %s\n", escaped(n.Message))
	}
	for _, f := range g.Failures {
		fmt.Fprintf(&b, "\n- left out: %s\n", escaped(f.Message))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// overlap returns the text of a cell in the table of overlaps.
func overlap(g *report.AppGroup, i, j int) string {
	pair, ok := g.Pair(i, j)
	switch {
	case i == j:
		return ""
	case !ok:
		return "?"
	case j > i:
		return words.Percent(pair.Tasks)
	}
	return words.Percent(pair.Methods)
}
