package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// Cycle names a cycle of methods, as gprof does.
func Cycle(number int) string { return fmt.Sprintf("<cycle %d>", number) }

// Component names a component; what the recording does not name is the device.
func Component(name string) string {
	if name == "" {
		return "device"
	}
	return name
}

// Machine says what a component was asked, and how it spent the run: "35 operations; high
// 3.2 s, tail 20 s".
func Machine(operations int64, states []string) string {
	said := Some(operations, "operation")
	if len(states) > 0 {
		said += "; " + strings.Join(states, ", ")
	}
	return said
}

// Drain says what a component drained: "cellular 20 + 480 tail".
func Drain(name string, use, tail, rest units.Energy, s Scale) string {
	var parts []string
	if use != 0 || tail == 0 && rest == 0 {
		parts = append(parts, s.Amount(use))
	}
	if tail != 0 {
		parts = append(parts, s.Amount(tail)+" tail")
	}
	if rest != 0 {
		parts = append(parts, s.Amount(rest)+" nobody's")
	}
	return Component(name) + " " + strings.Join(parts, " + ")
}

// Battery says what part of a full battery of some capacity a run drained.
func Battery(drained units.Energy, share float64, capacity units.Charge, v units.Voltage) string {
	charge := units.MicroampereHour
	percent := units.Fixed(100*share, 2) + "%"
	if share > 0 && share < 0.0001 {
		percent = "<0.01%"
	}
	return percent + " of a full one: " + Each(&charge, v).Energy(drained) + " of " + capacity.String()
}

// InputOutput says how much the components beside the processor drained for methods, and how
// few those are.
func InputOutput(share float64, routines, all int) string {
	if routines == 0 {
		return "no call is known to have caused what components beside the processor drained"
	}
	return fmt.Sprintf("%s of the energy is I/O: %s of %s caused it", Percent(share), Count(routines), Some(all, "method"))
}

// Row is what a row of a profile by something is called.
func Row(by string) string {
	if by == "syscall" {
		return "system call"
	}
	return by
}

// ProfileTitle says what the rows of a flat profile are, and in which order, "self" or "all".
func ProfileTitle(by, sort string) string {
	title := strings.TrimPrefix(Some(2, Row(by)), "2 ")
	return "Flat profile of " + title + ", " + topOrder(sort)
}

// ProfileLegend explains the columns of a flat profile.
func ProfileLegend(clock string) string {
	legend := "self: without callees; all: with callees, recursion once"
	switch clock {
	case "cpu":
		legend += "; time: on the processor"
	case "wall":
		legend += "; time: that passed, waiting included"
	}
	return legend
}

// ShareOf names a method with its part of a run's energy: "String.format 12.3%".
func ShareOf(method string, part, total units.Energy) string {
	return method + " " + Share(part, total)
}

// Most names the methods that use most of a run's energy, each as ShareOf writes it. outside is
// the part of the energy outside of all calls that the recording names. It is empty for neither.
func Most(methods []string, outside float64) string {
	said := ""
	if len(methods) > 0 {
		said = "The methods that use most themselves: " + strings.Join(methods, ", ") + "."
	}
	if outside >= 0.5 {
		said += " " + Percent(outside) + " of the energy was used outside of all calls that the recording names: a method trace or a sampling profiler names more."
	}
	return strings.TrimSpace(said)
}
