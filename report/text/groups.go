package text

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// groups writes the table of groups. Below each group are the ranks of its tasks.
func (p *page) groups(r *report.Report) {
	rows := make([]table.Row, len(r.Groups))
	for i, g := range r.Groups {
		rows[i] = table.Row{i + 1, p.saving(g.Saving), p.amount(g.Energy), words.Percent(g.Share), p.amount(g.Reference), words.Count(len(g.Tasks))}
	}
	lines := aligned(table.Row{"#", words.DifferenceHeading(r.Summary.LittleInCommon), "subject", "share", "reference", "tasks"}, rows)
	p.paragraph(p.faint, words.Grouped(r.GroupedBy, r.Summary.LittleInCommon)+"; "+p.measure()+". A task inside another task of its group is counted with the outer task.")
	p.linef("")
	p.linef("%s", p.head(lines[0]+r.GroupedBy))
	names := p.groupNames(r)
	for i, g := range r.Groups {
		p.linef("%s%s", lines[i+1], p.bold(cutLeft(names[i], p.width-cells(lines[i+1]))))
		noun := "tasks"
		if len(g.Places) == 1 {
			noun = "task"
		}
		p.linef("    %s %s", p.faint(noun), places(g.Places, p.width-10))
		if len(g.Suspects) > 0 {
			p.detail("fleet", p.note("suspect")+" "+places(g.Suspects, p.width-18))
		}
	}
	if hidden := r.AllGroups - len(r.Groups); hidden > 0 {
		p.linef("")
		p.linef("%s", p.faint(words.Some(hidden, "group")+" more: --top 0 shows all."))
	}
}

// groupNames returns a short, unique name for each group.
func (p *page) groupNames(r *report.Report) []string {
	names, methods := make([]string, len(r.Groups)), make([]name.Method, len(r.Groups))
	for i, g := range r.Groups {
		methods[i] = r.Methods[g.Name]
	}
	apart := name.DistinctNames(methods)
	for i, g := range r.Groups {
		_, known := r.Methods[g.Name]
		switch {
		case g.Name == "":
			names[i] = "(no " + r.GroupedBy + ")"
		case known:
			names[i] = clean(apart[i])
		default:
			names[i] = clean(g.Name)
		}
	}
	return names
}

// places lists as many numbers as fit, such as "1, 4, 7, +3 more".
func places(numbers []int, room int) string {
	var list strings.Builder
	for i, n := range numbers {
		next := fmt.Sprint(n)
		if i > 0 {
			next = ", " + next
		}
		more := fmt.Sprintf(", +%d more", len(numbers)-i)
		if i > 0 && list.Len()+len(next)+len(more) > room {
			return list.String() + more
		}
		list.WriteString(next)
	}
	return list.String()
}
