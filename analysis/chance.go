package analysis

import (
	"math"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Basis says where the confidence intervals of a comparison come from.
type Basis string

// The bases.
const (
	// FromRepeats means that both sides have several runs.
	FromRepeats Basis = "repeats"
	// FromSamples means one run per side, with intervals computed from the numbers of samples.
	FromSamples Basis = "samples"
	// FromSetting means that one side has one run, and the user states the noise of a run.
	FromSetting Basis = "setting"
	// FromCounts means one run per side, with energies that are exact numbers of calls times costs.
	// The intervals are computed from the numbers of calls.
	FromCounts Basis = "counts"
	// Assumed means one run per side. The noise is the noise of typical recordings.
	Assumed Basis = "assumed"
)

// DefaultMinRelevant is the default of Options.MinRelevant.
const DefaultMinRelevant = 0.05

// Chance estimates which differences of a comparison may be chance, for any number of runs. It has
// an estimate for each row of the comparison, for rows that only the reference has, and for the
// total. It is immutable and safe for concurrent use.
type Chance struct {
	Basis Basis
	// Total is the estimate of the difference of the two totals.
	Total repeats.Estimate
	// Noise is the run-to-run relative standard deviation of the total, which Total is based on. It
	// is the user's figure if Basis is FromSetting, and measured if runs are repeated.
	Noise float64
	// Even is the common factor, such as 1.2, by which the whole run and its matched rows changed.
	// It is zero if they changed by different factors. Even is not a test: the change may be chance.
	Even repeats.CommonFactor
	// Builds is the noise between builds that the intervals include. It is used if Basis is
	// FromRepeats.
	Builds BuildNoise
	// Order is the order of the runs if Basis is FromRepeats. If the order is unknown, Gap says
	// why.
	Order repeats.Order
	Gap   OrderGap
	// Study has the estimates of all rows that were tested together.
	Study *repeats.Study

	table              *table
	code               *appcode.Comparison
	subject, reference *measured
	row                float64 // relative standard deviation of a row
	spread             repeats.Spread
}

// Task returns the estimate of a task's saving. A task with a possible counterpart is judged as if
// it were matched. Task returns nil if the task is too small to be tested. Its difference is then
// possibly chance.
func (c *Chance) Task(t *eflask.Task) *repeats.Estimate {
	if row, ok := c.table.tasks[t.Node]; ok {
		return &c.Study.Tasks[row]
	}
	if counterpart(t) < 0 && !t.Moved() {
		return c.certain(compared{subject: c.subject.task(t.Node), reference: c.reference.none()})
	}
	return nil
}

// Code returns the estimate of the saving of a row of app code. Like Task, it returns nil for a row
// that is too small to be tested.
func (c *Chance) Code(row *appcode.Row) *repeats.Estimate {
	if len(row.Parts) == 0 {
		return nil
	}
	if i, ok := c.table.code[&row.Parts[0]]; ok {
		return &c.Study.Tasks[i]
	}
	if row.Peer == nil && !c.table.smallMoved[&row.Parts[0]] {
		return c.certain(compared{subject: c.subject.code(&row.Side), reference: c.reference.none()})
	}
	return nil
}

// Unsure returns the parts of a task's saving that are possibly none. moved is no new work: in the
// other run, the same app method called other methods for the work, or did it itself. shifted is
// explained by a slower or longer run: see repeats.Study.Shift.
func (c *Chance) Unsure(t *eflask.Task) (moved, shifted units.Energy) {
	i, ok := c.table.tasks[t.Node]
	return c.unsure(i, ok, t.Saving)
}

// UnsureCode is like Unsure, for a row of app code. moved came from other methods of the app, or
// replaces other calls of the same method.
func (c *Chance) UnsureCode(row *appcode.Row) (moved, shifted units.Energy) {
	if len(row.Parts) == 0 {
		return 0, 0
	}
	i, ok := c.table.code[&row.Parts[0]]
	return c.unsure(i, ok, row.Saving)
}

func (c *Chance) unsure(row int, tested bool, saving units.Energy) (moved, shifted units.Energy) {
	if !tested || saving <= 0 {
		return 0, 0
	}
	at := &c.table.rows[row]
	moved = min(max(-at.moved, 0), saving)
	if c.Study.Shift > 1 {
		shifted = min(units.Energy(float64(at.reference.energy)*(c.Study.Shift-1)), saving-moved)
	}
	return moved, shifted
}

// ReferenceTask returns the estimate of a task that only the reference has. Its difference is
// negative. node is the task's node in the reference's tree.
//
// If the task is the possible counterpart of a subject's task, the result is the subject's
// estimate. Like Task, ReferenceTask returns nil for a small task.
func (c *Chance) ReferenceTask(node int32) *repeats.Estimate {
	if row, ok := c.table.there[node]; ok {
		return &c.Study.Tasks[row]
	}
	return c.certain(compared{subject: c.subject.none(), reference: c.reference.task(node).shifted(-c.table.shifted[node])})
}

// ReferenceCode returns the estimate for all app code that only the reference has, or nil if there
// is none. The sum of such code is always large. So it is evidence of a difference only if one of
// its methods or callbacks alone is evidence.
func (c *Chance) ReferenceCode() *repeats.Estimate {
	only := &c.code.Only
	if only.Energy == 0 {
		return nil
	}
	e := &repeats.Estimate{Difference: -float64(only.Energy), P: 1, Q: 1, Reference: repeats.MedianInterval{Median: float64(only.Energy)}}
	least, most, evident := 0.0, 0.0, 0.0
	for i := range only.Sides {
		side := c.referenceOnly(i)
		if side == nil {
			least -= float64(only.Sides[i].Energy)
			continue
		}
		least, most = least+side.Interval.Least, most+side.Interval.Most
		if side.Verdict == repeats.Cheaper {
			e.Verdict, e.P, e.Q = side.Verdict, min(e.P, side.P), min(e.Q, side.Q)
			evident += side.Interval.Most
		}
	}
	e.Interval = repeats.Interval{Least: least, Most: max(most, 0)}
	if e.Verdict == repeats.Cheaper {
		e.Interval.Most = evident
	}
	return e
}

// referenceOnly returns the estimate of one part of the app code that only the reference has. side
// is its index in AppCode.Only.Sides. The result is nil if the part is too small to be tested.
func (c *Chance) referenceOnly(side int) *repeats.Estimate {
	if row, ok := c.table.codeThere[side]; ok {
		return &c.Study.Tasks[row]
	}
	only := &c.code.Only.Sides[side]
	if len(only.Parts) > 0 && c.table.smallMoved[&only.Parts[0]] {
		return nil
	}
	return c.certain(compared{subject: c.subject.none(), reference: c.reference.code(only)})
}

// System returns the estimate of the difference in Summary.Outside.System, the system's own energy.
// Like Task, it returns nil if this energy is too small to be tested.
func (c *Chance) System() *repeats.Estimate {
	if c.table.system < 0 {
		return nil
	}
	return &c.Study.Tasks[c.table.system]
}

// certain returns the estimate of a row that only one run has, although the row is too small to be
// tested. It needs no test if both recordings have every call, because noise cannot hide a call.
// Otherwise, and for repeated runs, the result is nil.
func (c *Chance) certain(row compared) *repeats.Estimate {
	exact := func(m *measured) bool { return m.kind == timed || m.kind == counts }
	if c.Basis == FromRepeats || !exact(c.subject) || !exact(c.reference) || row.subject.energy+row.reference.energy == 0 {
		return nil
	}
	e := repeats.JudgeReading(c.readings(row, c.rowDeviation(&row)))
	return &e
}

// RunsFor returns the number of runs per side that detect a growth of the total with a power of
// 80%. share is the growth, such as 0.05. The result is 0 if the number is unknown or over a
// thousand.
func (c *Chance) RunsFor(share float64) int {
	if !(share > 0) || math.IsNaN(c.spread.Deviation) {
		return 0
	}
	runs, ok := c.spread.Needed(share, 1)
	if !ok {
		return 0
	}
	return runs
}

// Detectable returns the smallest growth of the total that a comparison with this many runs per
// side detects with a power of 80%, as a share of the total. It is infinite if no growth is
// detected, and 0 if it is unknown.
func (c *Chance) Detectable(runs int) float64 {
	if math.IsNaN(c.spread.Deviation) || c.spread.Mean == 0 {
		return 0
	}
	return c.spread.Detectable(runs, 1)
}

// DetectionLimit returns the smallest growth of the total that any number of runs can detect. The
// noise between builds hides a smaller growth. The result is 0 if that noise is 0.
func (c *Chance) DetectionLimit() float64 {
	if c.Builds.Total == 0 || c.Basis != FromRepeats {
		return 0
	}
	return c.spread.WithBuilds(c.Builds.Total, 0).Detectable(manyRuns, 1)
}

// Hidden returns the difference of the totals that noise between builds can hide, even from many
// runs. It is a share of the total, and 0 for one run per side.
func (c *Chance) Hidden() float64 {
	if c.Basis != FromRepeats {
		return 0
	}
	return repeats.Hidden(c.Builds.Total)
}

// manyRuns is a number of runs at which their own noise is negligible.
const manyRuns = 1 << 30

// rowDeviation returns the relative standard deviation of a row of one run. A row varies in two
// ways:
//
//   - with the energy of its run;
//   - with its share s of the run. A row with nearly all energy of both runs can gain no share from
//     other rows. In the worst case the other energy is one row that varies as much as this row.
//     The variance of log s is then 2(1-s)² times the row's own variance.
func (c *Chance) rowDeviation(row *compared) float64 {
	share := 1.0
	for _, side := range []struct{ part, whole units.Energy }{{row.subject.energy, c.subject.total}, {row.reference.energy, c.reference.total}} {
		share = min(share, units.Share(side.part, side.whole))
	}
	run := min(c.Noise, c.row)
	own := c.row*c.row - run*run
	return math.Sqrt(run*run + own*min(1, 2*(1-share)*(1-share)))
}

// readings returns the energies of a row in both runs, with their noise. deviation is the row's
// relative standard deviation.
func (c *Chance) readings(row compared, deviation float64) repeats.ReadingPair {
	o := repeats.ReadingPair{
		Subject:   c.subject.reading(row.subject, deviation, c.reference, row.reference),
		Reference: c.reference.reading(row.reference, deviation, c.subject, row.subject),
		Elsewhere: float64(row.elsewhere),
	}
	switch stretched, difference := c.stretched(row), o.Subject.Figure-o.Reference.Figure; {
	case difference > 0 && stretched > 0:
		o.Elsewhere = min(0, o.Elsewhere) - stretched
	case difference < 0 && stretched < 0:
		o.Elsewhere = max(0, o.Elsewhere) - stretched
	}
	return o
}

// stretched returns the part of a row's difference that comes from longer intervals between samples
// rather than from more samples. An interval is longer if the thread waits for the processor when a
// sample is due. The result is 0 unless energy is proportional to time alone.
func (c *Chance) stretched(row compared) float64 {
	s, r := row.subject, row.reference
	if !c.subject.timeAlone || !c.reference.timeAlone || s.samples == 0 || r.samples == 0 {
		return 0
	}
	return (s.samples + r.samples) / 2 * (float64(s.energy)/s.samples - float64(r.energy)/r.samples)
}

// judge computes the chance estimates of a finished comparison.
func (r *Result) judge(o *Options, builds BuildNoise) {
	repeated := min(len(r.Subject.Runs), len(r.Reference.Runs)) >= repeats.LeastRuns
	stated := o.Noise > 0 && !repeated
	c := &Chance{
		Basis: Assumed, code: r.AppCode, Noise: TotalNoise, row: RowNoise, subject: newMeasured(&r.Subject, stated), reference: newMeasured(&r.Reference, stated),
	}
	c.subject.markEmpty(c.reference)
	c.reference.markEmpty(c.subject)
	c.table = r.tested(c.subject, c.reference)
	r.Chance, r.MinRelevant = c, o.MinRelevant
	if r.MinRelevant == 0 {
		r.MinRelevant = DefaultMinRelevant
	}
	c.Even = c.even()
	programs := repeats.DifferentPrograms
	switch {
	case repeated:
		c.Builds = builds
		if builds.Source == BuildsAssumed && exactCosts(&r.Subject) && exactCosts(&r.Reference) {
			c.Builds = BuildNoise{Source: BuildsCounted}
		}
		r.judgeRuns()
		return
	case stated:
		c.Basis, c.Noise, c.row = FromSetting, o.Noise, o.Noise
		if r.AppCode.OneApp {
			programs = repeats.SameProgramKnownNoise
		}
	default:
		switch {
		case c.subject.kind == sampled && c.reference.kind == sampled:
			c.Basis = FromSamples
		case c.subject.kind == counts && c.reference.kind == counts:
			c.Basis, c.Noise, c.row = FromCounts, CountNoise, CountNoise
		}
		if r.AppCode.OneApp {
			programs = repeats.SameProgram
		}
	}
	rows := make([]repeats.ReadingPair, len(c.table.rows))
	for i := range rows {
		rows[i] = c.readings(c.table.rows[i], c.rowDeviation(&c.table.rows[i]))
	}
	c.Study = repeats.JudgeReadings(rows, programs)
	c.judgeTotal(stated)
	c.bound()
	c.spread = repeats.SpreadOf(c.Total.Reference.Median, c.Noise)
}

// judgeTotal judges the total of one run per side. A stated noise is the noise of the total.
func (c *Chance) judgeTotal(stated bool) {
	if !stated {
		c.Noise *= c.Study.Excess
	}
	whole := compared{subject: c.subject.whole(), reference: c.reference.whole()}
	if c.Basis == FromCounts {
		// The costs of two methods may be wrong by different factors. If some methods rise and
		// others fall, the totals differ only if the rise is at least twice the fall, or the fall
		// twice the rise.
		whole.elsewhere = c.varying(&whole.subject, &whole.reference)
	}
	total := c.readings(whole, c.Noise)
	sides := []struct {
		*repeats.Reading
		runs int
	}{{&total.Subject, len(c.subject.runs)}, {&total.Reference, len(c.reference.runs)}}
	noise := 0.0
	for _, side := range sides {
		switch {
		case side.Figure == 0:
		case stated:
			side.Quantum = 0
		default:
			// The noisier side determines the noise of one run.
			dispersion, varies := float64(0), side.Figure-side.Fixed
			if varies > 0 {
				dispersion = (side.Common + side.Quantum/varies) * float64(max(side.runs, 1))
			}
			noise = max(noise, math.Sqrt(dispersion)*varies/side.Figure)
		}
	}
	if c.Basis != FromCounts {
		noise = max(noise, c.Noise)
	}
	c.Noise = noise
	c.Total = repeats.JudgeReadings([]repeats.ReadingPair{total}, repeats.DifferentPrograms).Tasks[0]
}

// even returns the common factor by which the whole run and its matched rows changed. It is zero if
// they changed by different factors, or if rows without a counterpart are a large part of the
// change.
func (c *Chance) even() repeats.CommonFactor {
	const small, near = 0.1, 1.0 / 3
	rows, alone := make([]repeats.ReadingPair, 0, len(c.table.rows)), 0.0
	for _, row := range c.table.rows {
		s, r := float64(row.subject.energy), float64(row.reference.energy)
		rows = append(rows, repeats.ReadingPair{Subject: repeats.Reading{Figure: s}, Reference: repeats.Reading{Figure: r}})
		if s == 0 || r == 0 {
			alone += s + r
		}
	}
	common, ok := repeats.Even(rows)
	s, r := float64(c.subject.total), float64(c.reference.total)
	if shift := math.Log(common.Factor); !ok || alone > small*math.Abs(s-r) || math.Abs(math.Log(s/r)-shift) > near*math.Abs(shift) {
		return repeats.CommonFactor{}
	}
	return common
}

// bound cuts the interval of the total at -100% of the reference, because energy is not negative.
func (c *Chance) bound() {
	i := &c.Total.Interval
	i.Least = max(i.Least, min(-float64(c.reference.total), c.Total.Difference))
}
