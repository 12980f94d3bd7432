package analysis

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// replacements finds work for which an app method makes other calls in the other run. For example,
// a method formats text with String.format in one run and joins strings in the other. The calls
// have no counterparts. The energy of the new calls is new only as far as it exceeds the energy of
// the old calls.
//
// An old call and a new call must meet these conditions:
//
//   - The old call is a task that the subject lacks, or that uses at most half as much in the
//     subject.
//   - The new call is a task that the reference lacks, or that uses at least twice as much in the
//     subject.
//   - The same app method makes both: the innermost one above the calls that is in both runs. Its
//     own code counts as one of its calls.
//   - At least one of the two calls is in one run only. Smaller differences also occur between two
//     runs of the same program.
type replacements struct {
	*codeNumbers
	table *table
	trees [2]*preprocess.Tree
	// less and more are the rows that use less and more in the subject, by edge.caller. The tasks
	// have numbers after those of the app's methods. rows has their indices in the table.
	less, more map[int32][]exchanged
	rows       []int
	// inner has the tasks that use more and are inside another such task.
	inner []nested
	// falling and rising are the tasks in less and more.
	falling, rising []placedTask
}

type nested struct {
	outer int32
	row   int
}

// exchanged is a row that may exchange energy with others. most is the part of its difference that
// may move. alone is true if only one run has the row.
type exchanged struct {
	number int32
	most   units.Energy
	alone  bool
}

// newReplacements collects the rows of a table and numbers its tasks. here and there are the edges
// of the two runs.
func (t *table) newReplacements(r *Result, n *codeNumbers, here, there map[edge]units.Energy) *replacements {
	p := &replacements{
		codeNumbers: n, table: t, trees: [2]*preprocess.Tree{r.Subject.Tree, r.Reference.Tree},
		less: make(map[int32][]exchanged), more: make(map[int32][]exchanged),
	}
	// The energy of a moved task is not part of the tasks around it.
	type place struct {
		node  int32
		row   int
		moved bool
	}
	var rising, falling []place
	for i := range r.Tasks {
		task := &r.Tasks[i]
		if row, ok := t.tasks[task.Node]; !ok {
			continue
		} else if peer := counterpart(task); t.rows[row].doubled() {
			rising = append(rising, place{task.Node, row, task.Moved()})
		} else if peer >= 0 && t.rows[row].halved() {
			falling = append(falling, place{peer, row, task.Moved()})
		}
	}
	for node, row := range t.there {
		if t.rows[row].subject.absent {
			falling = append(falling, place{node, row, false})
		}
	}
	byNode := func(a, b place) int { return cmp.Compare(a.node, b.node) }
	slices.SortFunc(rising, byNode)
	slices.SortFunc(falling, byNode)
	end, outer := int32(0), int32(0)
	for _, at := range falling {
		if at.node < end && !at.moved {
			continue // it is inside a task that uses less
		}
		end = max(end, p.trees[1].Nodes[at.node].End)
		p.falling = append(p.falling, placedTask{p.add(p.less, 1, at.node, at.row), at.node})
	}
	end = 0
	for _, at := range rising {
		if at.node < end && !at.moved {
			p.inner = append(p.inner, nested{outer, at.row})
			continue
		}
		number := p.add(p.more, 0, at.node, at.row)
		p.rising = append(p.rising, placedTask{number, at.node})
		if at.node >= end {
			end, outer = p.trees[0].Nodes[at.node].End, number
		}
	}
	p.addCode(r, here, there)
	return p
}

// saving returns the subject's energy minus the reference's energy.
func (c *compared) saving() units.Energy { return c.subject.energy - c.reference.energy }

// doubled reports whether a row uses at least twice as much in the subject.
func (c *compared) doubled() bool {
	return c.subject.energy > 0 && c.subject.energy >= 2*c.reference.energy
}

// halved reports whether a row uses at most half as much in the subject.
func (c *compared) halved() bool {
	return c.reference.energy > 0 && c.reference.energy >= 2*c.subject.energy
}

// add gives a task a number and adds it to list under its caller. node is the task's node in run.
func (p *replacements) add(list map[int32][]exchanged, run int, node int32, row int) (number int32) {
	tree, saving := p.trees[run], p.table.rows[row].saving()
	number = int32(len(p.codeNumbers.saving))
	p.codeNumbers.saving, p.rows = append(p.codeNumbers.saving, saving), append(p.rows, row)
	calls := tree.Callers(node)
	if len(calls) == 0 {
		return number
	}
	main := slices.MaxFunc(calls, func(a, b preprocess.Call) int { return cmp.Compare(a.Energy, b.Energy) })
	if tree.Source.Nodes[main.Source].Method == cct.NoMethod {
		return number
	}
	caller := p.around[run][main.Source]
	if caller < 0 {
		caller = -1 - int32(tree.Nodes[tree.Image[main.Source]].Label)
	}
	list[caller] = append(list[caller], exchanged{number, min(max(saving, -saving), main.Energy), p.table.rows[row].subject.absent || p.table.rows[row].reference.absent})
	return number
}

// addCode adds the app's own code. If both runs have a method, its own code counts as one of its
// calls.
func (p *replacements) addCode(r *Result, here, there map[edge]units.Energy) {
	for i := range r.AppCode.Rows {
		row, number := &r.AppCode.Rows[i], int32(i)
		switch {
		case row.Peer == nil:
		case row.Energy > 0 && row.Energy >= 2*row.Peer.Energy:
			p.more[number] = append(p.more[number], exchanged{number, row.Saving, false})
		case row.Peer.Energy > 0 && row.Peer.Energy >= 2*row.Energy:
			p.less[number] = append(p.less[number], exchanged{number, -row.Saving, false})
		}
	}
	for run, edges := range []map[edge]units.Energy{here, there} {
		list := [2]map[int32][]exchanged{p.more, p.less}[run]
		for e, energy := range edges {
			if !p.both[e.callee] && energy > 0 {
				list[e.caller] = append(list[e.caller], exchanged{e.callee, energy, true})
			}
		}
	}
}

// transfers lists what may have moved between the calls of one method, and between tasks that share
// work. It leaves out transfers between two app methods, which extracted finds.
func (p *replacements) transfers() (found []transfer) {
	code := func(number int32) bool { return int(number) < len(p.both) }
	for caller, less := range p.less {
		for _, from := range less {
			for _, to := range p.more[caller] {
				if (from.alone || to.alone) && (!code(from.number) || !code(to.number)) {
					found = append(found, transfer{from.number, to.number, min(from.most, to.most)})
				}
			}
		}
	}
	return append(found, p.relocated(p.falling, p.rising)...)
}

// leave sets the energy that moved between tasks and other rows. A task inside another task was
// replaced together with it.
func (p *replacements) leave(moved []movedEnergy) {
	for i, row := range p.rows {
		p.table.rows[row].leave(moved[len(p.both)+i])
	}
	for _, in := range p.inner {
		row := &p.table.rows[in.row]
		row.elsewhere = min(row.elsewhere, max(moved[in.outer].calls, -row.saving()))
	}
}
