package report

import (
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Repeats describes repeated runs and the statistical test of their differences.
type Repeats struct {
	Subject   []RepeatedRun `json:"subject"`
	Reference []RepeatedRun `json:"reference"`
	// Method is the name of the test. Rate is its false discovery rate.
	Method string  `json:"method"`
	Rate   float64 `json:"falseDiscoveryRate"`
	// Level is the confidence level of the intervals of tasks and app code: see repeats.Study.
	Level float64 `json:"level"`
	// Tested counts the tasks and rows of app code that were tested. Evident counts those that
	// differ by more than chance.
	Tested  int `json:"tested"`
	Evident int `json:"evident"`
	// Total is the evidence about the total energy.
	Total Evidence `json:"total"`
	// Conditions describes how the runs were made.
	Conditions RunConditions `json:"conditions"`
}

// RunConditions describe how the runs were made. The intervals depend on them.
type RunConditions struct {
	// Order is "in-turn", "one-after-other" or "unknown". Gap says why it is unknown.
	Order string `json:"order"`
	Gap   string `json:"orderGap"`
	// Trend is the drift of the total per run, such as 0.01 for 1 %. Estimates are corrected for
	// it. It is 0 without a correction.
	Trend float64 `json:"trendPerRun"`
	// Builds and RowBuilds are the noise between builds in the total and in single rows.
	// BuildsFrom is where these figures come from, an analysis.BuildSource.
	Builds     float64 `json:"noiseBetweenBuilds"`
	RowBuilds  float64 `json:"noiseBetweenBuildsOfRows"`
	BuildsFrom string  `json:"noiseBetweenBuildsFrom"`
	// Message states the conditions in words.
	Message string `json:"message"`
}

// newConditions returns the conditions of repeated runs.
func newConditions(c *analysis.Chance) RunConditions {
	made := RunConditions{
		Order: map[repeats.Sequence]string{repeats.InTurn: "in-turn", repeats.OneAfterOther: "one-after-other", repeats.UnknownOrder: "unknown"}[c.Order.Sequence],
		Gap:   string(c.Gap), Builds: digits(c.Builds.Total), RowBuilds: digits(c.Builds.Rows), BuildsFrom: string(c.Builds.Source), Message: words.Conditions(c),
	}
	if c.Order.Adjusted {
		made.Trend = digits(c.Order.Trend)
	}
	return made
}

// A RepeatedRun is one of several runs of a build.
type RepeatedRun struct {
	Path   string       `json:"path"`
	Energy units.Energy `json:"energyNJ"`
	Scale  float64      `json:"scale"`
	// WallTime has the same meaning as in Input.
	WallTime int64 `json:"wallTimeNS"`
	// Outlying is set if the run differs much from the others. Such a run still counts.
	Outlying bool `json:"outlying"`
}

// Evidence is what repeated runs show about a difference.
type Evidence struct {
	// Verdict is "costlier", "cheaper" or "no evidence". words.Shown describes it in words.
	Verdict string `json:"verdict"`
	// Message states the possible saving in words, with its interval and the verdict.
	Message string `json:"message"`
	// SavingLeast and SavingMost are the bounds of the saving.
	SavingLeast units.Energy `json:"savingLeastNJ"`
	SavingMost  units.Energy `json:"savingMostNJ"`
	// P and Q are the figures of repeats.Estimate, to three digits.
	P         float64      `json:"p"`
	Q         float64      `json:"q"`
	Subject   SideEvidence `json:"subject"`
	Reference SideEvidence `json:"reference"`
}

// SideEvidence is the median of one side's runs, with its 95 % interval.
type SideEvidence struct {
	Median units.Energy `json:"medianNJ"`
	Least  units.Energy `json:"leastNJ"`
	Most   units.Energy `json:"mostNJ"`
}

// Evident reports whether the runs show a difference. e may be nil.
func (e *Evidence) Evident() bool { return e != nil && e.Verdict != repeats.NoEvidence.String() }

// evidence converts an estimate of a saving. It returns nil if there is no estimate.
func evidence(r *analysis.Result, e *repeats.Estimate, saving units.Energy) *Evidence {
	if e == nil {
		return nil
	}
	least, most := analysis.Energies(e.Interval)
	side := func(m repeats.MedianInterval) SideEvidence {
		least, most := analysis.Energies(m.Interval)
		return SideEvidence{units.Energy(math.Round(m.Median)), least, most}
	}
	return &Evidence{
		Verdict: e.Verdict.String(), Message: words.Estimate(saving, least, most, e.Verdict.String(), words.ScalePerFigure(r.Unit(nil), r.Voltage)),
		SavingLeast: least, SavingMost: most, P: digits(e.P), Q: digits(e.Q), Subject: side(e.Subject), Reference: side(e.Reference),
	}
}

// digits rounds to three digits, because processors differ in the last digits of a float.
func digits(x float64) float64 {
	if x == 0 {
		return 0
	}
	by := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*by) / by
}

// newRepeats describes the repeated runs of a result. It returns nil if a side has one run.
func newRepeats(r *analysis.Result) *Repeats {
	if r.Repeats == nil {
		return nil
	}
	study := r.Repeats.Study
	made := &Repeats{
		Subject: repeatedRuns(r.Subject.Runs), Reference: repeatedRuns(r.Reference.Runs), Method: repeats.Method, Rate: repeats.Rate,
		Level: digits4(study.Level), Tested: len(study.Tasks), Evident: study.Evident(),
		Total:      *evidence(r, &r.Repeats.Total, r.Subject.Energy-r.Reference.Energy),
		Conditions: newConditions(r.Chance),
	}
	return made
}

// digits4 rounds a confidence level to six decimals.
func digits4(level float64) float64 { return 1 - math.Round(1e6*(1-level))/1e6 }

func repeatedRuns(runs []analysis.Run) []RepeatedRun {
	list := make([]RepeatedRun, len(runs))
	for i, run := range runs {
		list[i] = RepeatedRun{run.Path, run.Energy, run.Scale.Factor(), int64(run.Elapsed), run.Outlying}
	}
	return list
}
