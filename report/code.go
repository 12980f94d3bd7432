package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An AppCode is the energy of one piece of the app's own code, without callees. The piece is a
// method, or a callback (an app method called by the framework) with all app methods below it.
type AppCode struct {
	// ID is the same in all comparisons of the same subject.
	ID string `json:"id"`
	// Kind is "method", "callback" or "slice".
	Kind string `json:"kind"`
	// Status, Verdict, Message, Saving and Split have the same meaning as in a Task.
	Status  string        `json:"status"`
	Verdict words.Verdict `json:"verdict"`
	Message string        `json:"message"`
	// Place is the method and its declaration. A callback has no File.
	Place
	// Path leads to the callback below which the code uses the most energy. Node is this callback's
	// node. Omitted counts path labels left out in the middle.
	Path    []string `json:"path"`
	Omitted int      `json:"pathOmitted,omitempty"`
	Node    int32    `json:"node"`
	// Energy excludes callees. Share is its share of the subject's energy. Own is the part of
	// Energy outside tasks. Own can be added up over tasks and app code without counting energy
	// twice.
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	Own    units.Energy `json:"ownNJ"`
	Counts
	// Parts breaks down Energy, the largest part first. A method has one part per callback, and a
	// callback one part per method. PartCount is the number of all parts; Parts has the first few.
	Parts     []CodePart   `json:"parts"`
	PartCount int          `json:"partCount"`
	Threads   []string     `json:"threads"`
	Peer      *CodePeer    `json:"peer"`
	Saving    units.Energy `json:"savingNJ"`
	Standing
	Split *Split `json:"split"`
	// Evidence has the same meaning as in a Task.
	Evidence *Evidence `json:"evidence"`
}

// A CodePart is the energy of one app method below one callback, without callees.
type CodePart struct {
	// Callback is the label of the callback after preprocessing. A slice (work that the program
	// itself named) has the label of the call around it. Place is the place of the method.
	Callback string `json:"callback"`
	Place
	// Own is set if the method is the app's own code. Library names its group of libraries, or is
	// empty.
	Own     bool         `json:"own"`
	Library string       `json:"library"`
	Energy  units.Energy `json:"energyNJ"`
}

// A CodePeer is the reference's counterpart of app code.
type CodePeer struct {
	Place
	Path    []string     `json:"path"`
	Omitted int          `json:"pathOmitted,omitempty"`
	Energy  units.Energy `json:"energyNJ"`
	Share   float64      `json:"share"`
	Own     units.Energy `json:"ownNJ"`
	Counts
	// Match is how the counterpart was found: "exact", "signature" (other parameters), "moved"
	// (another class), "tasks" (a callback with half of its tasks in common) or "alike" (another
	// name, the same shape).
	Match string `json:"match"`
	// How is Match in words, or "" for "exact".
	How string `json:"how"`
}

// maxParts is the number of parts of app code in a report.
const maxParts = 10

// Code returns the report's entry for a row of app code.
func (ts *RowWriter) Code(at int) AppCode {
	r := ts.set.Result
	row := &r.AppCode.Rows[at]
	parts, count := shownParts(r.Subject.Tree, row.Parts)
	c := AppCode{
		ID:        ts.set.CodeID(at),
		Kind:      words.CodeKind(row),
		Status:    "unmatched",
		Verdict:   words.VerdictOf(ts.set.Standing(finding.Ranked{Code: true, Index: at}), row.Saving),
		Message:   words.AppCode(r, at, words.ScalePerFigure(r.Unit(nil), r.Voltage)),
		Place:     placeOf(row.Method),
		Node:      row.Parts[0].Node,
		Energy:    row.Energy,
		Share:     units.Share(row.Energy, r.Subject.Energy),
		Own:       row.Own,
		Counts:    counts(r.Subject.Trace.Calls, row.Calls),
		Parts:     []CodePart{},
		PartCount: count,
		Threads:   ts.threadsOf(row.Parts[0].Node),
		Saving:    row.Saving,
		Standing:  ts.standing(finding.Ranked{Code: true, Index: at}),
	}
	c.Path, c.Omitted = ts.subject.labels(c.Node)
	for _, p := range parts {
		c.Parts = append(c.Parts, CodePart{
			Callback: callbackOf(r.Subject.Tree, p.Node), Place: placeOf(r.Subject.Tree.Source.Methods[p.Method]),
			Own: r.Subject.Own.Is(p.Method), Library: r.Subject.Libraries[p.Method], Energy: p.Energy,
		})
	}
	if p := row.Peer; p != nil {
		c.Status = "matched"
		c.Peer = &CodePeer{
			Place:  placeOf(p.Method),
			Energy: p.Energy, Share: units.Share(p.Energy, r.Reference.Energy), Own: p.Own,
			Counts: counts(r.Reference.Trace.Calls, p.Calls),
			Match:  row.Match.String(), How: words.CodeMatch(row.Match),
		}
		c.Peer.Path, c.Peer.Omitted = ts.reference.labels(p.Parts[0].Node)
	}
	c.Evidence = evidence(r, r.Repeats.Code(row), row.Saving)
	if row.Split != nil {
		c.Split = newSplit(r, row.Split.Calls, row.Split.PerCall)
	}
	return c
}

