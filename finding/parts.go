package finding

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// A PartCode names a part of the difference of two runs.
type PartCode string

// The parts. Parts of tasks have only framework code. The app's own code is in the parts that end
// in Own, or in the part of the task around it if its difference may be chance.
const (
	CostlierTasks    PartCode = "costlier-tasks"
	CheaperTasks     PartCode = "cheaper-tasks"
	SubjectOnlyTasks PartCode = "only-here"
	ReferenceOnly    PartCode = "only-there"
	CostlierOwn      PartCode = "costlier-code"
	CheaperOwn       PartCode = "cheaper-code"
	SubjectOnlyOwn   PartCode = "only-here-code"
	ReferenceOnlyOwn PartCode = "only-there-code"
	// MovedTasks have a counterpart under another callback. Their difference is clear, but no finding.
	MovedTasks PartCode = "moved"
	// PossibleTasks and PossibleOwn have a possible counterpart.
	PossibleTasks PartCode = "perhaps"
	PossibleOwn   PartCode = "perhaps-code"
	// System is the energy of framework code outside the calls of app methods.
	System PartCode = "system"
	// Unclear has the rows whose difference may be chance.
	Unclear PartCode = "unclear"
	// Recorder, Waiting and NoMethod correspond to fields of analysis.Outside. NoMethod is
	// Toplevel.
	Recorder PartCode = "recorder"
	Waiting  PartCode = "waiting"
	NoMethod PartCode = "no-method"
	// unlisted has the rows that a set does not list. No headline has this part.
	unlisted PartCode = "unlisted"
)

// partOrder is the order of parts in a headline.
var partOrder = []PartCode{
	CostlierTasks, SubjectOnlyTasks, CostlierOwn, SubjectOnlyOwn, System, MovedTasks, PossibleTasks, PossibleOwn, CheaperTasks, ReferenceOnly, CheaperOwn, ReferenceOnlyOwn,
	Recorder, Waiting, NoMethod, Unclear,
}

// A Portion is a part of the difference of two runs. The portions of a comparison add up to the
// energies of both runs exactly.
type Portion struct {
	Code               PartCode
	Subject, Reference units.Energy
	// Rows counts the tasks or the rows of app code in the part. It is 0 for parts without rows.
	Rows int
}

// Difference returns the subject's additional energy in this part.
func (p Portion) Difference() units.Energy { return p.Subject - p.Reference }

// A splitter divides the energies of both runs into parts.
type splitter struct {
	*judgement
	sums map[PartCode]*Portion
	last *Portion // the portion that add was last called for
	// here and there have the part of each task of the subject and of the reference, at the node of
	// its framework method. They are empty at other nodes. A task whose difference is unclear is in
	// the part of the task around it, unless it moved.
	here, there []PartCode
	// own has, at the same nodes, the energy that a task of the reference adds to its part.
	own []units.Energy
	// listed is true at the nodes of the listed tasks. listedCode has the listed rows of app code,
	// each by its first appcode.Part.
	listed     []bool
	listedCode map[*appcode.Part]bool
}

func (s *splitter) add(code PartCode, subject, reference units.Energy, rows int) {
	p := s.last
	if p == nil || p.Code != code {
		if p = s.sums[code]; p == nil {
			p = &Portion{Code: code}
			s.sums[code] = p
		}
		s.last = p
	}
	p.Subject, p.Reference, p.Rows = p.Subject+subject, p.Reference+reference, p.Rows+rows
}

// split divides the energies of both runs into parts. It leaves out rows that are not in listed.
// All other energy is in exactly one part.
func (j *judgement) split(listed *analysis.Result) []Portion {
	s := j.newSplitter()
	for i := range listed.Tasks {
		s.listed[listed.Tasks[i].Node] = true
	}
	for i := range listed.AppCode.Rows {
		s.listedCode[firstPart(&listed.AppCode.Rows[i])] = true
	}
	s.fill()
	var parts []Portion
	for _, code := range partOrder {
		if p := s.sums[code]; p != nil && (p.Subject != 0 || p.Reference != 0) {
			parts = append(parts, *p)
		}
	}
	return parts
}

