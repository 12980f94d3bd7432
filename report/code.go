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

// An AppCode is what a piece of the app's own code drains itself, without what it
// calls: a method of the app in all of its contexts, or one callback with the methods
// that it was made of.
type AppCode struct {
	// ID is the same in every run on the same subject.
	ID string `json:"id"`
	// Kind is "method" or "callback".
	Kind string `json:"kind"`
	// Status, Verdict, Message, Saving and Split have the same meaning as in a Task.
	Status  string        `json:"status"`
	Verdict words.Verdict `json:"verdict"`
	Message string        `json:"message"`
	// Place is the method's; a callback has no File.
	Place
	// Path leads to the callback in which the code drains most, Node is its node.
	// Omitted is as a Task has it.
	Path    []string `json:"path"`
	Omitted int      `json:"pathOmitted,omitempty"`
	Node    int32    `json:"node"`
	// Energy is what the code drains itself, Share its part of the subject. Own is what
	// of it lies outside of tasks: the sum over a subject's tasks and app code of Own
	// counts nothing twice.
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	Own    units.Energy `json:"ownNJ"`
	Counts
	// Parts are where the energy is, largest first: for a method the callbacks of one name that
	// lead to it, for a callback the methods in it. PartCount is the number of all parts. Parts has
	// the first few.
	Parts     []CodePart   `json:"parts"`
	PartCount int          `json:"partCount"`
	Threads   []string     `json:"threads"`
	Peer      *CodePeer    `json:"peer"`
	Saving    units.Energy `json:"savingNJ"`
	Standing
	Split *Split `json:"split"`
	// Evidence is as a Task has it.
	Evidence *Evidence `json:"evidence"`
}

// A CodePart is what a method of the app drains itself in calls from a callback.
type CodePart struct {
	// Callback is the callback's label after preprocessing, Place the method's.
	Callback string `json:"callback"`
	Place
	// Own is whether the method is the app's own, Library the group of libraries that it
	// is in, empty for none.
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
	// Match says how the counterpart was found: "exact", "signature" (other parameters),
	// "moved" (another class), "tasks" (a callback, half of whose tasks are the same) or "alike"
	// (another name and the same shape).
	Match string `json:"match"`
	// How says the same to people; empty for "exact".
	How string `json:"how"`
}

// mostParts is how many parts of app code a report has.
const mostParts = 10

// Code is the row of app code with this index.
func (ts *RowWriter) Code(at int) AppCode {
	r := ts.set.Result
	row := &r.AppCode.Rows[at]
	parts, count := shownParts(r.Subject.Tree, row.Parts)
	c := AppCode{
		ID:        ts.set.CodeID(at),
		Kind:      words.CodeKind(row.Kind),
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
			Callback: labelOf(r.Subject.Tree, p.Node), Place: placeOf(r.Subject.Tree.Source.Methods[p.Method]),
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

// threadsOf names the threads of a callback's node. The node may have many rows.
func (ts *RowWriter) threadsOf(node int32) []string {
	names, ok := ts.threads[node]
	if !ok {
		names = finding.ThreadNames(&ts.set.Result.Subject, node)
		ts.threads[node] = names
	}
	return names
}

// shownParts puts parts of one method into one where their callbacks have one label. It
// returns those that a report has, the dearest first, and how many there are in all.
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

// labelOf is the label of a tree's node.
func labelOf(t *preprocess.Tree, node int32) string { return t.Labels.Text(t.Nodes[node].Label) }

// Outside parts what a run drains outside of tasks.
type Outside struct {
	// AppCode is what the app's methods drain themselves, System what the framework
	// does on its way to them and without the app, Recorder what recording took,
	// Waiting what was charged while the run waited, Toplevel what no method drains.
	AppCode  units.Energy `json:"appCodeNJ"`
	System   units.Energy `json:"systemNJ"`
	Recorder units.Energy `json:"recorderNJ"`
	Waiting  units.Energy `json:"waitingNJ"`
	Toplevel units.Energy `json:"toplevelNJ"`
}

// A RunSummary adds up what the reference drains, as Summary does for the subject.
type RunSummary struct {
	Tasks              int          `json:"tasks"`
	Matched            int          `json:"matched"`
	Unmatched          int          `json:"unmatched"`
	MatchedEnergy      units.Energy `json:"matchedNJ"`
	UnmatchedEnergy    units.Energy `json:"unmatchedNJ"`
	OutsideTasksEnergy units.Energy `json:"outsideTasksNJ"`
	Outside            Outside      `json:"outside"`
}

// appCodeSummary sums the app's own code up.
func appCodeSummary(c *appcode.Comparison) CodeSummary {
	return CodeSummary{
		OneApp: c.OneApp, Rows: c.Sum.Rows, Matched: c.Sum.Matched,
		MatchedEnergy: c.Sum.MatchedEnergy, UnmatchedEnergy: c.Sum.UnmatchedEnergy, Own: c.Sum.Own, ReferenceOnly: c.Only.Energy,
	}
}

// A CodeSummary adds up the app's own code over all rows, shown or not, inside of tasks
// and outside.
type CodeSummary struct {
	// OneApp reports whether both runs have the same app. Then rows are methods.
	OneApp          bool         `json:"oneApp"`
	Rows            int          `json:"rows"`
	Matched         int          `json:"matched"`
	MatchedEnergy   units.Energy `json:"matchedNJ"`
	UnmatchedEnergy units.Energy `json:"unmatchedNJ"`
	// Own is the energy of app code outside of tasks: Outside.AppCode.
	Own units.Energy `json:"ownNJ"`
	// ReferenceOnly is what code of the reference drains that is in no row.
	ReferenceOnly units.Energy `json:"referenceOnlyNJ"`
}
