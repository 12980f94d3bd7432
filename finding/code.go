package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// CodeIDs returns the identities of all rows of a result's app code, in the order of the rows. The
// identity of an app method is a hash of its label. The identity of a callback is a hash of its
// path. For tasks, see IDs.
func CodeIDs(r *analysis.Result) []string {
	known := newIdentities(r.Subject.Tree)
	ids := make([]string, len(r.AppCode.Rows))
	for i := range r.AppCode.Rows {
		c := &r.AppCode.Rows[i]
		if c.Kind == appcode.Callback {
			ids[i] = known.id(c.Parts[0].Node)
			continue
		}
		ids[i] = codeID(c.Method.Label())
	}
	return ids
}

// codeID returns the identity of the app method with a label. It differs from the identity of any
// path, because a path's hash begins with the root's label and its length.
func codeID(label string) string {
	sum := sha256.Sum256([]byte("app code:" + label))
	return hex.EncodeToString(sum[:8])
}

// CodeMethods returns the app methods whose energy is in AppCode.Rows[row], sorted by energy.
func CodeMethods(r *analysis.Result, row int) []name.Method {
	var found []name.Method
	seen := make(map[trace.MethodID]bool)
	for _, part := range r.AppCode.Rows[row].Parts {
		if !seen[part.Method] {
			seen[part.Method] = true
			found = append(found, r.Subject.Tree.Source.Methods[part.Method])
		}
	}
	return found
}

// A Ranked is a row in the common ranking of tasks and app code. Index is an index into
// Result.AppCode.Rows if Code is true, and into Result.Tasks otherwise.
type Ranked struct {
	Code  bool
	Index int
}

// A Weight is the sort key of a row. The order of rows is:
//  1. rows that a fleet of devices suspects
//  2. rows that count as findings (see Standing)
//  3. rows whose additional cost is more than chance
//  4. by saving, then by energy
type Weight struct {
	Suspect, IsFinding, Costlier bool
	Saving, Energy               units.Energy
}

func (w Weight) compare(o Weight) int {
	first := func(here, there bool) int {
		switch {
		case here == there:
			return 0
		case here:
			return 1
		}
		return -1
	}
	return cmp.Or(first(w.Suspect, o.Suspect), first(w.IsFinding, o.IsFinding), first(w.Costlier, o.Costlier),
		cmp.Compare(w.Saving, o.Saving), cmp.Compare(w.Energy, o.Energy))
}

// Ranking ranks the set's tasks and app code together.
func (s *Set) Ranking() []Ranked {
	r := s.Result
	tasks, code := make([]Weight, len(r.Tasks)), make([]Weight, len(r.AppCode.Rows))
	for i := range tasks {
		standing := s.judged.task(&r.Tasks[i])
		tasks[i] = Weight{s.Suspect(i), standing.IsFinding, standing.Costlier(), r.Tasks[i].Saving, r.Tasks[i].Energy}
	}
	for i := range code {
		row := &r.AppCode.Rows[i]
		standing := s.judged.code(row)
		code[i] = Weight{false, standing.IsFinding, standing.Costlier(), row.Saving, row.Energy}
	}
	return Rank(tasks, code)
}

// Rank merges tasks and app code into one list, sorted by decreasing weight. Both inputs must be
// sorted. If weights are equal, tasks come first.
func Rank(tasks, code []Weight) []Ranked {
	ranking := make([]Ranked, 0, len(tasks)+len(code))
	at := 0
	for i, task := range tasks {
		for ; at < len(code) && code[at].compare(task) > 0; at++ {
			ranking = append(ranking, Ranked{true, at})
		}
		ranking = append(ranking, Ranked{false, i})
	}
	for ; at < len(code); at++ {
		ranking = append(ranking, Ranked{true, at})
	}
	return ranking
}

// A CodeFinding is a finding about a row of app code.
type CodeFinding struct {
	Finding
	// Row is an index into Result.AppCode.Rows.
	Row int
}

// RowMethod returns an app method that represents a row of app code, and the method's exclusive
// energy in the row. If the row is a callback with several methods, it is the method that uses
// most.
func RowMethod(r *analysis.Result, row *appcode.Row) (name.Method, units.Energy) {
	if row.Kind == appcode.Method || len(row.Parts) == 0 {
		return row.Method, row.Energy
	}
	sums := make(map[trace.MethodID]units.Energy)
	most := row.Parts[0].Method
	for _, p := range row.Parts {
		sums[p.Method] += p.Energy
	}
	for _, p := range row.Parts {
		if sums[p.Method] > sums[most] {
			most = p.Method
		}
	}
	return r.Subject.Tree.Source.Methods[most], sums[most]
}

// findCode makes the findings about app code. It links each to the costs of its recorded methods.
func (s *Set) findCode(d *detail, costs []Cost) {
	r := s.Result
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		standing := s.Standing(Ranked{Code: true, Index: i})
		if !standing.IsFinding {
			continue
		}
		method, own := RowMethod(r, row)
		d.code = append(d.code, CodeFinding{Row: i, Finding: Finding{
			Code: CostlierCode, ID: s.CodeID(i), Callee: row.Method, Method: method, Matched: row.Peer != nil,
			Sites: []Site{{Method: method, Calls: row.Calls, Energy: own}}, Energy: row.Energy, Standing: standing,
		}})
	}
	byLabel := make(map[string]*CodeFinding, len(d.code))
	for i := range d.code {
		if label := d.code[i].Method.Label(); byLabel[label] == nil {
			byLabel[label] = &d.code[i]
		}
	}
	for i := range costs {
		costs[i].Code = byLabel[costs[i].Method.Label()]
	}
}
