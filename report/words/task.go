package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Verdict is the result of comparing a task or app code. Its values are codes in the report's
// JSON. [Verdict.Words] writes them for people.
type Verdict string

// The verdicts.
const (
	OnlyHere Verdict = "only here"
	Perhaps  Verdict = "perhaps"
	Dearer   Verdict = "dearer here"
	Cheaper  Verdict = "cheaper here"
	Same     Verdict = "the same"
	// Unclear means that the difference may be chance.
	Unclear Verdict = "unclear"
)

// verdicts has the verdict of each kind of row.
var verdicts = map[finding.Kind]Verdict{
	finding.SubjectOnlyKind: OnlyHere, finding.PossibleKind: Perhaps, finding.DearerKind: Dearer, finding.CheaperKind: Cheaper,
	finding.SameKind: Same,
}

// VerdictOf returns the verdict for a row, given its standing and saving.
func VerdictOf(s finding.Standing, saving units.Energy) Verdict {
	if s.Unclear() && saving != 0 && s.Kind != finding.PossibleKind {
		return Unclear
	}
	return verdicts[s.Kind]
}

// Words formats the verdict for people.
func (v Verdict) Words() string {
	switch v {
	case Dearer:
		return "costs more"
	case Cheaper:
		return "costs less"
	}
	return string(v)
}

// Mark formats the verdict as one character.
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

// Match says how a task's counterpart was found, and the distance of the two paths. match is the
// code in a report. It returns "" if method and path are equal.
func Match(match string, distance int) string {
	apart := ""
	if distance > 0 {
		apart = ", path " + Some(distance, "step") + " apart"
	}
	switch match {
	case "path":
		return "the same method" + apart
	case "hierarchy":
		return "a method of a related class" + apart
	case "moved":
		return "moved" + apart
	case "delegate":
		return "one calls the other" + apart
	case "renamed":
		return "similar callees" + apart
	case "likeness":
		return "similar name and neighbours" + apart
	}
	return ""
}

// Task returns one sentence: the energy of a task in the subject and in the reference.
func Task(r *analysis.Result, task int, s Scale) string {
	t := &r.Tasks[task]
	name := r.Subject.Tree.Labels.Method(r.Subject.Tree.Nodes[t.Node].Label).Short()
	_, reference := sideNames(r)
	if t.Found == eflask.Unmatched {
		text := fmt.Sprintf("%s uses %s (%s of the run)", name, s.Energy(t.Energy), Share(t.Energy, r.Subject.Energy))
		if n := Times(r.Subject.Trace.Calls, t.Calls); n != "" {
			text += ", " + n
		}
		if c := t.Perhaps; c != nil {
			there := r.Reference.Tree
			return text + "; " + PossiblePeer(there.Labels.Method(there.Nodes[c.Reference].Label).Short(), there.Energy.All(c.Reference), s)
		}
		if t.Moved() {
			return text + "; " + Moved(r, task, s)
		}
		return text + "; " + reference + " has no such task"
	}
	return fmt.Sprintf("%s: %s here, %s in %s", name, s.Energy(t.Energy), measuredOrNone(&r.Reference, t.PeerEnergy, s), reference) + compared(t.Energy, t.PeerEnergy)
}

// measuredOrNone formats the energy of a row, such as "3.2 mJ", "no samples" or "none". Samples can
// miss a method and see only its callees.
func measuredOrNone(in *analysis.Input, e units.Energy, s Scale) string {
	switch {
	case e != 0:
		return s.Energy(e)
	case in.Trace.Technique == trace.Sampled:
		return "no samples"
	}
	return "none"
}

// compared returns how an energy differs from another one, in parentheses after a space: " (59
// times)", or " (+2.9%)" if it is less than a tenth more. It returns "" if the two look equal,
// or if the other one is 0.
func compared(one, other units.Energy) string {
	f := float64(one) / float64(other)
	switch {
	case other == 0 || math.Abs(f-1) < 0.0005:
		return ""
	case f < 1.1:
		return " (" + signed(f-1) + ")"
	case f < 10:
		return " (" + units.Fixed(f, 1) + " times)"
	}
	return " (" + units.Fixed(f, 0) + " times)"
}

// Intermediary names what is between the app's own code and a task: a group of libraries and a
// class. It returns "" if nothing is.
func Intermediary(library, class string) string {
	if library == "" || class == "" {
		return library + class
	}
	return library + " " + class
}

// Times formats a number of calls or samples. It returns "" if the number is unknown.
func Times(kind trace.Calls, n int64) string {
	name := Counts(kind)
	if n == 0 || name == "" {
		return ""
	}
	return Some(n, strings.TrimSuffix(name, "s"))
}

// Why explains a task's saving as part of a sentence: "most of the difference is under
// TextView.onMeasure". It returns "" if no cause is known. quote, if not nil, marks up method
// names.
func Why(r *analysis.Result, task int, reason analysis.Reason, quote func(name string) string) string {
	if quote == nil {
		quote = PlainName
	}
	text, more := Cause(r, task, quote), why(r, &r.Tasks[task], reason, quote)
	if text != "" && more != "" {
		text += "; "
	}
	return text + more
}

