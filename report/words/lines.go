package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/units"
)

// LinePrecision says how precise the lines of a run are. grade is "lines", "methods" or "nothing",
// as in report.Lines. located is the share of samples with a line. longer is how many times as long
// the run would have to be for better figures, and minutes the additional time, or 0. advice says
// how to record lines, and may be empty.
func LinePrecision(grade string, located, longer, minutes float64, advice string) string {
	switch grade {
	case "lines":
		return Percent(located) + " of the samples have a line; the lines whose energy is known within ±50% have at least half of the total energy"
	case "methods":
		text := Percent(located) + " of the samples have a line; there are too few samples for most lines, so only the figures of methods are reliable"
		if longer > 1 && longer < 1000 {
			more := ""
			if minutes > 0 {
				more = ", " + TwoDigits(minutes) + " more minutes,"
			}
			text += fmt.Sprintf("; a run %s times as long%s would have figures within ±50%% for half of the energy", TwoDigits(math.Ceil(10*longer)/10), more)
		}
		return text
	}
	if advice != "" {
		advice = ": " + advice
	}
	return "no sample has a source line" + advice
}

// LinesUnsampled is like LinePrecision for a run with unsampled time. located is the share of
// samples with a line, and unsampled the share of time without samples.
func LinesUnsampled(located, unsampled float64) string {
	return Percent(located) + " of the samples have a line; " + Percent(unsampled) + " of the time was not sampled, and the intervals say how much of it a line may have used"
}

// SampleLines says how many samples have a line. lines is their share. positions is the share with
// only a position in DEX code. advice says how to record lines.
func SampleLines(lines, positions float64, advice string) string {
	switch {
	case lines > 0 && positions > 0:
		return "known for " + Percent(lines) + " of the samples; " + Percent(positions) + " have a position in DEX code; the APK of the build (--classpath) would give them lines"
	case lines > 0:
		return "known for " + Percent(lines) + " of the samples"
	case positions > 0:
		return Percent(positions) + " of the samples have a position in DEX code; the APK of the build (--classpath) would give them lines"
	case advice != "":
		return "none: " + advice
	}
	return "none"
}

// LineFigure formats a line's energy with the larger half of its interval: "12.4 ±1.1 µJ".
func LineFigure(scale Scale, own, least, most units.Energy) string {
	unit := scale.suited(own)
	away := math.Abs(unit.Amount(max(own-least, most-own), scale.voltage))
	return scale.amount(own, unit) + " ±" + TwoDigits(away) + " " + unit.String()
}

// FewSamples is shown for lines with too few samples for an interval.
const FewSamples = "few samples"

// A LineUse is the energy of a line in a run: Own without callees, All with them. Least and Most
// are the interval of Own, or nil with too few samples. AllLeast and AllMost are the interval of
// All.
type LineUse struct {
	Own, All           units.Energy
	Least, Most        *units.Energy
	AllLeast, AllMost  *units.Energy
	OwnShare, AllShare float64
	Samples            float64
}

// Line describes the energy of a line.
func (u *LineUse) Line(scale Scale) string {
	var parts []string
	samples := Some(int(math.Round(u.Samples)), "sample")
	switch {
	case u.Own == 0:
	case u.Least == nil || u.Most == nil:
		parts = append(parts, "This line itself: "+samples+", too few for a figure")
	default:
		parts = append(parts, "This line itself: "+scale.Energy(u.Own)+" ("+scale.Range(u.Least, *u.Most)+" in 95% of cases), "+Percent(u.OwnShare)+" of the run, "+samples)
	}
	if u.All > u.Own {
		interval := ""
		if u.AllLeast != nil && u.AllMost != nil {
			interval = " (" + scale.Range(u.AllLeast, *u.AllMost) + " in 95% of cases)"
		}
		parts = append(parts, "With all that it calls: "+scale.Energy(u.All)+interval+", "+Percent(u.AllShare)+" of the run")
	}
	return strings.Join(parts, ". ")
}

// Heats is the number of colors in which editors show lines.
const Heats = 6

// Heat returns the color for a share of the run's energy, from 1 (blue) to Heats (red). The last
// color is for a tenth and more. Each color covers shares down to a third of its upper end.
func Heat(share float64) int {
	if !(share > 0) {
		return 1
	}
	return min(max(Heats+int(math.Floor(math.Log(share/0.1)/math.Log(3))), 1), Heats)
}

// LinesUncounted is like LinePrecision if the number of samples is unknown. located is the share of
// energy with a line.
func LinesUncounted(located float64) string {
	return Percent(located) + " of the energy has a line; the number of samples is unknown, so lines have no intervals"
}

// LinesTitle returns the title of a table of lines. what is "line" or "method", by the order of the
// rows, and noun the result of Scale.Noun.
func LinesTitle(two bool, what, by, noun string) string {
	switch {
	case two && what == "method":
		return "Methods of both runs: first those that differ by more than chance, the largest difference first"
	case two:
		return "Lines of both runs: first those that differ by more than chance, the largest difference first"
	}
	return strings.ToUpper(what[:1]) + what[1:] + "s, " + topOrder(by, noun)
}

// LinesLegend explains the columns of a table of lines. The parameter by is "self" or "all".
func LinesLegend(two bool, by string) string {
	switch {
	case two && by == "all":
		return "difference: of the energy with callees; 95%: the interval of the difference; unclear: may be chance"
	case two:
		return "difference: of the energy without callees; 95%: the interval of the difference; unclear: may be chance"
	}
	if by == "all" {
		return "all: with callees, recursion counted once; 95%: its interval, taking the total as exact (–: fewer than 10 samples); self: without callees; samples: of the line itself"
	}
	return ListingLegend(false)
}

// ListingLegend explains the columns of a method's source. two is set if it compares two runs.
func ListingLegend(two bool) string {
	text := "self: without callees; 95%: its interval, taking the total as exact (–: fewer than 10 samples); all: with callees, recursion counted once"
	if two {
		text += "; there: the same line in the other run"
	}
	return text
}

// SameLines notes that two runs are one recording.
const SameLines = "both sides are the same recording, so no line differs"

// MethodsNote explains why two runs are compared by method.
const MethodsNote = "line numbers change between builds, so methods are compared: give the sources of both builds with --source and --reference-source to compare lines"

// ListingNote explains why a listing has no figures of the other run.
const ListingNote = "line numbers change between builds, so only the subject has figures: give the sources of both builds with --source and --reference-source to compare lines"
