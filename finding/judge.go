package finding

import (
	"maps"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Doubt says why a row is no finding although it costs the subject more.
type Doubt string

// The doubts, the strongest first.
const (
	NoDoubt Doubt = ""
	// TwoKinds means that the numbers of the two runs are not comparable, such as measured energy
	// and sample counts.
	TwoKinds Doubt = "two-kinds"
	// LittleInCommon means that the runs did different things.
	LittleInCommon Doubt = "little-in-common"
	// PossibleCounterpart means that the reference may have a counterpart.
	PossibleCounterpart Doubt = "perhaps"
	// MayWait means that the row possibly costs more only because its thread waited. It occurs if
	// the recordings have elapsed time.
	MayWait Doubt = "waiting"
	// ByModel means that assumed figures of the power model decide which run uses more.
	ByModel Doubt = "model"
	// Chance means that the difference may be chance.
	Chance Doubt = "noise"
)

// A Standing is the judgement on one row of a comparison: a task or a row of app code.
type Standing struct {
	// Kind is the result of the row, such as SubjectOnlyKind.
	Kind Kind
	// IsFinding is true if the row is a finding: it costs the subject more, and there is no doubt.
	// Only rows that count cause warnings and failures, and only they are part of the possible
	// saving.
	IsFinding bool
	// Doubt says why a row with a positive saving does not count.
	Doubt Doubt
	// Saving is the interval of the row's saving. Neither end is negative.
	Saving Interval
	// Tested is true if the saving has a statistical estimate.
	Tested bool
	// clear is true if neither chance nor waiting nor assumed figures explain the difference.
	// costlier is true if the difference is also positive.
	clear, costlier bool
}

// Unclear reports whether chance, waiting, or an assumed figure of the power model may explain the
// row's difference.
func (s Standing) Unclear() bool { return !s.clear }

// Costlier reports whether the row costs the subject more, and neither chance nor waiting nor an
// assumed figure of the power model explains it.
func (s Standing) Costlier() bool { return s.costlier }

// A judgement has the verdict on all rows of a comparison. It is made once, from the whole result.
// Sets that list fewer rows share it.
type judgement struct {
	r   *analysis.Result
	all Doubt // the doubt that applies to every row
	// renamed is true if only the shape of the calls shows that both runs are from one app. A
	// counterpart may then have another name.
	//
	// unrecorded is true if, in addition, only the reference has energy of a known recorder. A task
	// without a counterpart may then belong to the subject's recorder.
	renamed, unrecorded bool
	// nameless has the files in which both runs have code without names, if the runs are of two apps.
	// Such code may be the same under other addresses.
	nameless map[string]bool
	// subjectWait and referenceWait are the energy of each run for time in which threads may have
	// waited. Both are 0 if waiting cannot explain the difference of the totals.
	subjectWait, referenceWait units.Energy
	// assumed has the assumed figures of the power model. here and there are the ledgers of the two
	// runs. All three are nil if no figure has a range.
	assumed     assumedFigures
	here, there *Ledger
	parts       []Portion
	// tasks has the standing of each task, because reports ask for a standing about ten times. at
	// has, for each node of the subject, the index of its task plus one, or 0.
	tasks []Standing
	at    []int32
}

// judge judges the rows of a result.
func judge(r *analysis.Result) *judgement {
	j := &judgement{r: r}
	if waited(r) {
		j.subjectWait, j.referenceWait = r.Subject.Energy-r.Subject.Least(), r.Reference.Energy-r.Reference.Least()
	}
	return j.complete()
}

// asWork returns the judgement under the assumption that no thread waited.
func (j *judgement) asWork() *judgement {
	work := &judgement{r: j.r}
	return work.complete()
}

// complete sets the fields that follow from the result and from subjectWait and referenceWait.
func (j *judgement) complete() *judgement {
	r := j.r
	switch {
	case r.TwoKinds():
		j.all = TwoKinds
	case r.Summary.LittleInCommon():
		j.all = LittleInCommon
	}
	j.renamed = r.AppCode.By == appcode.Shape
	if !r.AppCode.OneApp {
		there := nameless(r.Reference.Tree.Source.Methods)
		j.nameless = nameless(r.Subject.Tree.Source.Methods)
		maps.DeleteFunc(j.nameless, func(file string, _ bool) bool { return !there[file] })
	}
	j.unrecorded = j.renamed && r.Summary.Outside.Recorder == 0 && r.ReferenceSummary.Outside.Recorder > 0
	if j.assumed = assumed(&r.Subject, &r.Reference); j.assumed != nil {
		j.here, j.there = NewLedger(&r.Subject), NewLedger(&r.Reference)
	}
	j.judgeTasks()
	j.parts = j.split(r)
	return j
}

// tasksAtOnce is the number of tasks that a goroutine judges.
const tasksAtOnce = 1 << 12

// judgeTasks judges all tasks. They do not depend on each other.
func (j *judgement) judgeTasks() {
	tasks := j.r.Tasks
	j.tasks, j.at = make([]Standing, len(tasks)), make([]int32, len(j.r.Subject.Tree.Nodes))
	var wg sync.WaitGroup
	for from := 0; from < len(tasks); from += tasksAtOnce {
		wg.Go(func() {
			for i := from; i < min(from+tasksAtOnce, len(tasks)); i++ {
				j.tasks[i], j.at[tasks[i].Node] = j.judgeTask(&tasks[i]), int32(i)+1
			}
		})
	}
	wg.Wait()
}

// task returns the standing of a task.
func (j *judgement) task(t *eflask.Task) Standing { return j.tasks[j.at[t.Node]-1] }

// judgeTask judges a task.
func (j *judgement) judgeTask(t *eflask.Task) Standing {
	kind := KindOf(t.Found != eflask.Unmatched || t.Moved(), t.Perhaps != nil, t.Saving)
	return j.row(kind, kind == PossibleKind || j.unrecorded && kind == SubjectOnlyKind, j.byModel(t), t.Saving, t.Energy, j.r.Chance.Task(t))
}

// byModel reports whether assumed figures of the power model decide which run uses more for a task.
func (j *judgement) byModel(t *eflask.Task) bool {
	if j.assumed == nil || t.Saving <= 0 || t.Peer < 0 {
		return false
	}
	here, there := j.here.Node(&j.r.Subject.Tree.Measures, t.Node), j.there.Node(&j.r.Reference.Tree.Measures, t.Peer)
	return byModel(t.Saving, j.assumed.difference(here, there))
}

// code judges a row of app code.
func (j *judgement) code(row *appcode.Row) Standing {
	return j.row(KindOf(row.Peer != nil, false, row.Saving), row.Peer == nil && j.unsure(row.Method), false, row.Saving, row.Energy, j.r.Chance.Code(row))
}

// unsure reports whether a method without a counterpart may have another name in the reference.
func (j *judgement) unsure(m name.Method) bool {
	return j.renamed || j.r.AppCode.OneApp && shrunk(m) || m.Nameless() && j.nameless[m.Package()]
}

// nameless returns the files with functions without names.
func nameless(methods []name.Method) map[string]bool {
	files := make(map[string]bool)
	for _, m := range methods {
		if m.Nameless() {
			files[m.Package()] = true
		}
	}
	return files
}

// shrunk reports whether a method's class has a name of one or two letters. Shrinkers give classes
// such names, and other names in each build.
func shrunk(m name.Method) bool { return m.Lang == name.JVM && m.Type != "" && len(m.Type) <= 2 }

// row judges a row. unsure is true if the row may have a counterpart. model is true if assumed
// figures of the power model decide which run uses more. e is the estimate of the row's saving. It
// is nil if the saving was not tested.
func (j *judgement) row(kind Kind, unsure, model bool, saving, energy units.Energy, e *repeats.Estimate) Standing {
	waiting := j.mayWait(saving)
	costlier := analysis.Costlier(e)
	s := Standing{Kind: kind, Tested: e != nil, clear: analysis.Evident(e) && !waiting && !model, costlier: costlier && !waiting && !model}
	if e != nil {
		least, most := analysis.Energies(e.Interval)
		s.Saving = Interval{min(max(least, 0), energy), min(max(most, 0), energy)}
	} else {
		s.Saving = exactly(max(saving, 0))
	}
	switch {
	case saving <= 0:
	case j.all != NoDoubt:
		s.Doubt = j.all
	case unsure:
		s.Doubt = PossibleCounterpart
	case !costlier:
		s.Doubt = Chance
	case waiting:
		s.Doubt, s.Saving.Least = MayWait, 0
	case model:
		s.Doubt, s.Saving.Least = ByModel, 0
	default:
		s.IsFinding = true
	}
	return s
}

// mayWait reports whether a difference is at most the waiting time of the run with more energy.
// This time is known for a whole run, but not for a row.
func (j *judgement) mayWait(difference units.Energy) bool {
	return difference > 0 && difference <= j.subjectWait || difference < 0 && -difference <= j.referenceWait
}

// order returns the result with its findings moved to the front. It returns the same result if they
// are already there.
func (j *judgement) order() *analysis.Result {
	out := *j.r
	tasks, movedTasks := first(j.r.Tasks, func(t *eflask.Task) bool { return j.task(t).IsFinding })
	code, movedCode := first(j.r.AppCode.Rows, func(row *appcode.Row) bool { return j.code(row).IsFinding })
	if !movedTasks && !movedCode {
		return j.r
	}
	app := *j.r.AppCode
	app.Rows = code
	out.Tasks, out.AppCode = tasks, &app
	return &out
}

// first moves the chosen rows to the front. It reports whether that changed the order.
func first[T any](rows []T, chosen func(*T) bool) (ordered []T, moved bool) {
	picked, front := make([]bool, len(rows)), 0
	for i := range rows {
		if picked[i] = chosen(&rows[i]); picked[i] {
			moved = moved || front < i
			front++
		}
	}
	if !moved {
		return rows, false
	}
	ordered = make([]T, len(rows)) // allocated once, because rows are large
	at, rest := 0, front
	for i := range rows {
		to := &rest
		if picked[i] {
			to = &at
		}
		ordered[*to] = rows[i]
		*to++
	}
	return ordered, true
}