// PlainName returns the name without markup.
func PlainName(name string) string { return name }

// Cause names the component that explains most of a task's saving, as part of a sentence: "90% of
// it is cellular tail after 14 calls of IoBridge.sendto". It returns "" for the processor, or if
// unknown. quote marks up names.
func Cause(r *analysis.Result, task int, quote func(name string) string) string {
	c, ok := finding.CauseOf(r, task)
	if !ok {
		return ""
	}
	alone := r.Tasks[task].Found == eflask.Unmatched
	text := Percent(min(c.Share, 1)) + " of the difference is "
	if alone {
		text = Percent(min(c.Share, 1)) + " of it is "
	}
	text += quote(Component(c.Component))
	if c.Part == trace.Tail {
		text += " tail after"
	} else {
		text += " in"
	}
	if c.Calls == 0 {
		if c.Method.Name == "" {
			return strings.TrimSuffix(strings.TrimSuffix(text, " after"), " in")
		}
		return text + " " + quote(c.Method.Short())
	}
	text += " " + Some(c.Calls, "call")
	if c.Method.Name != "" {
		text += " of " + quote(c.Method.Short())
	}
	if !alone && c.PeerCalls > 0 {
		text += ", compared with " + Count(c.PeerCalls)
	}
	return text
}

// why states a reason.
func why(r *analysis.Result, t *eflask.Task, reason analysis.Reason, quote func(name string) string) string {
	called := quote(reason.Name())
	what := "the difference"
	if t.Found == eflask.Unmatched {
		what = "it"
	}
	switch reason.Kind {
	case analysis.MoreCalls:
		return fmt.Sprintf("most of %s comes from the number of calls: %d compared with %d", what, t.Calls, t.PeerCalls)
	case analysis.Lacking:
		switch {
		case t.Found == eflask.Unmatched:
			return fmt.Sprintf("most of %s is under %s", what, called)
		case reason.Subject >= 0 && r.Reference.Trace.Calls == trace.CountedCalls:
			return fmt.Sprintf("most of %s is under %s, which the reference does not call there", what, called)
		case reason.Subject >= 0:
			// Samples can miss a call.
			return fmt.Sprintf("most of %s is under %s, which the reference does not show there", what, called)
		case r.Subject.Trace.Calls == trace.CountedCalls:
			return fmt.Sprintf("most of %s is under %s, which only the reference calls there", what, called)
		default:
			return fmt.Sprintf("most of %s is under %s, which only the reference shows there", what, called)
		}
	case analysis.Dearer:
		return fmt.Sprintf("most of %s is under %s", what, called)
	case analysis.Self:
		if t.Found == eflask.Unmatched {
			return ""
		}
		return fmt.Sprintf("most of %s is in the method itself", what)
	case analysis.Spread:
		return fmt.Sprintf("%s is spread over many callees", what)
	}
	return ""
}

// Saving formats the possible saving of a task, such as "3.2 mJ". It has a "≤" if the task may have
// a counterpart.
func Saving(v Verdict, e units.Energy, s Scale) string {
	amount := s.Amount(e)
	if v == Perhaps && e > 0 && amount != "~0" {
		return "≤" + amount
	}
	return amount
}

// Split explains a saving by more calls and by more energy per call. It omits a part that is 0.
func Split(calls, perCall units.Energy, s Scale) string {
	var parts []string
	add := func(e units.Energy, more, fewer string) {
		switch {
		case e > 0:
			parts = append(parts, s.Energy(e)+" "+more)
		case e < 0:
			parts = append(parts, s.Energy(e)+" "+fewer)
		}
	}
	add(calls, "because of more calls", "because of fewer calls")
	add(perCall, "because each call costs more", "because each call costs less")
	return strings.Join(parts, ", ")
}

// Rows counts tasks and rows of app code in words. Zeros are omitted.
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

// Ignored counts ignored rows and findings in words.
func Ignored(removed finding.Removed) string {
	var parts []string
	if removed.Tasks+removed.Code > 0 {
		parts = append(parts, Rows(removed.Tasks, removed.Code))
	}
	if removed.Wastes > 0 {
		parts = append(parts, Some(removed.Wastes, "finding")+" of components")
	}
	return strings.Join(parts, " and ")
}

// Inside names the task that contains a nested task. outer is the position of the outer task in the
// ranked list, from 1. It is 0 for a task that is not nested.
func Inside(outer int) string {
	if outer == 0 {
		return ""
	}
	return "inside " + Count(outer)
}

// Grouped returns the heading of a list of grouped tasks, with its order. The parameter by is
// "method", "package", "caller" or "library".
func Grouped(by string, littleInCommon bool) string {
	what := "their method"
	switch by {
	case "package":
		what = "the package of your method that calls them"
	case "caller":
		what = "your method that calls them"
	case "library":
		what = "the library that calls them"
	}
	return "Tasks by " + what + ", " + TaskOrder(littleInCommon, false)
}