// unlisted returns the energies of rows, including the app code inside their tasks.
func (j *judgement) unlisted(rows known) Portion {
	s := j.newSplitter()
	for i := range j.r.Tasks {
		node := j.r.Tasks[i].Node
		s.listed[node] = !rows.tasks[node]
	}
	for i := range j.r.AppCode.Rows {
		part := firstPart(&j.r.AppCode.Rows[i])
		s.listedCode[part] = !rows.code[part]
	}
	s.fill()
	if p := s.sums[unlisted]; p != nil {
		return *p
	}
	return Portion{}
}

func (j *judgement) newSplitter() *splitter {
	return &splitter{
		judgement: j, sums: make(map[PartCode]*Portion), here: make([]PartCode, len(j.r.Subject.Tree.Nodes)), there: make([]PartCode, len(j.r.Reference.Tree.Nodes)),
		own: make([]units.Energy, len(j.r.Reference.Tree.Nodes)), listed: make([]bool, len(j.r.Subject.Tree.Nodes)), listedCode: make(map[*appcode.Part]bool, len(j.r.AppCode.Rows)),
	}
}

// fill computes the sums.
func (s *splitter) fill() {
	r := s.r
	subject, reference := r.Subject.Tree, r.Reference.Tree
	here, there := eflask.Innermost(subject), eflask.Innermost(reference)
	s.classify(here, there)
	s.tasks(subject, here, s.here, func(code PartCode, e units.Energy) { s.add(code, e, 0, 0) })
	s.tasks(reference, there, s.there, func(code PartCode, e units.Energy) { s.add(code, 0, e, 0) })
	for v, f := range there {
		if f >= 0 && reference.Nodes[v].Kind != preprocess.App {
			s.own[f] += reference.Energy.Self(int32(v))
		}
	}
	s.code(here, there)
	for _, shift := range r.Shifts {
		// In a shift, the reference makes a call in another task than the subject. The call's
		// energy is added to the subject's task. Tasks inside the call have shifts of their own.
		own := units.Energy(units.MulDiv(int64(s.own[shift.Reference]), int64(shift.Energy), max(int64(reference.Energy.All(shift.Reference)), 1)))
		s.add(s.there[shift.Reference], 0, -own, 0)
		s.add(s.here[shift.Subject], 0, own, 0)
	}
	for _, part := range []struct {
		code               PartCode
		subject, reference units.Energy
	}{
		{Recorder, r.Summary.Outside.Recorder, r.ReferenceSummary.Outside.Recorder},
		{Waiting, r.Summary.Outside.Waiting, r.ReferenceSummary.Outside.Waiting},
		{NoMethod, r.Summary.Outside.Toplevel, r.ReferenceSummary.Outside.Toplevel},
	} {
		s.add(part.code, part.subject, part.reference, 0)
	}
	system := Unclear
	if analysis.Evident(r.Chance.System()) && !s.mayWait(r.Summary.Outside.System-r.ReferenceSummary.Outside.System) {
		system = System
	}
	s.add(system, r.Summary.Outside.System, r.ReferenceSummary.Outside.System, 0)
}

// classify finds the part of each task of both runs. here and there are the results of
// eflask.Innermost for the two trees.
func (s *splitter) classify(here, there []int32) {
	r := s.r
	around := func(parts []PartCode, tree *preprocess.Tree, innermost []int32, v int32) PartCode {
		outer := innermost[tree.Nodes[v].Parent]
		if outer < 0 {
			return Unclear
		}
		switch code := parts[outer]; code {
		case CostlierTasks, CheaperTasks, SubjectOnlyTasks, ReferenceOnly, MovedTasks, unlisted:
			return code
		}
		return Unclear
	}
	for _, i := range s.at {
		if i == 0 {
			continue
		}
		t := &r.Tasks[i-1]
		code := s.partOf(t)
		if code == Unclear && !t.Moved() {
			code = around(s.here, r.Subject.Tree, here, t.Node)
		}
		s.here[t.Node] = code
		s.add(code, 0, 0, 1)
		switch {
		case t.Peer >= 0:
			s.there[t.Peer] = code
		case t.Perhaps != nil:
			s.there[t.Perhaps.Reference] = code
		}
	}
	for v, f := range there {
		if f != int32(v) {
			continue
		}
		if s.there[f] != "" {
			continue
		}
		code := ReferenceOnly
		if !analysis.Evident(r.Chance.ReferenceTask(f)) || s.mayWait(-r.Reference.Tree.Energy.All(f)) {
			code = around(s.there, r.Reference.Tree, there, f)
		}
		s.there[f] = code
		s.add(code, 0, 0, 1)
	}
}

