package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Verdict says how the subject does on a task.
type Verdict string

// The verdicts.
const (
	OnlyHere Verdict = "only here"
	Perhaps  Verdict = "perhaps"
	Dearer   Verdict = "dearer here"
	Cheaper  Verdict = "cheaper here"
	Same     Verdict = "the same"
	// Unclear: the difference may be chance.
	Unclear Verdict = "unclear"
)

// verdicts are those of the kinds of rows.
var verdicts = map[finding.Kind]Verdict{
	finding.OnlyHereKind: OnlyHere, finding.PerhapsKind: Perhaps, finding.DearerKind: Dearer, finding.CheaperKind: Cheaper,
	finding.SameKind: Same,
}

// VerdictOf says how the subject does on a row with a saving.
func VerdictOf(s finding.Standing, saving units.Energy) Verdict {
	if s.Unclear() && saving != 0 && s.Kind != finding.PerhapsKind {
		return Unclear
	}
	return verdicts[s.Kind]
}

// Mark is the verdict as one character.
func (v Verdict) Mark() string {
	switch v {
	case OnlyHere:
		return "+"
	case Perhaps:
		return "?"
	case Dearer:
		return ">"
	case Cheaper:
		return "<"
	case Unclear:
		return "~"
	}
	return "="
}

// Match says how a task's counterpart was found, which match names as a report does,
// with the distance of the two paths. It is empty where method and path are equal.
func Match(match string, distance int) string {
	apart := ""
	if distance > 0 {
		apart = ", path " + Some(distance, "step") + " apart"
	}
	switch match {
	case "path":
		return "the same method" + apart
	case "hierarchy":
		return "of a related class" + apart
	case "moved":
		return "moved" + apart
	case "delegate":
		return "one leads to the other" + apart
	case "renamed":
		return "alike in what it calls" + apart
	case "likeness":
		return "alike by name and surroundings" + apart
	}
	return ""
}

// Task says in one sentence what a task uses, and what it uses in the reference.
func Task(r *analysis.Result, task int, s Scale) string {
	t := &r.Tasks[task]
	name := r.Subject.Tree.Labels.Method(r.Subject.Tree.Nodes[t.Node].Label).Short()
	_, reference := sideNames(r)
	if t.Found == eflask.Unmatched {
		said := fmt.Sprintf("%s uses %s (%s of the run)", name, s.Energy(t.Energy), Share(t.Energy, r.Subject.Energy))
		if n := Times(r.Subject.Trace.Calls, t.Calls); n != "" {
			said += ", " + n
		}
		if c := t.Perhaps; c != nil {
			there := r.Reference.Tree
			return said + "; " + MaybePeer(there.Labels.Method(there.Nodes[c.Reference].Label).Short(), there.Energy.All(c.Reference), s)
		}
		if t.Moved() {
			return said + "; " + Moved(r, task, s)
		}
		return said + "; " + reference + " has no such task"
	}
	said := fmt.Sprintf("%s: %s here, %s in %s", name, s.Energy(t.Energy), s.Energy(t.PeerEnergy), reference)
	if t.PeerEnergy > 0 {
		said += fmt.Sprintf(" (%s)", ratio(float64(t.Energy)/float64(t.PeerEnergy)))
	}
	return said
}

// ratio writes how many times as much something is.
func ratio(f float64) string {
	if f >= 10 {
		return units.Fixed(f, 0) + " times"
	}
	return units.Fixed(f, 1) + " times"
}

// Through names what stands between the app's own code and a task: the group of
// libraries, if there is one, and the class. It is empty for nothing.
func Through(library, class string) string {
	if library == "" || class == "" {
		return library + class
	}
	return library + " " + class
}

// Times says how many calls or samples a number is; empty if that is not known.
func Times(of trace.Calls, n int64) string {
	name := Counts(of)
	if n == 0 || name == "" {
		return ""
	}
	return Some(n, strings.TrimSuffix(name, "s"))
}

// Why puts into words what a task's saving comes from, as part of a sentence: "most of
// the difference is under TextView.onMeasure". It is empty where there is nothing to
// name. quote, if not nil, marks the method's name.
func Why(r *analysis.Result, task int, reason analysis.Reason, quote func(name string) string) string {
	if quote == nil {
		quote = AsItIs
	}
	said, more := Cause(r, task, quote), why(&r.Tasks[task], reason, quote)
	if said != "" && more != "" {
		said += "; "
	}
	return said + more
}

// AsItIs marks no name.
func AsItIs(name string) string { return name }

