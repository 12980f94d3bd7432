package finding

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Gate says which comparisons, or which runs, are to fail: those that fit all conditions of
// one of its alternatives, such as "saving>5% and evidence or total>+3%".
type Gate struct{ alternatives [][]Condition }

// A Condition is a part of a Gate.
type Condition struct {
	// Measure is one of Measures, or Evidence.
	Measure string
	// Text is the condition as it was given.
	Text string
	// Share is what the measure may come to, as a part: of the subject's energy, of Growth and
	// Total of the reference's. It does not count where InEnergy is set, but Amount in Unit does.
	Share    float64
	InEnergy bool
	Amount   string
	Unit     units.Unit
	// Version is that of FleetHog, empty for the app in all.
	Version string
}

// What conditions measure.
const (
	// Saving is what could be saved, Row what one task or one row of app code could; where
	// runs were repeated, as far as they are evidence of it.
	Saving = "saving"
	Row    = "row"
	// Unmatched is what tasks drain that the reference does not have.
	Unmatched = "unmatched"
	// Total is by how much the subject drains more than the reference; Growth is another
	// name for it.
	Total  = "total"
	Growth = "growth"
	// Wasted is what the subject's components, or those of a single run, drain for nothing.
	Wasted = "wasted"
	// FleetHog is met where a fleet says that the subject's app drains wherever it runs, or, with a
	// colon and a version behind it, that this version of it does.
	FleetHog = "fleet-hog"
	// Evidence is met where repeated runs are evidence that a task, app code or all in all
	// costs the subject more.
	Evidence = "evidence"
)

// Measures lists what conditions may measure of a comparison, RunMeasures of a single run.
func Measures() []string { return []string{Saving, Row, Unmatched, Total, Growth, Wasted} }

// RunMeasures lists what conditions may measure of a single run.
func RunMeasures() []string { return []string{Wasted} }

// A word is one of a gate, at a column from 1.
type word struct {
	text   string
	column int
}

// ParseGate reads a gate for comparisons. Conditions are "evidence" or one of Measures with >
// and an amount, in percent or in a unit of energy; "and" binds closer than "or". An error names
// the column.
func ParseGate(text string) (Gate, error) {
	return parseGate(text, vocabulary{append(Measures(), Evidence, FleetHog), "saving>5%, total>+3%, unmatched>2mJ or evidence"})
}

// ParseRunGate reads a gate for single runs, whose conditions are those of RunMeasures.
func ParseRunGate(text string) (Gate, error) {
	return parseGate(text, vocabulary{RunMeasures(), "wasted>5% or wasted>2mJ"})
}

// A vocabulary is what conditions may measure, with examples for people.
type vocabulary struct {
	measures []string
	examples string
}

func parseGate(text string, v vocabulary) (Gate, error) {
	var gate Gate
	tokens := wordsOf(text)
	end := word{"", utf8.RuneCountInString(text) + 1}
	var all []Condition
	for len(tokens) > 0 || len(all) == 0 {
		at := end
		if len(tokens) > 0 {
			at, tokens = tokens[0], tokens[1:]
		}
		c, err := v.condition(at)
		if err != nil {
			return Gate{}, err
		}
		all = append(all, c)
		if len(tokens) == 0 {
			break
		}
		joint := tokens[0]
		tokens = tokens[1:]
		switch joint.text {
		case "and":
		case "or":
			gate.alternatives, all = append(gate.alternatives, all), nil
		default:
			return Gate{}, fmt.Errorf("column %d: write and or or between conditions, not %q", joint.column, joint.text)
		}
		if len(tokens) == 0 {
			return Gate{}, fmt.Errorf("column %d: a condition is missing after %s", end.column, joint.text)
		}
	}
	gate.alternatives = append(gate.alternatives, all)
	return gate, nil
}

// wordsOf parts a gate at blanks.
func wordsOf(text string) []word {
	var found []word
	column, inside := 0, false
	for _, r := range text {
		column++
		switch {
		case unicode.IsSpace(r):
			inside = false
		case inside:
			found[len(found)-1].text += string(r)
		default:
			found, inside = append(found, word{string(r), column}), true
		}
	}
	return found
}

