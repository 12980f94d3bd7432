package server

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/finding"
	"github.com/diffprof/diffprof/units"
)

// Bounds of the flask in a hover: what one sees at a glance.
const (
	hoverShare = 0.05
	hoverRows  = 12
)

// markdown shows a task: what is to be said of it, its call path, and its two
// flasks side by side with their heaviest branches.
func (v *view) markdown(task int) (string, error) {
	r := v.layout.set.Result
	w := v.words()
	neck := len(v.layout.set.Report.Tasks[task].Path) - 1
	f := r.Flask(task, analysis.Prune{MinShare: hoverShare, MaxRows: neck + hoverRows})
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", escape(w.task(task)))
	var path []string
	for _, label := range v.layout.set.Report.Tasks[task].Path[1:] {
		path = append(path, escape(finding.Short(label)))
	}
	fmt.Fprintf(&b, "%s\n\n", strings.Join(path, " › "))
	fmt.Fprintf(&b, "| | %s | calls | %s | calls |\n|:---|---:|---:|---:|---:|\n",
		escape(finding.Name(r.Subject.Path)), escape(finding.Name(r.Reference.Path)))
	depth := make([]int, len(f.Rows))
	for i := int(f.F); i < len(f.Rows); i++ {
		row := &f.Rows[i]
		if row.Part == analysis.Neck {
			continue // what only the reference has above the F-method
		}
		if i > int(f.F) {
			depth[i] = depth[row.Parent] + 1
		}
		name, energy, calls := w.cells(row.Subject, row.Reference)
		fmt.Fprintf(&b, "| %s%s | %s | %s | %s | %s |\n", strings.Repeat("· ", depth[i]), name, energy[0], calls[0], energy[1], calls[1])
		if row.Pruned > 0 {
			fmt.Fprintf(&b, "| %s%d more | %s | | %s | |\n", strings.Repeat("· ", depth[i]+1), row.Pruned,
				w.orNothing(row.PrunedSubject), w.orNothing(row.PrunedReference))
		}
	}
	return b.String(), nil
}

// cells writes a row's name, and energy and calls of both sides.
func (w words) cells(subject, reference int32) (name string, energy, calls [2]string) {
	trees := w.set.Result
	for side, node := range [2]int32{subject, reference} {
		tree := trees.Subject.Tree
		if side == 1 {
			tree = trees.Reference.Tree
		}
		if node < 0 {
			energy[side] = "–"
			continue
		}
		n := &tree.Nodes[node]
		if label := escape(finding.Short(tree.Labels.Text(n.Label))); name == "" {
			name = label
		} else if name != label {
			name += " / " + label
		}
		energy[side] = w.energy(n.Inclusive)
		if n.Calls > 0 {
			calls[side] = fmt.Sprint(n.Calls)
		}
	}
	return name, energy, calls
}

// orNothing writes an energy, nothing for none.
func (w words) orNothing(e units.Energy) string {
	if e == 0 {
		return ""
	}
	return w.energy(e)
}
