package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The limits of a MethodList. Views load and search the whole list.
const (
	maxMethods = 3_000
	maxLinks   = 12_000
)

// A MethodList is a table of methods for interactive views, stored as columns of equal length.
// Methods and links with little energy may be missing. finding.MethodTable describes the laws of
// the figures.
type MethodList struct {
	// Total counts all methods, including methods that are not listed.
	Total   int          `json:"total"`
	Labels  []string     `json:"labels"`
	Methods FlaskMethods `json:"methods"`
	// Owner is 1 for methods of the framework, and 2 for methods of the app. It is 0 for the root,
	// and for methods that belong to their callers.
	Owner []int `json:"owner"`
	// Own reports whether each method is the app's own code. Library is the group of libraries of
	// each method, or empty.
	Own           []bool         `json:"own"`
	Library       []string       `json:"library"`
	SubjectSelf   []units.Energy `json:"subjectSelfNJ"`
	Subject       []units.Energy `json:"subjectNJ"`
	ReferenceSelf []units.Energy `json:"referenceSelfNJ"`
	Reference     []units.Energy `json:"referenceNJ"`
	// SubjectTimes and ReferenceTimes are calls or samples, as Report.Counts says. They are 0 if
	// unknown.
	SubjectTimes   []int64     `json:"subjectTimes"`
	ReferenceTimes []int64     `json:"referenceTimes"`
	Links          MethodLinks `json:"links"`
}

// MethodLinks has the energy of calls between methods, stored as columns. Caller and Callee are
// indices into the list.
type MethodLinks struct {
	// Total counts all links, including links that are not listed.
	Total          int            `json:"total"`
	Caller         []int          `json:"caller"`
	Callee         []int          `json:"callee"`
	Subject        []units.Energy `json:"subjectNJ"`
	Reference      []units.Energy `json:"referenceNJ"`
	SubjectTimes   []int64        `json:"subjectTimes"`
	ReferenceTimes []int64        `json:"referenceTimes"`
}

var ownerCode = map[platform.Owner]int{platform.Framework: 1, platform.App: 2}

// NewMethodList lists the methods of one run, or of the subject and the reference, sorted by energy
// with callees. For one run the reference's columns are 0.
func NewMethodList(inputs ...*analysis.Input) *MethodList {
	table := finding.ByMethod(inputs...)
	var kinds []trace.Calls
	for _, in := range inputs {
		kinds = append(kinds, in.Trace.Calls)
	}
	counted := words.Counts(kinds...)
	times := func(run int, u finding.Use) int64 {
		if run >= len(kinds) {
			return 0
		}
		return counts(kinds[run], u.Calls).Value(counted)
	}

	order := heaviest(len(table.Methods), maxMethods, func(i int) [2]finding.Use { return table.Methods[i].Runs })
	out := &MethodList{Total: len(table.Methods)}
	methods := make([]name.Method, 0, len(order))
	at := make([]int, len(table.Methods)) // the index in the list, plus one
	for _, i := range order {
		m := &table.Methods[i]
		here, there := m.Runs[0], m.Runs[1]
		methods = append(methods, m.Method)
		out.Labels = append(out.Labels, m.Method.Label())
		out.Owner, out.Own, out.Library = append(out.Owner, ownerCode[m.Owner]), append(out.Own, m.Own), append(out.Library, m.Library)
		out.SubjectSelf, out.ReferenceSelf = append(out.SubjectSelf, here.Self), append(out.ReferenceSelf, there.Self)
		out.Subject, out.Reference = append(out.Subject, here.All), append(out.Reference, there.All)
		out.SubjectTimes, out.ReferenceTimes = append(out.SubjectTimes, times(0, here)), append(out.ReferenceTimes, times(1, there))
		at[i] = len(out.Labels)
	}
	out.Methods = newFlaskMethods(methods)

	l := &out.Links
	*l = MethodLinks{
		Total: len(table.Links), Caller: []int{}, Callee: []int{}, Subject: []units.Energy{}, Reference: []units.Energy{},
		SubjectTimes: []int64{}, ReferenceTimes: []int64{},
	}
	for _, i := range heaviest(len(table.Links), maxLinks, func(i int) [2]finding.Use { return table.Links[i].Runs }) {
		link := &table.Links[i]
		if at[link.Caller] == 0 || at[link.Callee] == 0 {
			continue
		}
		here, there := link.Runs[0], link.Runs[1]
		l.Caller, l.Callee = append(l.Caller, at[link.Caller]-1), append(l.Callee, at[link.Callee]-1)
		l.Subject, l.Reference = append(l.Subject, here.All), append(l.Reference, there.All)
		l.SubjectTimes, l.ReferenceTimes = append(l.SubjectTimes, times(0, here)), append(l.ReferenceTimes, times(1, there))
	}
	return out
}

// heaviest returns the indices of the uses with the most energy in either run. The parameter most
// limits their number. Ties go to the lower index.
func heaviest(n, most int, runsOf func(i int) [2]finding.Use) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	energy := func(i int) units.Energy {
		runs := runsOf(i)
		return max(runs[0].All, runs[1].All)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(energy(b), energy(a)) })
	return order[:min(n, most)]
}