func (v vocabulary) condition(at word) (Condition, error) {
	c := Condition{Measure: at.text, Text: at.text}
	if at.text == Evidence && slices.Contains(v.measures, Evidence) {
		return c, nil
	}
	if hog, version, with := strings.Cut(at.text, ":"); hog == FleetHog && slices.Contains(v.measures, FleetHog) {
		if c.Measure, c.Version = hog, version; with && version == "" {
			return Condition{}, fmt.Errorf("column %d: write a version behind the colon of %s", at.column+len(at.text), FleetHog)
		}
		return c, nil
	}
	i := strings.IndexAny(at.text, ">:")
	fault := func(after int, format string, args ...any) (Condition, error) {
		return Condition{}, fmt.Errorf("column %d: %s", at.column+after, fmt.Sprintf(format, args...))
	}
	if i < 0 {
		if at.text == "" {
			return fault(0, "a condition is missing: write one such as %s", v.examples)
		}
		return fault(0, "%q is no condition: write one without blanks, such as %s", at.text, v.examples)
	}
	if c.Measure = at.text[:i]; isWord(c.Measure) || !slices.Contains(v.measures, c.Measure) {
		return fault(0, "nothing measures %q: use one of %s", c.Measure, strings.Join(slices.DeleteFunc(slices.Clone(v.measures), isWord), ", "))
	}
	amount := at.text[i+1:]
	sign := 0
	if c.Measure == Total || c.Measure == Growth {
		if plain, signed := strings.CutPrefix(amount, "+"); signed {
			amount, sign = plain, 1
		}
	}
	j := len(amount) - len(strings.TrimLeft(amount, "0123456789."))
	number, unit := amount[:j], strings.TrimSpace(amount[j:])
	share, err := strconv.ParseFloat(number, 64)
	if err != nil || share > 1e9 {
		return fault(i+1, "write an amount such as 5%% or 2mJ, not %q", at.text[i+1:])
	}
	if unit == "%" {
		c.Share = share / 100
		return c, nil
	}
	c.InEnergy, c.Amount = true, number
	if c.Unit, err = units.ParseUnit(unit); err != nil {
		return fault(i+1+sign+j, "after %s write %% or one of %s, not %q", number, strings.Join(units.UnitNames(), ", "), unit)
	}
	return c, nil
}

// A Reached is what a comparison comes to in the terms of a condition.
type Reached struct {
	Condition
	// Share and Energy are what was measured, as a part and as energy. Both are 0 of Evidence.
	Share  float64
	Energy units.Energy
	// Claim is what the fleet says, of FleetHog.
	Claim *claim.Claim
}

// Met returns the conditions of the first alternative that a comparison fits, with what it comes
// to; none if it fits none. It fails where the comparison cannot tell: nothing is a saving where
// runs have little in common, and one run a side is no evidence of anything.
func (g Gate) Met(of *Set) ([]Reached, error) {
	return g.met(func(c Condition) (Reached, bool, error) {
		if c.Measure == FleetHog {
			return c.hog(of.Suspicion)
		}
		return c.reached(of)
	})
}

// MetBy is Met for a gate of single runs; the voltage turns charge into energy.
func (g Gate) MetBy(in *analysis.Input, v units.Voltage) ([]Reached, error) {
	return g.met(func(c Condition) (Reached, bool, error) { return c.wasted(in, v) })
}

// Measures says whether a condition measures this.
func (g Gate) Measures(what string) bool {
	return slices.ContainsFunc(g.alternatives, func(all []Condition) bool {
		return slices.ContainsFunc(all, func(c Condition) bool { return c.Measure == what })
	})
}

func (g Gate) met(reach func(Condition) (Reached, bool, error)) ([]Reached, error) {
	for _, all := range g.alternatives {
		var met []Reached
		for _, c := range all {
			reached, ok, err := reach(c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Measure, err)
			}
			if !ok {
				break
			}
			met = append(met, reached)
		}
		if len(met) == len(all) {
			return met, nil
		}
	}
	return nil, nil
}

