package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/diffprof/diffprof/units"
)

// A Gate is a condition on which a comparison or a run fails. It has alternatives, each with one or
// more conditions. The comparison fails if all conditions of at least one alternative hold. An
// example is "saving>5% and evidence or total>+3%".
type Gate struct{ alternatives [][]Condition }

// String returns the conditions as the user wrote them, with "and" and "or" between them.
func (g Gate) String() string {
	var all []string
	for _, conditions := range g.alternatives {
		all = append(all, text(conditions))
	}
	return strings.Join(all, " or ")
}

// Join returns a gate with the alternatives of all gates.
func Join(gates ...Gate) Gate {
	var joined Gate
	for _, g := range gates {
		joined.alternatives = append(joined.alternatives, g.alternatives...)
	}
	return joined
}

// Alternatives returns the number of alternatives of the gate.
func (g Gate) Alternatives() int { return len(g.alternatives) }

// text returns conditions joined by "and".
func text(conditions []Condition) string {
	var all []string
	for _, c := range conditions {
		all = append(all, c.Text)
	}
	return strings.Join(all, " and ")
}

// A Condition is one condition of a Gate, such as saving>5%.
type Condition struct {
	// Measure is one of Measures, or Evidence.
	Measure string
	// Text is the condition as the user wrote it.
	Text string
	// Share is the limit as a fraction of the subject's energy, or of the reference's for Total. If
	// InEnergy is true, the limit is Amount in Unit instead.
	Share    float64
	InEnergy bool
	Amount   string
	Unit     units.Unit
	// Version is the app's version for FleetHog. It is empty for the app as a whole.
	Version string
}

// The values of Condition.Measure.
const (
	// Saving is the possible saving of all rows. Row is the possible saving of one task or one row
	// of app code. Only rows that count as findings have a possible saving.
	Saving = "saving"
	Row    = "row"
	// Unmatched is the energy of the tasks that the reference does not have.
	Unmatched = "unmatched"
	// Total is the additional energy of the subject over the reference.
	Total = "total"
	// Wasted is the energy that components used without need, in the subject or in a single run.
	Wasted = "wasted"
	// FleetHog holds if a fleet claims that the subject's app uses more energy on all devices. With
	// a version, as in fleet-hog:2.1, the claim must be about this version.
	FleetHog = "fleet-hog"
	// Evidence holds if repeated runs show that the subject uses more for a task, for app code, or
	// in total.
	Evidence = "evidence"
)

// Measures lists the measures of a comparison.
func Measures() []string { return []string{Saving, Row, Unmatched, Total, Wasted} }

// RunMeasures lists the measures of a single run.
func RunMeasures() []string { return []string{Wasted} }

// A word is a word in the text of a gate. Columns count from 1.
type word struct {
	text   string
	column int
}

// ParseGate parses a gate for comparisons. A condition is "evidence", or one of Measures with > and
// an amount, in percent or in a unit of energy. "and" binds more tightly than "or". Errors state
// the column.
func ParseGate(text string) (Gate, error) {
	return parseGate(text, vocabulary{append(Measures(), Evidence, FleetHog), "saving>5%, total>+3%, unmatched>2mJ or evidence"})
}

// ParseRunGate parses a gate for single runs. Its conditions use RunMeasures.
func ParseRunGate(text string) (Gate, error) {
	return parseGate(text, vocabulary{RunMeasures(), "wasted>5% or wasted>2mJ"})
}

// A vocabulary lists the measures that the conditions of a gate may use, with examples for
// messages.
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
			return Gate{}, fmt.Errorf("column %d: write \"and\" or \"or\" between conditions, not %q", joint.column, joint.text)
		}
		if len(tokens) == 0 {
			return Gate{}, fmt.Errorf("column %d: a condition is missing after %s", end.column, joint.text)
		}
	}
	gate.alternatives = append(gate.alternatives, all)
	return gate, nil
}

// wordsOf splits a gate at spaces.
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
			return Condition{}, fmt.Errorf("column %d: write a version after the colon of %s", at.column+len(at.text), FleetHog)
		}
		return c, nil
	}
	i := strings.IndexByte(at.text, '>')
	fault := func(after int, format string, args ...any) (Condition, error) {
		return Condition{}, fmt.Errorf("column %d: %s", at.column+after, fmt.Sprintf(format, args...))
	}
	if i < 0 {
		if at.text == "" {
			return fault(0, "a condition is missing: write one such as %s", v.examples)
		}
		if measure, amount, colon := strings.Cut(at.text, ":"); colon && slices.Contains(v.measures, measure) {
			return fault(len(measure), "write %s>%s: a condition has > between the measure and the amount", measure, amount)
		}
		return fault(0, "%q is not a condition: write one without spaces, such as %s", at.text, v.examples)
	}
	if c.Measure = at.text[:i]; isWord(c.Measure) || !slices.Contains(v.measures, c.Measure) {
		return fault(0, "unknown measure %q: use one of %s", c.Measure, strings.Join(slices.DeleteFunc(slices.Clone(v.measures), isWord), ", "))
	}
	amount := at.text[i+1:]
	sign := 0
	if c.Measure == Total {
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
