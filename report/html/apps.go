package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

var (
	//go:embed apps.css
	appsStyle string
	//go:embed apps.tmpl
	appsText string

	appsTemplate = template.Must(template.New("apps").Parse(appsText))
)

// appsPage is what the template of a group's page shows. The page has no script.
type appsPage struct {
	Title, Policy                            string
	Style                                    template.CSS
	Unit, Noun, From                         string
	Others                                   []int
	TasksText, OverlapText, DutiesText, More string
	Apps                                     []appsRow
	Map                                      heatMap
	Duties                                   []appsDuty
	Failures                                 []string
}

type appsRow struct {
	Name, Energy, Tasks, Unique, Exact string
	With                               []string
	// Bar is the length of its bar, in hundredths of the longest.
	Bar int64
}

type appsDuty struct {
	Name, Room, Command string
	Users               []string
}

// A heatMap has a square for each two apps.
type heatMap struct {
	Width, Height int
	Names, Heads  []heatText
	Cells         []heatCell
}

type heatText struct {
	X, Y int
	Text string
}

type heatCell struct {
	X, Y, Side, MiddleX, MiddleY int
	// Opacity is the share that the cell stands for.
	Opacity, Text, Tip string
	Strong, None       bool
}

// Apps writes what the apps of a group have in common: Table 3, Figure 1 and Figure 2 of
// DiffProf (OSDI 2018), and who does a task for least.
func Apps(w io.Writer, g *report.AppGroup, o report.Options) error {
	scale, most := g.Scale(o), g.Most()
	sum := sha256.Sum256([]byte(appsStyle))
	page := appsPage{
		Title:  words.Some(len(g.Apps), "app") + ", " + words.Some(len(g.Pairs), "comparison"),
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Style:  template.CSS(appsStyle), Unit: scale.Unit(), Noun: scale.Noun(), From: strings.Join(g.EnergyFrom, ", "),
		TasksText: words.GroupTasks, OverlapText: words.GroupOverlap, DutiesText: words.GroupDuties, Map: newHeatMap(g),
	}
	for i, a := range g.Apps {
		page.Others = append(page.Others, i)
		row := appsRow{Name: a.Name, Energy: scale.Amount(a.Energy), Tasks: words.Count(a.Tasks), Unique: words.Percent(a.Share), Exact: words.Count(a.ExactWith[0])}
		if most > 0 {
			row.Bar = units.MulDiv(int64(a.Energy), 100, int64(most))
		}
		for _, n := range a.With {
			row.With = append(row.With, words.Count(n))
		}
		page.Apps = append(page.Apps, row)
	}
	for _, d := range g.Duties {
		row := appsDuty{Name: d.Short, Room: scale.Amount(d.Room)}
		for _, u := range d.Users {
			row.Users = append(row.Users, g.Apps[u.App].Name+" "+words.Spent(scale, u.Energy, u.Calls, d.PerCall, u.Verdict))
		}
		if last := d.Users[len(d.Users)-1]; last.Task != "" {
			row.Command = "diffprof flask --task " + last.Task + " " + g.Apps[last.App].Path + " " + g.Apps[d.Users[0].App].Path
		}
		page.Duties = append(page.Duties, row)
	}
	if hidden := g.Total - len(g.Duties); hidden > 0 {
		page.More = words.Some(hidden, "method") + " more: --top 0 shows all."
	}
	for _, f := range g.Failures {
		page.Failures = append(page.Failures, f.Message)
	}
	if err := appsTemplate.Execute(w, page); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}

// newHeatMap draws what each two apps have in common: methods below the diagonal, tasks above.
func newHeatMap(g *report.AppGroup) heatMap {
	const side, letter, head = 46, 7, 24
	left := 0
	for _, a := range g.Apps {
		left = max(left, min(utf8.RuneCountInString(a.Name), 30))
	}
	left = (left+4)*letter + 8
	m := heatMap{Width: left + side*len(g.Apps) + 2, Height: head + side*len(g.Apps) + 2}
	for i, a := range g.Apps {
		middle := side*i + side/2
		m.Names = append(m.Names, heatText{2, head + middle + 4, fmt.Sprintf("%d %s", i+1, shortened(a.Name, 30))})
		m.Heads = append(m.Heads, heatText{left + middle, head - 8, fmt.Sprint(i + 1)})
		for j := range g.Apps {
			if i == j {
				continue
			}
			c := heatCell{X: left + side*j, Y: head + side*i, Side: side, MiddleX: left + side*j + side/2, MiddleY: head + side*i + side/2 + 4}
			pair, ok := g.Pair(i, j)
			share, what := pair.Tasks, "of the tasks are matched"
			if j < i {
				share, what = pair.Methods, "of the framework methods are called by both"
			}
			if c.None = !ok; ok {
				c.Opacity, c.Text, c.Strong = fmt.Sprintf("%.3f", 0.06+0.94*share), fmt.Sprintf("%.0f%%", 100*share), share > 0.5
				c.Tip = fmt.Sprintf("%s and %s: %s %s", a.Name, g.Apps[j].Name, words.Percent(share), what)
			} else {
				c.Text, c.Tip = "?", a.Name+" and "+g.Apps[j].Name+" were not compared"
			}
			m.Cells = append(m.Cells, c)
		}
	}
	return m
}

// shortened cuts a text to n characters.
func shortened(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