// reached is what a result comes to; ok says whether that is more than the condition allows.
func (c Condition) reached(s *Set) (reached Reached, ok bool, err error) {
	r := s.Result
	reached = Reached{Condition: c}
	if c.Measure == Evidence {
		if r.Repeats == nil {
			return reached, false, fmt.Errorf("there is one run on a side: evidence takes %d runs a side or more", repeats.LeastRuns)
		}
		return reached, s.costlier(), nil
	}
	if c.Measure == Wasted {
		return c.wasted(&r.Subject, r.Voltage)
	}
	if r.TwoKinds() {
		return reached, false, errors.New("the numbers of the two runs are of two kinds, which do not compare")
	}
	of := r.Subject.Energy
	if c.Measure == Total || c.Measure == Growth {
		if of = r.Reference.Energy; of == 0 && r.Subject.Energy > 0 && !c.InEnergy {
			return reached, false, errors.New("the reference drains nothing to compare with")
		}
		reached.Energy = r.Subject.Energy - r.Reference.Energy
	} else {
		if s.judged.all == LittleInCommon {
			return reached, false, fmt.Errorf("these runs have little in common, %.1f%% of the energy of tasks and app code: nothing can be called a saving", 100*r.Summary.Common)
		}
		reached.Energy = s.measure(c.Measure)
	}
	reached.Share = units.Share(reached.Energy, of)
	ok, err = c.exceeded(reached, r.Voltage)
	return reached, ok, err
}

// hog is what a fleet says of the subject's app, or of a version of it.
func (c Condition) hog(s *Suspicion) (reached Reached, ok bool, err error) {
	reached = Reached{Condition: c}
	if s == nil {
		return reached, false, errors.New("name with --fleet what a fleet says, which diffprof fleet analyze writes")
	}
	reached.Claim = s.Claim
	if !s.Claim.Judged {
		return reached, false, fmt.Errorf("too few devices ran %s to tell", s.Claim.App)
	}
	if c.Version == "" || !s.Claim.Hog {
		return reached, s.Claim.Hog && s.Claim.Least() > 0, nil
	}
	for _, v := range s.Claim.Versions {
		if v.Name == c.Version && v.Enough {
			return reached, v.Least() > 0, nil
		}
	}
	return reached, false, fmt.Errorf("too few devices ran version %s of %s to tell", c.Version, s.Claim.App)
}

// wasted is what the components of a run come to.
func (c Condition) wasted(in *analysis.Input, v units.Voltage) (reached Reached, ok bool, err error) {
	reached = Reached{Condition: c}
	if in.Bundles == nil {
		return reached, false, errors.New("nobody knows what components drain for nothing: that takes a power model, and one run that has moments and does not state its energy itself")
	}
	reached.Energy = savable(Wastes(in))
	reached.Share = units.Share(reached.Energy, in.Energy)
	ok, err = c.exceeded(reached, v)
	return reached, ok, err
}

// exceeded says whether what was reached is more than the condition allows.
func (c Condition) exceeded(reached Reached, v units.Voltage) (bool, error) {
	if !c.InEnergy {
		return reached.Share > c.Share, nil
	}
	num, den := c.Unit.Scale(v)
	limit, err := units.Decimal(c.Amount, num, den)
	return err == nil && reached.Energy > units.Energy(limit), err
}

// isWord says whether a condition is no amount of something.
func isWord(measure string) bool { return measure == Evidence || measure == FleetHog }

// measure is what could be saved in all, in one row, or is only in the subject. Only rows that
// count make it up.
func (s *Set) measure(what string) units.Energy {
	if what == Saving {
		return s.Headline().Savable.Most
	}
	r := s.Result
	most, only := units.Energy(0), units.Energy(0)
	for _, at := range s.Ranking() {
		switch {
		case !s.Standing(at).Counts:
		case at.Code:
			most = max(most, r.AppCode.Rows[at.Index].Saving)
		default:
			t := &r.Tasks[at.Index]
			if most = max(most, t.Saving); t.Peer < 0 && !t.Moved() {
				only += t.Own
			}
		}
	}
	if what == Unmatched {
		return only
	}
	return most
}

// costlier reports whether repeated runs are evidence that something costs the subject more.
func (s *Set) costlier() bool {
	return s.Result.Repeats.Total.Verdict == repeats.Costlier || slices.ContainsFunc(s.Ranking(), func(at Ranked) bool { return s.Standing(at).Counts })
}
