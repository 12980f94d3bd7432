package report

import (
	"fmt"
	"io"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Trouble is a reason why a CI gate (a --fail-on condition) may not work as intended.
type Trouble struct {
	// Code identifies the kind: see the constants.
	Code string `json:"code"`
	// Wrong is set if the gate cannot work. Otherwise this is only a caution.
	Wrong   bool   `json:"wrong"`
	Message string `json:"message"`
}

// A Doctor lists the troubles of a gate, and the smallest difference that it can detect.
type Doctor struct {
	SchemaVersion int         `json:"schemaVersion"`
	Tool          Tool        `json:"tool"`
	Troubles      []Trouble   `json:"troubles"`
	Sensitivity   Sensitivity `json:"shows"`
	// History has one element for each app, device and scenario in the history.
	History []HistorySensitivity `json:"history"`
}

// Sensitivity is how much growth of the total energy a gate can detect.
type Sensitivity struct {
	// Runs is the number of runs on the side with fewer. Least is the smallest growth that the gate
	// detects in four of five builds, such as 0.05 for 5 %. It is null if it detects none.
	// LeastEver is the limit that more runs cannot lower. It is null if there is no limit.
	Runs       int      `json:"runs"`
	Least      *float64 `json:"least"`
	LeastEver  *float64 `json:"leastEver"`
	Builds     float64  `json:"noiseBetweenBuilds"`
	BuildsFrom string   `json:"noiseBetweenBuildsFrom"`
	Message    string   `json:"message"`
}

// NewDoctor makes a document of the troubles of a gate.
func NewDoctor(set *finding.Set, version string, troubles []Trouble, history []HistorySensitivity) *Doctor {
	d := &Doctor{SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, Troubles: troubles, History: history, Sensitivity: newSensitivity(set)}
	if d.Troubles == nil {
		d.Troubles = []Trouble{}
	}
	if d.History == nil {
		d.History = []HistorySensitivity{}
	}
	return d
}

// newSensitivity computes how much growth the runs of a comparison can detect.
func newSensitivity(set *finding.Set) Sensitivity {
	r := set.Result
	s := Sensitivity{Runs: max(1, min(len(r.Subject.Runs), len(r.Reference.Runs))), Builds: digits(r.Chance.Builds.Total), BuildsFrom: string(r.Chance.Builds.Source)}
	part := func(x float64) *float64 {
		if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		x = digits(x)
		return &x
	}
	if r.Repeats == nil {
		h := set.Headline()
		s.Least, s.Builds = part(halfWidth(&h)), 0
		s.Message = words.GrowthShown(s.Runs, s.Least, 0, r.Chance)
		return s
	}
	ever := r.Chance.DetectionLimit()
	s.Least, s.LeastEver = part(r.Chance.Detectable(s.Runs)), part(ever)
	s.Message = words.GrowthShown(s.Runs, s.Least, ever, r.Chance)
	return s
}

// WriteJSON writes the document as indented JSON, ended by a newline.
func (d *Doctor) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

// The codes of troubles.
const (
	NoCondition   = "no-condition"
	NotJudged     = "not-judged"
	NeverFires    = "never-fires"
	AlwaysRed     = "always-red"
	UnderNoise    = "under-noise"
	FewRuns       = "few-runs"
	OneRun        = "one-run"
	IgnoreUnused  = "ignore-unused"
	BaselineGone  = "known-gone"
	SameRecording = "same-recordings"
	NoSource      = "no-source"
	OrderUnknown  = "order-unknown"
	OneAfterOther = "one-after-other"
)

// Troubles checks whether a gate can work with runs like those of a comparison. The sentences end
// without a full stop.
func Troubles(gate finding.Gate, set *finding.Set) []Trouble {
	var found []Trouble
	r, h := set.Result, set.Headline()
	wrong := func(code, format string, args ...any) {
		found = append(found, Trouble{code, true, fmt.Sprintf(format, args...)})
	}
	caution := func(code, format string, args ...any) {
		found = append(found, Trouble{code, false, fmt.Sprintf(format, args...)})
	}
	if h.Verdict == finding.SameContent {
		wrong(SameRecording, "both sides are the same recordings, so no condition can hold; give the recordings of the reference with --reference")
	}
	if gate.Alternatives() == 0 {
		caution(NoCondition, "there is no --fail-on, so a build never fails; add one, such as 'total>+3%% and evidence'")
	}
	repeated := r.Repeats != nil
	if !repeated {
		noise := "assumed"
		switch r.Chance.Basis {
		case analysis.FromSetting:
			noise = "stated"
		case analysis.FromCounts:
			noise = "taken from the usual variation of numbers of calls in one scenario"
		}
		caution(OneRun, "one side has only one run, so the noise is not measured but %s; record 5 runs or more on each side", noise)
	}
	if repeated {
		switch r.Chance.Order.Sequence {
		case repeats.UnknownOrder:
			caution(OrderUnknown, "the order of the runs is unknown, so a slow drift of the device looks like a change of the app; diffprof record records both sides in turn and stores the start of each run")
		case repeats.OneAfterOther:
			caution(OneAfterOther, "one side was recorded after the other, so a condition that does not hold cannot be judged; record both sides in turn (A B B A)")
		}
	}
	for _, e := range gate.Examine(set) {
		evidence := false
		for _, c := range e.Conditions {
			evidence = evidence || c.Measure == finding.Evidence
		}
		for _, c := range e.Conditions {
			switch {
			case c.Err != nil:
				wrong(NotJudged, "%s cannot be judged: %v", c.Text, c.Err)
				continue
			case c.Always:
				wrong(AlwaysRed, "%s also holds for the reference, so every build fails; list known findings with diffprof baseline, or raise the amount above %s",
					c.Text, words.Percent(c.ConditionValue.Share))
			case !c.InEnergy && c.Condition.Share >= 1 && c.Measure != finding.Total && c.Measure != finding.Evidence && c.Measure != finding.FleetHog:
				wrong(NeverFires, "%s can never hold: %s is a part of the subject's energy, at most 100%%", c.Text, c.Measure)
			}
			if c.Measure != finding.Total {
				continue
			}
			limit, ok := shareOf(c.Condition, r)
			if !ok {
				continue
			}
			noise := halfWidth(&h)
			switch {
			case !repeated && limit < noise:
				caution(UnderNoise, "%s: one run on each side shows a difference of about %s or more, so smaller differences pass; record several runs of each side in turn",
					c.Text, words.Percent(noise))
			case repeated:
				runs, need := len(r.Subject.Runs), r.Chance.RunsFor(limit)
				if limit > 0 && (need == 0 || need > runs) {
					caution(FewRuns, "%s: %s on each side seldom show a difference of %s; %s", e.Text, words.Some(runs, "run"), words.Percent(limit), enough(limit, need, r.Chance))
				}
			}
		}
	}
	return found
}

// enough says how many runs would detect a difference. need is that number, or 0 if 1000 are too
// few. More runs help only if the noise between builds does not hide the difference.
func enough(limit float64, need int, c *analysis.Chance) string {
	if need == 0 && limit < c.DetectionLimit() {
		return fmt.Sprintf("more runs do not help: growth below %s is never evidence while the noise between builds is %s; measure this noise with diffprof record --aa and --equal-build, or state it with --builds",
			words.Percent(c.Hidden()), words.Percent(c.Builds.Total))
	}
	if need == 0 {
		return "no number of runs up to 1000 shows this difference"
	}
	return fmt.Sprintf("%d would show it in four builds of five", need)
}

// shareOf converts the limit of a condition to a fraction of the reference's energy.
func shareOf(c finding.Condition, r *analysis.Result) (float64, bool) {
	if !c.InEnergy {
		return c.Share, true
	}
	num, den := c.Unit.Scale(r.Voltage)
	limit, err := units.Decimal(c.Amount, num, den)
	return units.Share(units.Energy(limit), r.Reference.Energy), err == nil && r.Reference.Energy > 0
}

// halfWidth returns half the width of the difference's interval, as a fraction of the reference's
// energy.
func halfWidth(h *finding.Headline) float64 {
	if h.Reference == 0 {
		return 0
	}
	return math.Abs(float64(h.Interval.Most-h.Interval.Least)) / 2 / float64(h.Reference)
}