// partOf returns the part of a task, regardless of the tasks around it.
func (s *splitter) partOf(t *eflask.Task) PartCode {
	standing := s.task(t)
	switch {
	case !s.listed[t.Node]:
		return unlisted
	case standing.Doubt == PossibleCounterpart || t.Perhaps != nil:
		return PossibleTasks
	case !standing.clear || t.Saving == 0:
		return Unclear
	case t.Moved() && !standing.IsFinding:
		return MovedTasks
	case t.Found == eflask.Unmatched && !t.Moved():
		return SubjectOnlyTasks
	case t.Saving > 0:
		return CostlierTasks
	}
	return CheaperTasks
}

// tasks adds the energy of framework code inside the tasks of one run.
func (s *splitter) tasks(t *preprocess.Tree, innermost []int32, parts []PartCode, add func(PartCode, units.Energy)) {
	sums := make(map[PartCode]units.Energy)
	last, sum := Unclear, units.Energy(0)
	for v, f := range innermost {
		if f >= 0 && t.Nodes[v].Kind != preprocess.App {
			if parts[f] != last {
				sums[last] += sum
				last, sum = parts[f], 0
			}
			sum += t.Energy.Self(int32(v))
		}
	}
	sums[last] += sum
	for _, code := range partOrder {
		add(code, sums[code])
	}
	add(unlisted, sums[unlisted])
}

// firstPart returns a part that identifies a row of app code in all results that list the row. It is
// nil for a row without parts.
func firstPart(row *appcode.Row) *appcode.Part {
	if len(row.Parts) == 0 {
		return nil
	}
	return &row.Parts[0]
}

// code adds the energy of the app's own code. A row whose difference may be chance is added to the
// parts of the tasks around it.
func (s *splitter) code(here, there []int32) {
	r := s.r
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		standing, code := s.judgement.code(row), Unclear
		switch {
		case !standing.clear:
		case !s.listedCode[firstPart(row)]:
			code = unlisted
		case standing.Doubt == PossibleCounterpart:
			code = PossibleOwn
		case row.Peer == nil:
			code = SubjectOnlyOwn
		case row.Saving > 0:
			code = CostlierOwn
		case row.Saving < 0:
			code = CheaperOwn
		}
		s.add(code, 0, 0, 1)
		if code != Unclear {
			s.add(code, row.Energy, 0, 0)
			if row.Peer != nil {
				s.add(code, 0, row.Peer.Energy, 0)
			}
			continue
		}
		for _, p := range row.Parts {
			s.add(within(here[p.Node], s.here), p.Energy, 0, 0)
		}
		if row.Peer != nil {
			for _, p := range row.Peer.Parts {
				s.add(within(there[p.Node], s.there), 0, p.Energy, 0)
				if f := there[p.Node]; f >= 0 {
					s.own[f] += p.Energy
				}
			}
		}
	}
	only := &r.AppCode.Only
	if !analysis.Evident(r.Chance.ReferenceCode()) || s.mayWait(-only.Energy) {
		s.add(Unclear, 0, only.Energy, 0)
		return
	}
	perhaps := s.sums[PossibleOwn] != nil && s.sums[PossibleOwn].Rows > 0
	for i := range only.Sides {
		side, code := &only.Sides[i], ReferenceOnlyOwn
		if perhaps && s.unsure(side.Method) {
			// This code may be the possible counterpart of a row in PossibleOwn.
			code = PossibleOwn
		}
		s.add(code, 0, side.Energy, 1)
	}
}

// within returns the part for app code inside a task. A negative task means code outside all tasks.
func within(task int32, parts []PartCode) PartCode {
	if task < 0 {
		return Unclear
	}
	return parts[task]
}
