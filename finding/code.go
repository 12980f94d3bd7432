package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// CodeIDs returns the identities of all rows of a result's app code, in their order, as IDs
// has those of tasks. An A-method's is made of its label, a callback's of its path.
func CodeIDs(r *analysis.Result) []string {
	known := newIdentities(r.Subject.Tree)
	ids := make([]string, len(r.AppCode.Rows))
	for i := range r.AppCode.Rows {
		c := &r.AppCode.Rows[i]
		if c.Kind == appcode.Callback {
			ids[i] = known.of(c.Parts[0].Node)
			continue
		}
		// Paths begin with the root's label and its length.
		sum := sha256.Sum256([]byte("app code:" + c.Method.Label()))
		ids[i] = hex.EncodeToString(sum[:8])
	}
	return ids
}

// CodeMethods are the methods of the app that drain the result's row of app code with this
// index, the dearest first.
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

// A Ranked is a row of the one list that a comparison's tasks and app code make: an
// index of Result.Tasks, or of Result.AppCode.Rows.
type Ranked struct {
	Code  bool
	Index int
}

// A Weight is what a row is ranked by: whether a fleet makes it suspect, whether repeated runs are evidence of a difference,
// what it saves and, where rows save the same, what it drains.
type Weight struct {
	Suspect, Evident bool
	Saving, Energy   units.Energy
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
	return cmp.Or(first(w.Suspect, o.Suspect), first(w.Evident, o.Evident),
		cmp.Compare(w.Saving, o.Saving), cmp.Compare(w.Energy, o.Energy))
}

// Ranking lists a result's tasks and its app code. Tasks that are suspect stand first in the result, as
// First puts them; s may be nil.
func Ranking(r *analysis.Result, s *Suspicion) []Ranked {
	tasks, code := make([]Weight, len(r.Tasks)), make([]Weight, len(r.AppCode.Rows))
	for i := range tasks {
		_, suspect := s.Of(&r.Tasks[i])
		tasks[i] = Weight{suspect, analysis.Evident(r.Repeats.Task(&r.Tasks[i])), r.Tasks[i].Saving, r.Tasks[i].Energy}
	}
	for i := range code {
		row := &r.AppCode.Rows[i]
		code[i] = Weight{false, analysis.Evident(r.Repeats.Code(row)), row.Saving, row.Energy}
	}
	return Rank(tasks, code)
}

// Rank makes one list of tasks and app code, the heaviest first, in which order both are
// given. Of equal ones tasks come first.
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

// actionable reports whether a row of app code is a finding: a method that drains more
// itself than in the reference. Callbacks by themselves, and methods of another app that
// have no counterpart, are none.
func actionable(r *analysis.Result, row *appcode.Row) bool {
	return row.Saving > 0 && row.Kind == appcode.Method && (row.Peer != nil || r.AppCode.OneApp)
}

// A CodeFinding is what was found out about one method of the app.
type CodeFinding struct {
	Finding
	// Row is an index of Result.AppCode.Rows.
	Row int
}

// code finds the methods of the app that drain more themselves than in the reference,
// and notes each with the costs of the methods that it was recorded as.
func (s *Set) code(costs []Cost) {
	r := s.Result
	ids := CodeIDs(r)
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		if !actionable(r, row) || r.Repeats != nil && !analysis.Evident(r.Repeats.Code(row)) {
			continue
		}
		s.Code = append(s.Code, CodeFinding{Row: i, Finding: Finding{
			Code: CostlierCode, ID: ids[i], Callee: row.Method, Method: row.Method, Matched: row.Peer != nil,
			Sites: []Site{{Method: row.Method, Calls: row.Calls}}, Energy: row.Energy, Saving: exactly(row.Saving),
		}})
	}
	of := make(map[string]*CodeFinding, len(s.Code))
	for i := range s.Code {
		of[s.Code[i].Method.Label()] = &s.Code[i]
	}
	for i := range costs {
		costs[i].Code = of[costs[i].Method.Label()]
	}
}
