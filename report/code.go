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

// An AppCode is the exclusive energy of a piece of the app's own code. The piece is a method of the
// app in all its contexts, or one callback with the methods that run in it.
type AppCode struct {
	// ID is the same in all comparisons of the same subject.
	ID string `json:"id"`
	// Kind is "method" or "callback".
	Kind string `json:"kind"`
	// Status, Verdict, Message, Saving and Split have the same meaning as in a Task.
	Status  string        `json:"status"`
	Verdict words.Verdict `json:"verdict"`
	Message string        `json:"message"`
	// Place is the method and its declaration. A callback has no File.
	Place
	// Path leads to the callback in which the code uses the most energy. Node is the node of this
	// callback. Omitted has the same meaning as in a Task.
	Path    []string `json:"path"`
	Omitted int      `json:"pathOmitted,omitempty"`
	Node    int32    `json:"node"`
	// Energy is the exclusive energy of the code. Share is its share of the subject's energy. Own is
	// the part of Energy outside tasks. The sum of Own over all tasks and app code counts no energy
	// twice.
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	Own    units.Energy `json:"ownNJ"`
	Counts
	// Parts divides Energy, the largest part first. The parts of a method are the callbacks that
	// lead to it. The parts of a callback are its methods. PartCount is the number of all parts;
	// Parts has only the first few.
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

// A CodePart is the exclusive energy of an app method in calls from a callback.
type CodePart struct {
	// Callback is the label of the callback after preprocessing. For a slice it is the label of the
	// call around the slice. Place is the place of the method.
	Callback string `json:"callback"`
	Place
	// Own is set if the method is the app's own code. Library is the group of libraries that the
	// method belongs to, empty for none.
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
	// Match is the way in which the counterpart was found: "exact", "signature" (other parameters),
	// "moved" (another class), "tasks" (a callback with half of its tasks in common) or "alike"
	// (another name and the same shape).
	Match string `json:"match"`
	// How describes Match in words. It is empty for "exact".
	How string `json:"how"`
}

// mostParts is the number of parts of app code in a report.
const mostParts = 10

// Code returns the row of app code with this index.
func (ts *RowWriter) Code(at int) AppCode {
	r := ts.set.Result
	row := &r.AppCode.Rows[at]
	parts, count := shownParts(r.Subject.Tree, row.Parts)
	c := AppCode{
		ID:        ts.set.CodeID(at),
		Kind:      words.CodeKind(row),
		Status:    "unmatched",
		Verdict:   words.VerdictOf(ts.set.Standing(finding.Ranked{Code: true, Index: at}), row.Saving),
		Message:   words.AppCode(r, at, words.Each(r.Unit(nil), r.Voltage)),
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

// callbackOf returns the label of the callback of a node of app code. A slice is never merged into
// a callback, so for a slice it returns the label of the call around it.
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

// shownParts merges the parts of a method whose callbacks have the same label. It returns the parts
// that a report shows, the largest first, and the number of all parts.
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
	return merged[:min(len(merged), mostParts)], len(merged)
}

// labelOf returns the label of a tree's node.
func labelOf(t *preprocess.Tree, node int32) string { return t.Labels.Text(t.Nodes[node].Label) }

// Outside divides the energy of a run that is outside of tasks.
type Outside struct {
	// AppCode is the exclusive energy of the app's methods. System is the energy of framework code
	// outside the calls of app methods. Recorder is the energy of recording. Waiting is the energy
	// of the time in which the run waited. Toplevel is the energy outside of all methods.
	AppCode  units.Energy `json:"appCodeNJ"`
	System   units.Energy `json:"systemNJ"`
	Recorder units.Energy `json:"recorderNJ"`
	Waiting  units.Energy `json:"waitingNJ"`
	Toplevel units.Energy `json:"toplevelNJ"`
}

// A RunSummary sums up the energy of the reference. Summary sums up the energy of the subject.
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

// A CodeSummary sums up the app's own code over all rows, inside tasks and outside. It includes rows
// that are not shown.
type CodeSummary struct {
	// OneApp is set if both runs belong to the same app. Rows are then methods.
	OneApp          bool         `json:"oneApp"`
	Rows            int          `json:"rows"`
	Matched         int          `json:"matched"`
	MatchedEnergy   units.Energy `json:"matchedNJ"`
	UnmatchedEnergy units.Energy `json:"unmatchedNJ"`
	// Own is the energy of app code outside of tasks: Outside.AppCode.
	Own units.Energy `json:"ownNJ"`
	// ReferenceOnly is the energy of the reference's code that is in no row.
	ReferenceOnly units.Energy `json:"referenceOnlyNJ"`
}
