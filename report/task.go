package report

import (
	"math"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Task is a framework method called by the app, in the context of its call path (DiffProf, OSDI
// 2018, Section 3.4). For example, List.add called by Feed.load is one task.
type Task struct {
	// ID is the same in all comparisons of the same subject.
	ID string `json:"id"`
	// Status is "matched" or "unmatched".
	Status string `json:"status"`
	// Verdict is the result of comparing the task: see words.VerdictOf.
	Verdict words.Verdict `json:"verdict"`
	// Message is one sentence with the figures, for people.
	Message string `json:"message"`
	Method  string `json:"method"`
	// Path is the call path from the root to the method, both included. It has labels after
	// preprocessing. Omitted counts labels left out in the middle of a long path.
	Path    []string `json:"path"`
	Omitted int      `json:"pathOmitted,omitempty"`
	// Node is the method's node in the subject's tree, as in Rows.SubjectNode.
	Node int32 `json:"node"`
	// Energy includes the callees of the method. Share is its share of the subject's energy.
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	// Components is Energy by component, the largest first. It is absent if the run has no energy
	// by component.
	Components []Component `json:"components,omitempty"`
	// Cause is the component that explains most of Saving. It is absent if that is the processor,
	// or unknown.
	Cause string `json:"cause,omitempty"`
	// Own is Energy without tasks inside this one. Own adds up to Summary.MatchedEnergy over all
	// matched tasks, and likewise for unmatched ones.
	Own units.Energy `json:"ownNJ"`
	Counts
	// CPUTime and WallTime are the time of the method with its callees, in nanoseconds. They are 0
	// if the recording lacks the clock.
	CPUTime  int64    `json:"cpuTimeNS"`
	WallTime int64    `json:"wallTimeNS"`
	Callers  []Caller `json:"callers"`
	// Threads are the names of the threads that called the method. It is empty if there were too
	// many to record.
	Threads []string `json:"threads"`
	// Peer is the counterpart in the reference, or nil for an unmatched task.
	Peer *Peer `json:"peer"`
	// PossiblePeer is a possible counterpart, but without enough evidence. It may be nil.
	PossiblePeer *PossiblePeer `json:"perhaps"`
	// Inside is the ID of the innermost task around this one, or nil. Outer is that task's position
	// in the ranked list, or 0.
	Inside *string `json:"inside"`
	Outer  int     `json:"-"`
	// Saving is Energy minus the peer's energy, or Energy for an unmatched task. It is negative if
	// the reference uses more. If PossiblePeer is set, it is an upper bound and not part of any
	// sum.
	Saving units.Energy `json:"savingNJ"`
	Standing
	// Elsewhere corrects Saving if calls moved to or from other tasks. It is the energy of:
	//
	//   - the reference's calls of this task in tasks other than the peer,
	//   - minus the peer's calls that the subject makes in other tasks.
	//
	// It is absent if it is 0. Moved is a sentence about the callbacks between which the task
	// moved, or absent.
	Elsewhere units.Energy `json:"elsewhereNJ,omitempty"`
	Moved     string       `json:"moved,omitempty"`
	// Split is nil unless both runs count calls.
	Split *Split `json:"split"`
	// Evidence is what repeated runs show about the saving. It is nil if a side has one run, or if
	// the task is too small to test.
	Evidence *Evidence `json:"evidence"`
	// Suspect says why the task may cause the excess that a fleet shows, or is absent.
	Suspect *Suspect `json:"suspect,omitempty"`
}

// A Caller is an app method that calls a task's method.
type Caller struct {
	Place
	Counts
	// Own is the method of the app's own code that is responsible. It is the caller itself, or the
	// innermost own method above a calling library. If there are several, it is the one with the
	// most energy. It is nil if there is none.
	Own *Place `json:"own"`
	// Through names the group of libraries that the method is in, or is empty.
	Through string `json:"through"`
}

// A Place is a method and its declaration. File is empty and Line is 0 if they are unknown. Line is
// the first line of the method.
type Place struct {
	Method string `json:"method"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	// CallLines are the lines of the calls in the method, from the class files. It is empty if they
	// are unknown.
	CallLines []int `json:"callLines,omitempty"`
}

// At returns the line to show: the line of the first call, else the line of the method. It returns
// 0 if both are unknown.
func (p Place) At() int {
	if len(p.CallLines) > 0 {
		return p.CallLines[0]
	}
	return p.Line
}

func placeOf(m name.Method) Place { return Place{Method: m.Label(), File: m.File, Line: m.Line} }

// A Peer is a task's counterpart in the reference. Share is its share of the reference's energy.
type Peer struct {
	Method string `json:"method"`
	// Path and Omitted have the same meaning as in a Task.
	Path    []string `json:"path"`
	Omitted int      `json:"pathOmitted,omitempty"`
	// Node is the method's node in the reference's tree, as in Rows.ReferenceNode.
	Node   int32        `json:"node"`
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	// Components has the same meaning as in a Task.
	Components []Component `json:"components,omitempty"`
	Counts
	// CPUTime, WallTime and Threads have the same meaning as in Task.
	CPUTime  int64    `json:"cpuTimeNS"`
	WallTime int64    `json:"wallTimeNS"`
	Threads  []string `json:"threads"`
	// Distance is the edit distance of the two paths. It is nil if they are too long to compute it.
	Distance *int32 `json:"distance"`
	// Match is how the counterpart was found:
	//
	//   - "exact": the same method and path;
	//   - "path": the same method under another path;
	//   - "hierarchy": a method of a superclass or subclass;
	//   - "moved": under another callback;
	//   - "delegate": one calls the other;
	//   - "renamed": another method with similar callees;
	//   - "likeness": similar name, calls and surroundings.
	//
	// If only some calls of the reference's task moved here, Energy, Share and Counts cover only
	// these calls, and Components, CPUTime and WallTime are missing.
	Match string `json:"match"`
	// How is Match in words, or "" for "exact".
	How        string     `json:"how"`
	Confidence Confidence `json:"confidence"`
}

// PossiblePeer is a possible counterpart without enough evidence. Its fields are as in a Peer.
type PossiblePeer struct {
	Method     string       `json:"method"`
	Path       []string     `json:"path"`
	Omitted    int          `json:"pathOmitted,omitempty"`
	Node       int32        `json:"node"`
	Energy     units.Energy `json:"energyNJ"`
	Distance   *int32       `json:"distance"`
	Match      string       `json:"match"`
	How        string       `json:"how"`
	Confidence Confidence   `json:"confidence"`
}

// Confidence is the evidence that two tasks are counterparts: eflask.Evidence, rounded to three
// decimals.
type Confidence struct {
	// Likelihood and Rival are nil if the tree matching alone decided. It computes no likelihood.
	Likelihood *float64 `json:"likelihood"`
	Name       float64  `json:"name"`
	// Below is nil if neither method has callees. Around is nil if it was not computed.
	Below  *float64 `json:"below"`
	Around *float64 `json:"around"`
	Rival  *float64 `json:"rival"`
	// Message describes the evidence in words. It is empty for an exact match.
	Message string `json:"message"`
}

// confidence returns the Confidence of a counterpart.
func confidence(f eflask.Found, e eflask.Evidence) Confidence {
	// The last digits of exponentials differ between processors.
	round := func(x float64) float64 { return math.Round(1000*x) / 1000 }
	known := func(x float64) *float64 {
		if x < 0 {
			return nil
		}
		x = round(x)
		return &x
	}
	return Confidence{
		Likelihood: known(e.Says()), Name: round(e.Name), Below: known(e.Below), Around: known(e.Around), Rival: known(e.Rival),
		Message: words.Confidence(f, e),
	}
}

// distance returns the distance for JSON, or nil if it is unknown.
func distance(d int32) *int32 {
	if d == eflask.Far {
		return nil
	}
	return &d
}

// A Split explains a saving by its two parts: different numbers of calls, and different energy per
// call.
type Split struct {
	Calls   units.Energy `json:"callsNJ"`
	PerCall units.Energy `json:"perCallNJ"`
	// Message describes the split in words. It is empty if both parts are 0.
	Message string `json:"message"`
}

func newSplit(r *analysis.Result, calls, perCall units.Energy) *Split {
	return &Split{calls, perCall, words.Split(calls, perCall, words.ScalePerFigure(r.Unit(nil), r.Voltage))}
}

// New makes the report of a comparison. It lists the first top rows of the ranking of tasks and app
// code, or all if top is 0. version is the version of the program.
func New(set *finding.Set, version string, top int) *Report {
	shown := set.Ranking()
	if top > 0 {
		shown = shown[:min(top, len(shown))]
	}
	return newReport(set, version, shown)
}

// newReport makes a report that lists the given rows.
func newReport(set *finding.Set, version string, shown []finding.Ranked) *Report {
	r := set.Result
	s, there := r.Summary, r.ReferenceSummary
	report := &Report{
		SchemaVersion: SchemaVersion,
		Tool:          Tool{Name: "diffprof", Version: version},
		Alpha:         newAlpha(r),
		Subject:       newInput(r.Subject),
		Reference:     newInput(r.Reference),
		SameContent:   r.SameContent,
		Counts:        words.Counts(r.Subject.Trace.Calls, r.Reference.Trace.Calls),
		Matching:      Matching{Size: r.Matching.Size, Pairs: len(r.Matching.Pairs)},
		Summary: Summary{
			Tasks:                s.Tasks,
			Matched:              s.Matched,
			Unmatched:            s.Unmatched,
			Possible:             s.Possible,
			Message:              words.Matched(r),
			LittleInCommon:       s.LittleInCommon(),
			MatchedEnergy:        s.MatchedEnergy,
			UnmatchedEnergy:      s.UnmatchedEnergy,
			OutsideTasksEnergy:   s.OutsideEnergy,
			MatchedEnergyShare:   units.Share(s.MatchedEnergy, r.Subject.Energy),
			UnmatchedEnergyShare: units.Share(s.UnmatchedEnergy, r.Subject.Energy),
			Outside:              Outside(s.Outside),
			AppCode:              appCodeSummary(r.AppCode),
			Reference: RunSummary{
				Tasks: there.Tasks, Matched: there.Matched, Unmatched: there.Unmatched,
				MatchedEnergy: there.MatchedEnergy, UnmatchedEnergy: there.UnmatchedEnergy,
				OutsideTasksEnergy: there.OutsideEnergy, Outside: Outside(there.Outside),
			},
		},
		Packages:      packageEnergies(r),
		Threads:       threadEnergies(r),
		Comparability: comparability(r.Comparability),
		Warnings:      notes(r.Warnings),
		Tasks:         []Task{},
		AppCode:       []AppCode{},
		Methods:       Methods{},
		Groups:        []Group{},
		Repeats:       newRepeats(r),
		Spread:        strings.TrimSuffix(words.Basis(r), "."),
		Judgement:     newJudgement(set),
		set:           set,
		Voltage:       r.Voltage,
	}
	report.Bundles = compareBundles(r, report.Methods)
	report.Summary.Savable = report.Judgement.Headline.SavableLeast
	rows := NewRowWriter(set)
	rows.fit(shown)
	for _, row := range shown {
		if row.Code {
			report.AppCode = append(report.AppCode, rows.Code(row.Index))
		} else {
			report.Tasks = append(report.Tasks, rows.Task(row.Index))
		}
		rows.AddMethods(report.Methods, row)
	}
	if set.Suspicion != nil {
		report.Fleet = newFleet(set.Suspicion, r)
	}
	return report
}

func newAlpha(r *analysis.Result) Alpha {
	a := Alpha{Requested: r.AlphaRequested, Used: r.Matching.Alpha, Coverage: make([]Coverage, len(r.Coverage))}
	switch r.AlphaRequested {
	case analysis.AutoAlpha:
		a.Requested = "auto"
	case analysis.PaperAlpha:
		a.Requested = "paper"
	}
	for i, c := range r.Coverage {
		a.Coverage[i] = Coverage{
			Alpha: c.Alpha, Matched: c.Matched, MatchedShare: c.Share(),
			MatchedEnergy: c.Energy, MatchedEnergyShare: units.Share(c.Energy, r.Subject.Energy),
		}
	}
	return a
}

// A RowWriter converts the rows of a set for reports. It is not safe for concurrent use.
type RowWriter struct {
	set                *finding.Set
	subject, reference *paths
	// taskRanks and codeRanks are the positions in the ranking, by index.
	taskRanks, codeRanks []int
	// threads caches the names of the threads of callbacks.
	threads map[int32][]string
}

// NewRowWriter prepares the rows of a set.
func NewRowWriter(set *finding.Set) *RowWriter {
	ts := &RowWriter{set: set, subject: newPaths(set.Result.Subject.Tree), reference: newPaths(set.Result.Reference.Tree), threads: make(map[int32][]string)}
	ts.taskRanks, ts.codeRanks = rank(set)
	return ts
}

// AddMethods adds the methods that a row's entry names.
func (ts *RowWriter) AddMethods(to Methods, row finding.Ranked) {
	tree := ts.set.Result.Subject.Tree
	subject, reference := ts.nodes(row)
	to.addPath(ts.subject, subject)
	if reference >= 0 {
		to.addPath(ts.reference, reference)
	}
	if row.Code {
		code := &ts.set.Result.AppCode.Rows[row.Index]
		to.add(code.Method)
		if code.Peer != nil {
			to.add(code.Peer.Method)
		}
		parts, _ := shownParts(tree, code.Parts)
		for _, p := range parts {
			to.add(tree.Source.Methods[p.Method], tree.Labels.Method(tree.Nodes[p.Node].Label))
		}
		return
	}
	for _, c := range eflask.Callers(tree, subject) {
		to.add(recorded(tree.Source, c.Source))
		if own := ts.set.Origin(c.Source).Own; own.Name != "" {
			to.add(own)
		}
	}
}

// Task returns the report's entry for a task.
func (ts *RowWriter) Task(at int) Task {
	r := ts.set.Result
	task := &r.Tasks[at]
	path, omitted := ts.subject.labels(task.Node)
	t := Task{
		ID:      ts.set.ID(at),
		Status:  "unmatched",
		Verdict: words.VerdictOf(ts.set.Standing(finding.Ranked{Index: at}), task.Saving),
		Message: words.Task(r, at, words.ScalePerFigure(r.Unit(nil), r.Voltage)),
		Method:  path[len(path)-1],
		Path:    path,
		Omitted: omitted,
		Node:    task.Node,
		Energy:  task.Energy,
		Share:   units.Share(task.Energy, r.Subject.Energy),
		Own:     task.Own,
		Counts:  counts(r.Subject.Trace.Calls, task.Calls),
		Callers: []Caller{},
		Saving:  task.Saving,

		Standing: ts.standing(finding.Ranked{Index: at}),
	}
	if outer := ts.set.Outer(at); outer >= 0 {
		id := ts.set.ID(outer)
		t.Inside, t.Outer = &id, outer+1
	}
	source := r.Subject.Tree.Source
	t.CPUTime, t.WallTime = bothTimes(&r.Subject, task.Node)
	t.Threads = finding.ThreadNames(&r.Subject, task.Node)
	t.Cause = words.Cause(r, at, words.PlainName)
	here, there := ts.set.Components(task)
	t.Components = componentsOf(here)
	called := originals(r.Subject.Tree, task.Node)
	for _, c := range eflask.Callers(r.Subject.Tree, task.Node) {
		origin := ts.set.Origin(c.Source)
		caller := Caller{Place: placeOf(recorded(source, c.Source)), Counts: counts(r.Subject.Trace.Calls, c.Calls), Through: origin.Library}
		if origin.Own.Name != "" {
			own := placeOf(origin.Own)
			own.locate(&r.Subject, origin, called)
			caller.Own = &own
			if caller.Method == own.Method {
				caller.Place = own
			}
		}
		t.Callers = append(t.Callers, caller)
	}
	t.Elsewhere = task.Elsewhere()
	if node, energy, calls := task.There(); node >= 0 {
		t.Status = "matched"
		found, apart, known := task.Found, task.Distance, task.Evidence
		whole := found != eflask.Unmatched
		if !whole {
			found, apart, known = eflask.Moved, eflask.Far, eflask.MovedCalls
			t.Elsewhere -= energy
		}
		path, omitted := ts.reference.labels(node)
		t.Peer = &Peer{
			Method:     path[len(path)-1],
			Path:       path,
			Omitted:    omitted,
			Node:       node,
			Energy:     energy,
			Share:      units.Share(energy, r.Reference.Energy),
			Counts:     counts(r.Reference.Trace.Calls, calls),
			Threads:    finding.ThreadNames(&r.Reference, node),
			Distance:   distance(apart),
			Match:      found.String(),
			How:        words.Match(found.String(), int(apart)),
			Confidence: confidence(found, known),
		}
		if whole {
			t.Peer.Components = componentsOf(there)
			t.Peer.CPUTime, t.Peer.WallTime = bothTimes(&r.Reference, node)
		}
	}
	if c := task.Perhaps; c != nil {
		path, omitted := ts.reference.labels(c.Reference)
		t.PossiblePeer = &PossiblePeer{
			Method: path[len(path)-1], Path: path, Omitted: omitted, Node: c.Reference,
			Energy: r.Reference.Tree.Energy.All(c.Reference), Distance: distance(c.Distance),
			Match: c.Found.String(), How: words.Match(c.Found.String(), int(c.Distance)), Confidence: confidence(c.Found, c.Evidence),
		}
	}
	t.Moved = words.Moved(r, at, words.ScalePerFigure(r.Unit(nil), r.Voltage))
	t.Evidence = evidence(r, r.Repeats.Task(task), task.Saving)
	if task.Split != nil {
		t.Split = newSplit(r, task.Split.Calls, task.Split.PerCall)
	}
	t.Suspect = NewSuspect(ts.set.Suspicion, r, task)
	return t
}
