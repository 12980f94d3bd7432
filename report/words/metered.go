package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// MeteredPrecision says how precise the measured lines of a run are. grade is "lines", "methods" or
// "nothing", as in report.Metered.
//
//   - close counts the executed lines that are known within ±50 %, and others the other lines.
//   - methods counts the methods that are known within ±50 %.
//   - minutes is how much longer to record until most lines are, or 0 if that does not help.
//   - shift is how much later the meter's readings would have to begin to fit best, in ns.
func MeteredPrecision(grade, reason string, shift int64, close, others, methods int, minutes float64) string {
	more := ""
	switch {
	case minutes > 0:
		more = "; about " + TwoDigits(minutes) + " more minutes of the same use would give figures within ±50% for half of the lines"
	case grade != "lines" && reason == "":
		more = "; a longer run of the same use does not help: use the app in other ways, so that it takes other paths"
	}
	switch grade {
	case "lines":
		return fmt.Sprintf("%s of %s executed lines have a figure within ±50%% from the measured energy", Count(int64(close)), Count(int64(close+others)))
	case "methods":
		have := "have"
		if methods == 1 {
			have = "has"
		}
		return fmt.Sprintf("the measured energy gives figures for methods only: %s %s a figure within ±50%%, but only %s of %s executed lines do%s",
			Some(methods, "method"), have, Count(int64(close)), Count(int64(close+others)), more)
	}
	if reason == "" {
		return "the measured energy gives no figures: the interval of most methods is wider than ±50%" + more
	}
	return "the measured energy gives no figures: " + meterReason(reason, shift) + more
}

// meterReason explains why the measured energy cannot be divided by line.
func meterReason(reason string, shift int64) string {
	switch reason {
	case "few":
		reason = "the meter has too few different readings in the run: it measured too rarely, its reading did not change, or it measured only a small part of the run"
	case "shift":
		when := "later"
		if shift < 0 {
			when, shift = "earlier", -shift
		}
		reason = "the measured power best matches the code that ran if the measurement begins about " + shortTime(shift) + " " + when + ": set --align"
	case "unlike":
		reason = "the meter does not show when code ran: check --align, or measure while the device does little else"
	case "unpredicted":
		reason = "the lines of one part of the run do not predict the energy of another part: record for longer, or use the app in more ways"
	case "blend":
		reason = "each reading is averaged with its neighbors, which would move energy from lines to the idle device: give the energy or the power of each period (columns end_time or duration), or measure more often"
	case "standing":
		reason = "the meter's reading stayed the same during more than a tenth of the time in which code ran: the meter is too coarse, or the device was charging"
	case "sparse":
		reason = "there are too few samples to tell how long code ran between two readings: sample more often, or record for longer"
	case "untimed":
		reason = "the recording does not state the times of its samples"
	}
	return reason
}

// MeterTitle is the title of measured energy that is divided among samples.
const MeterTitle = "Measured energy; the power of a line is the measured power at the moments of its samples"

// MeterUnused states why the measured energy is not used. source describes the meter.
func MeterUnused(source, reason string, shift int64) string {
	return "the meter is not used, and energies are modelled: " + meterReason(reason, shift) + " (" + source + ")"
}

// MeterSource describes the measurement of a sampled run. Times are in nanoseconds.
func MeterSource(tracks []string, window, elapsed, period int64, periods int) string {
	text := meterPeriods(tracks, window, period, periods)
	if window < elapsed-elapsed/100 {
		text += " of the " + shortTime(elapsed) + " that the run took; the rest has no measurement, and its samples have no energy"
	}
	return text
}

func meterPeriods(tracks []string, window, period int64, periods int) string {
	return strings.Join(tracks, ", ") + ": " + Count(int64(periods)) + " periods of about " + shortTime(period) + " over " + shortTime(window)
}