// Cause says which component most of a task's saving is, as part of a sentence: "90% of it is
// cellular tail after 14 calls of IoBridge.sendto". It is empty where that is the processor, or
// nothing tells. quote marks names.
func Cause(r *analysis.Result, task int, quote func(name string) string) string {
	c, ok := finding.CauseOf(r, task)
	if !ok {
		return ""
	}
	alone := r.Tasks[task].Found == eflask.Unmatched
	said := Percent(min(c.Share, 1)) + " of the difference is "
	if alone {
		said = Percent(min(c.Share, 1)) + " of it is "
	}
	said += quote(Component(c.Component))
	if c.Part == trace.Tail {
		said += " tail after"
	} else {
		said += " in"
	}
	if c.Calls == 0 {
		if c.Method.Name == "" {
			return strings.TrimSuffix(strings.TrimSuffix(said, " after"), " in")
		}
		return said + " " + quote(c.Method.Short())
	}
	said += " " + Some(c.Calls, "call")
	if c.Method.Name != "" {
		said += " of " + quote(c.Method.Short())
	}
	if !alone && c.PeerCalls > 0 {
		said += ", against " + Count(c.PeerCalls)
	}
	return said
}

// why puts a reason into words.
func why(t *eflask.Task, reason analysis.Reason, quote func(name string) string) string {
	called := quote(reason.Name())
	what := "the difference"
	if t.Found == eflask.Unmatched {
		what = "it"
	}
	switch reason.Kind {
	case analysis.MoreCalls:
		return fmt.Sprintf("most of %s is the number of calls: %d against %d", what, t.Calls, t.PeerCalls)
	case analysis.Lacking:
		switch {
		case t.Found == eflask.Unmatched:
			return fmt.Sprintf("most of %s is under %s", what, called)
		case reason.Subject >= 0:
			return fmt.Sprintf("most of %s is under %s, which the reference does not call there", what, called)
		default:
			return fmt.Sprintf("most of %s is under %s, which only the reference calls there", what, called)
		}
	case analysis.Dearer:
		return fmt.Sprintf("most of %s is under %s", what, called)
	case analysis.Self:
		if t.Found == eflask.Unmatched {
			return ""
		}
		return fmt.Sprintf("most of %s is in the method itself", what)
	case analysis.Spread:
		return fmt.Sprintf("%s is spread over many methods below", what)
	}
	return ""
}

// Saving writes what a task could save: of one with a counterpart perhaps, at most.
func Saving(v Verdict, e units.Energy, s Scale) string {
	amount := s.Amount(e)
	if v == Perhaps && e > 0 && amount != "~0" {
		return "≤" + amount
	}
	return amount
}

// Split says what a saving is made of, what more calls cost and what dearer calls cost,
// without a part that is nothing.
func Split(calls, perCall units.Energy, s Scale) string {
	var parts []string
	add := func(e units.Energy, more, fewer string) {
		switch {
		case e > 0:
			parts = append(parts, s.Energy(e)+" for "+more)
		case e < 0:
			parts = append(parts, s.Energy(e)+" for "+fewer)
		}
	}
	add(calls, "more calls", "fewer calls")
	add(perCall, "dearer calls", "cheaper calls")
	return strings.Join(parts, ", ")
}

// Rows counts tasks and rows of app code, those of which there are some.
func Rows(tasks, code int) string {
	var parts []string
	if tasks > 0 {
		parts = append(parts, Some(tasks, "task"))
	}
	if code > 0 {
		parts = append(parts, Some(code, "row")+" of app code")
	}
	return strings.Join(parts, " and ")
}

// Ignored counts what somebody does not want to see.
func Ignored(fewer finding.Fewer) string {
	var parts []string
	if fewer.Tasks+fewer.Code > 0 {
		parts = append(parts, Rows(fewer.Tasks, fewer.Code))
	}
	if fewer.Wastes > 0 {
		parts = append(parts, Some(fewer.Wastes, "finding")+" of components")
	}
	return strings.Join(parts, " and ")
}

// Inside says which task another one lies inside of, by its place in the ranked list, from
// 1; empty for a task that lies in none.
func Inside(outer int) string {
	if outer == 0 {
		return ""
	}
	return "inside " + Count(outer)
}

// Grouped says what is listed by tasks of what in common: "method", "package", "caller" or
// "library", in the order that Order names.
func Grouped(by string, littleInCommon bool) string {
	what := "their method"
	switch by {
	case "package":
		what = "the package of the own method that leads to them"
	case "caller":
		what = "the own method that leads to them"
	case "library":
		what = "the library that calls them"
	}
	return "Tasks by " + what + ", " + Order(littleInCommon, false)
}
