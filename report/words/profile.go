package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// Cycle names a cycle of methods like gprof.
func Cycle(number int) string { return fmt.Sprintf("<cycle %d>", number) }

// Component names a component. A component without a name is "device".
func Component(name string) string {
	if name == "" {
		return "device"
	}
	return name
}

// Machine formats the number of operations of a component, and its states: "35 operations; high 3.2
// s, tail 20 s".
func Machine(operations int64, states []string) string {
	text := Some(operations, "operation")
	if len(states) > 0 {
		text += "; " + strings.Join(states, ", ")
	}
	return text
}

// Drain formats the energy of a component, and its range if it is wide: "cellular 20 + 480 tail (90
// to 700)".
func Drain(name string, use, tail, rest units.Energy, least, most *units.Energy, s Scale) string {
	var parts []string
	if use != 0 || tail == 0 && rest == 0 {
		parts = append(parts, s.Amount(use))
	}
	if tail != 0 {
		parts = append(parts, s.Amount(tail)+" tail")
	}
	if rest != 0 {
		parts = append(parts, s.Amount(rest)+" unattributed")
	}
	text := Component(name) + " " + strings.Join(parts, " + ")
	if least != nil && most != nil {
		text += " (" + s.Amount(*least) + " to " + s.Amount(*most) + ")"
	}
	return text
}

// Battery formats the share of a full battery that a run used.
func Battery(drained units.Energy, share float64, capacity units.Charge, v units.Voltage) string {
	charge := units.MicroampereHour
	percent := units.Fixed(100*share, 2) + "%"
	if share > 0 && share < 0.0001 {
		percent = "<0.01%"
	}
	return percent + " of a full battery: " + ScalePerFigure(&charge, v).Energy(drained) + " of " + capacity.String()
}

// InputOutput says how much energy methods used in components other than the processor, and how
// many methods did.
func InputOutput(share float64, routines, all int) string {
	if routines == 0 {
		return "no call is known to have caused the energy of components other than the processor"
	}
	return fmt.Sprintf("%s of the energy is I/O, caused by %s of %s", Percent(share), Count(routines), Some(all, "method"))
}

// RowNoun returns what a row of a profile is, such as "method".
func RowNoun(by string) string {
	if by == "syscall" {
		return "system call"
	}
	return by
}

// RowName formats the name of a thread, process or library. Energy that no call caused has a code
// as its name, which this translates.
func RowName(name string) string {
	if name == "(nobody's)" {
		return "(unattributed)"
	}
	return name
}

// ProfileTitle returns the title of a flat profile. sort is "self" or "all", and noun the result of
// Scale.Noun.
func ProfileTitle(by, sort, noun string) string {
	title := strings.TrimPrefix(Some(2, RowNoun(by)), "2 ")
	return "Flat profile of " + title + ", " + topOrder(sort, noun)
}

// ProfileLegend explains the columns of a flat profile.
func ProfileLegend(clock string) string {
	legend := "self: without callees; all: with callees, recursion counted once"
	switch clock {
	case "cpu":
		legend += "; time: on the processor"
	case "wall":
		legend += "; time: elapsed, waiting included"
	}
	return legend
}

// ShareOf names a method with its share of a run's energy: "String.format 12.3%".
func ShareOf(method string, part, total units.Energy) string {
	return method + " " + Share(part, total)
}

// TopMethods names the methods that use the most energy. methods are results of ShareOf. outside is
// the share of energy outside all methods.
func TopMethods(methods []string, outside float64) string {
	text := ""
	if len(methods) > 0 {
		text = "The methods with the most energy of their own: " + strings.Join(methods, ", ") + "."
	}
	if outside >= 0.5 {
		text += " " + Percent(outside) + " of the energy was used outside of the calls in the recording: a method trace or a sampling profiler records more calls."
	}
	return strings.TrimSpace(text)
}