// callbackOf returns the label of the callback that a node of app code is in. A slice (work that
// the program itself named) is not a callback, so the call around it is used.
func callbackOf(t *preprocess.Tree, node int32) string {
	if n := &t.Nodes[node]; t.Labels.Method(n.Label).IsSlice() {
		node = n.Parent
	}
	return labelOf(t, node)
}

// threadsOf returns the names of the threads of a callback's node. It caches them, because many
// rows may have the same node.
func (ts *RowWriter) threadsOf(node int32) []string {
	names, ok := ts.threads[node]
	if !ok {
		names = finding.ThreadNames(&ts.set.Result.Subject, node)
		ts.threads[node] = names
	}
	return names
}

// shownParts adds up parts with the same method and callback label. It returns the largest
// maxParts, and the number of all.
func shownParts(t *preprocess.Tree, parts []appcode.Part) (shown []appcode.Part, count int) {
	type key struct {
		callback preprocess.LabelID
		method   trace.MethodID
	}
	at := make(map[key]int)
	var merged []appcode.Part
	for _, p := range parts {
		k := key{t.Nodes[p.Node].Label, p.Method}
		if i, ok := at[k]; ok {
			merged[i].Energy += p.Energy
			continue
		}
		at[k] = len(merged)
		merged = append(merged, p)
	}
	slices.SortStableFunc(merged, func(a, b appcode.Part) int { return cmp.Compare(b.Energy, a.Energy) })
	return merged[:min(len(merged), maxParts)], len(merged)
}

// labelOf returns the label of a tree's node.
func labelOf(t *preprocess.Tree, node int32) string { return t.Labels.Text(t.Nodes[node].Label) }

// Outside breaks down the energy that belongs to no task.
type Outside struct {
	// AppCode is the energy of the app's methods without callees. System is framework code that no
	// app method called. Recorder is the cost of recording. Waiting is the energy while the run
	// waited. Toplevel is outside all methods.
	AppCode  units.Energy `json:"appCodeNJ"`
	System   units.Energy `json:"systemNJ"`
	Recorder units.Energy `json:"recorderNJ"`
	Waiting  units.Energy `json:"waitingNJ"`
	Toplevel units.Energy `json:"toplevelNJ"`
}

// A RunSummary sums up the reference's energy. It has some of the fields of Summary.
type RunSummary struct {
	Tasks              int          `json:"tasks"`
	Matched            int          `json:"matched"`
	Unmatched          int          `json:"unmatched"`
	MatchedEnergy      units.Energy `json:"matchedNJ"`
	UnmatchedEnergy    units.Energy `json:"unmatchedNJ"`
	OutsideTasksEnergy units.Energy `json:"outsideTasksNJ"`
	Outside            Outside      `json:"outside"`
}

// appCodeSummary sums up the app's own code.
func appCodeSummary(c *appcode.Comparison) CodeSummary {
	return CodeSummary{
		OneApp: c.OneApp, Rows: c.Sum.Rows, Matched: c.Sum.Matched,
		MatchedEnergy: c.Sum.MatchedEnergy, UnmatchedEnergy: c.Sum.UnmatchedEnergy, Own: c.Sum.Own, ReferenceOnly: c.Only.Energy,
	}
}

// A CodeSummary sums up all rows of app code, including rows that are not shown.
type CodeSummary struct {
	// OneApp is set if both runs belong to the same app. Rows are then methods.
	OneApp          bool         `json:"oneApp"`
	Rows            int          `json:"rows"`
	Matched         int          `json:"matched"`
	MatchedEnergy   units.Energy `json:"matchedNJ"`
	UnmatchedEnergy units.Energy `json:"unmatchedNJ"`
	// Own is the energy of app code outside tasks, equal to Outside.AppCode.
	Own units.Energy `json:"ownNJ"`
	// ReferenceOnly is the energy of reference code without a counterpart.
	ReferenceOnly units.Energy `json:"referenceOnlyNJ"`
}