// MeterPowers describes the power of the idle and the busy device, in µW. vary is how much the
// power differs between lines.
func MeterPowers(idle, busy int64, known bool, vary float64) string {
	lines := "; the power of lines is assumed to vary by " + Percent(vary)
	if !known {
		return "code ran nearly all the time, so the power of the idle device is unknown, and the lines include it" + lines
	}
	return "the device used " + milliwatts(idle) + " while no code ran, and " + milliwatts(busy) + " more for each thread that ran" + lines
}

// MeteredPrinted says how far to trust the formulas as the vLens paper prints them.
func MeteredPrinted(lines int) string {
	return Some(lines, "executed line") + " with figures from the formulas of the vLens paper: these figures have no intervals and include events; for intervals, leave out --fit printed"
}

// MeteredTitle introduces the measured energy of a run.
const MeteredTitle = "Measured energy, split by the paths that ran"

// MeteredBy states that tracks measured an energy.
func MeteredBy(tracks []string) string { return "measured by " + strings.Join(tracks, ", ") }

// MeteredLegend explains the columns of its tables.
const MeteredLegend = "energy: the energy of the line or method without its callees; 95%: the interval of this energy; each: the energy of one execution; lines whose energy is not known within ±50% are not listed"

// MeteredListing explains the columns of a method's source.
const MeteredListing = "energy: of the line itself, measured; 95%: its interval; each: the energy of one execution; not determined: the run does not show the line's energy within ±50%"

// Undetermined is shown instead of an energy that is not known within ±50 %.
const Undetermined = "not determined"

// MeteredLine describes the measured energy of a line over all its executions. share is its share
// of the run's measured energy. If the parameter most is 0, the energy is not known.
func MeteredLine(scale Scale, energy, least, most units.Energy, share float64, executions int64, paths int) string {
	ran := Some(int(executions), "execution") + " on " + Some(paths, "path")
	if most == 0 {
		return "This line itself: " + ran + "; the measured run does not show its energy within ±50%"
	}
	text := "This line itself: " + scale.Energy(energy) + " (" + scale.Range(&least, most) + " in 95% of cases), " + Percent(share) + " of the measured energy, " + ran
	if executions > 0 {
		text += ", " + scale.Energy(PerExecution(energy, executions)) + " each"
	}
	return text + ". A fit divides the measured energy among the lines"
}

// MeteredFigure formats the energy of one execution and the number of executions: "12.4 ±1.1 µJ
// ×30".
func MeteredFigure(scale Scale, energy, least, most units.Energy, executions int64) string {
	if executions <= 0 {
		return LineFigure(scale, energy, least, most)
	}
	return LineFigure(scale, PerExecution(energy, executions), PerExecution(least, executions), PerExecution(most, executions)) + " ×" + Count(executions)
}

// PerExecution returns the energy of one execution, rounded.
func PerExecution(e units.Energy, executions int64) units.Energy {
	return units.Energy(units.MulDiv(int64(e)+executions/2, 1, executions))
}

// MeteredEventsTitle introduces the events.
const MeteredEventsTitle = "Events, such as garbage collections: executions with far more energy than usual, which the lines do not include"

// MeteredSource describes the measurement. Times are in nanoseconds.
func MeteredSource(tracks []string, window, elapsed, period int64, periods int) string {
	text := meterPeriods(tracks, window, period, periods)
	if window < elapsed-elapsed/100 {
		text += " of the " + shortTime(elapsed) + " that the run took; the rest has no measurement or no times of paths"
	}
	return text
}

// MeteredFit describes how measured energy was divided, and how well this predicts other parts of
// the run. joined is the prediction error of the full fit, alone with opcodes only, and times with
// times only.
func MeteredFit(way string, opcodes int, spread, r2, aee, joined, alone, times float64) string {
	var text string
	switch way {
	case "printed":
		return fmt.Sprintf("all energy of the device while a path ran is divided among the lines by their opcodes; R² %s, average error (AEE) %s", digits3(r2), Percent(aee))
	case "times":
		text = "lines share the energy by the times of paths: a fit by both opcodes and times predicts other parts of the run worse than one by either alone"
		if joined <= 0 {
			text = "lines share the energy by the times of paths, since there is too little data to compare other fits"
		}
	default:
		text = "lines share the measured energy of their paths"
	}
	if joined > 0 {
		text += fmt.Sprintf(" (prediction error %s; with opcodes alone %s, with times alone %s)", Percent(joined), Percent(alone), Percent(times))
	}
	text += "; R² " + digits3(r2) + ", AEE " + Percent(aee)
	switch {
	case opcodes > 0:
		text += "; the energy of a line differs from the sum of its opcodes' energies by " + Percent(spread)
	default:
		text += "; the map has no opcodes, so each line is expected to cost the same: instrument the app again for more precise figures"
	}
	return text
}

// digits3 formats a coefficient.
func digits3(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// MeteredPowers describes the power of the idle and the busy device, in µW. vary is how much the
// power differs between lines.
func MeteredPowers(way string, idle, busy int64, known bool, vary float64) string {
	lines := "; the power of lines varies by about " + Percent(vary)
	switch {
	case way == "printed":
		return "the lines include the power of the idle device"
	case !known:
		return "a path ran nearly all the time, so the power of the idle device is unknown, and the lines include it" + lines
	}
	return "the device used " + milliwatts(idle) + " while no path ran, and " + milliwatts(busy) + " more while a path ran" + lines
}

func milliwatts(uw int64) string { return TwoDigits(float64(uw)/1000) + " mW" }

// MeteredDoubts returns warnings about the measured lines.
func MeteredDoubts(halves, scaled float64, unjudged int) []string {
	var out []string
	if halves > 0.2 {
		out = append(out, Percent(halves)+" of the energy is at lines whose figures differ between the two halves of the run: compile the app ahead of time (cmd package compile -f -m speed PACKAGE), and use it for longer")
	}
	if scaled < 0.995 {
		out = append(out, "the fitted energy exceeds the measured energy, so all figures are reduced to "+Percent(scaled))
	}
	if unjudged > 0 {
		out = append(out, Some(unjudged, "path")+" ran fewer than three times, so an event there would not be recognized")
	}
	return out
}

// MeteredPart is a part of the measured energy.
type MeteredPart struct {
	Name   string
	Energy units.Energy
}

// MeteredParts lists the parts that add up to the measured energy.
func MeteredParts(lines, unlined, probes, events, calls, idle, rest units.Energy) []MeteredPart {
	return []MeteredPart{
		{"lines", lines}, {"paths without lines", unlined}, {"probes", probes}, {"events", events}, {"calls with measured times", calls}, {"idle device", idle}, {"not attributed", rest},
	}
}

// MeteredOthers states the number and the energy of the lines that are not listed.
func MeteredOthers(others int, energy string) string {
	return Some(others, "executed line") + " without a figure within ±50%: " + energy + " together"
}

// MeteredEvent describes executions with far more energy than usual. place is empty if only the
// time is known.
func MeteredEvent(place string, count int64, least string) string {
	if place == "" {
		return Some(int(count), "period") + " of the meter with " + least + " or more besides the paths"
	}
	return Some(int(count), "execution") + " of a path at " + place
}

// MeteredCallsTitle is the title of the calls whose energy is measured.
const MeteredCallsTitle = "Calls such as input and output. Their energy varies, so it is measured separately, and the lines do not include it"

// MeteredCall describes the calls of a method.
func MeteredCall(method string, count int64) string {
	return Some(int(count), "call") + " of " + method
}

// MeteredOtherCalls describes the calls of methods that are not listed.
func MeteredOtherCalls(methods int, count int64) string {
	return Some(int(count), "call") + " of " + Some(methods, "other method")
}

// UndividedParts names the measured parts of the device that are not divided by line.
func UndividedParts(names []string) string {
	return "not divided by line: " + strings.Join(names, ", ")
}
