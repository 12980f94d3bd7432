package metered

import (
	"math"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// Options are the options of New.
type Options struct {
	// Printed uses the formulas as the vLens paper prints them. They use opcodes alone, and give
	// each path all energy that the device used during its run. Spread is measured by the standard
	// deviation.
	Printed bool
}

// A Grade describes how finely the measured energy of a run can be divided.
type Grade uint8

// The grades.
const (
	// Nothing means that neither lines nor methods have close figures.
	Nothing Grade = iota
	// Methods means that fewer than half of the executed lines have a close figure.
	Methods
	// Lines means that at least half of the executed lines have a close figure.
	Lines
)

// A Row is a line, or all lines of a method together.
type Row struct {
	Method name.Method
	// Line is 0 for a method.
	Line int
	// Energy is the energy in the window. Least and Most are its 95 % interval.
	Energy, Least, Most units.Energy
	// Executions is the number of times that control reached a line. For a method, it is the number
	// of runs through its paths. Paths is the number of different paths.
	Executions int64
	Paths      int
	// Close is set if the interval is within ±50 % of the figure. Other figures are not shown.
	Close bool
	// Bound is set if the figure is 0 because the fit gave a negative energy.
	Bound bool

	width float64 // the standard deviation of the logarithm of Energy, if Close is set
}

// An Event is a group of runs through a path, or of periods, that used far more energy than usual.
type Event struct {
	// Method and Line are the first line of the path. Method is empty for periods whose energy no
	// path explains.
	Method name.Method
	Line   int
	Count  int64
	Energy units.Energy // the energy in excess of the usual energy
}

// A Result is the division of the measured energy of a run. Lined, Unlined, Probes, EventEnergy,
// CallEnergy, Idle and Rest add up to Metered.
type Result struct {
	Grade Grade
	// Longer is the factor by which the run would have to be longer for the grade Lines. It is 0 if
	// a longer run of the same kind would not help.
	Longer float64
	// Reason explains why the grade is Nothing. It may be empty.
	Reason string
	// Window is the part of the run's Elapsed whose energy is divided, in ns. Periods counts the
	// periods of the meter. Period is their median length.
	Window, Elapsed, Period int64
	Periods                 int
	Tracks                  []string
	Undivided               []UndividedPart
	// Metered is the measured energy of the window.
	Metered units.Energy
	// Lined is the energy of lines, whether they are shown or not. Unlined is the energy of paths
	// with unknown lines. Probes is the energy of the recorder's probes, EventEnergy of events, and
	// Idle of the idle device. Rest is the remaining energy.
	Lined, Unlined, Probes, Idle, Rest units.Energy
	EventEnergy                        units.Energy
	// Calls has the calls whose energy is measured separately from lines, by method. CallEnergy is
	// the sum of their energies.
	Calls      []Event
	CallEnergy units.Energy
	// IdlePower and BusyPower are in µW. BusyPower is the additional power while paths run.
	// IdleKnown is false if the run does not show the power of the idle device. That power is then
	// part of the lines.
	IdlePower, BusyPower int64
	IdleKnown            bool
	// Rows has the lines, and Methods the methods, both sorted by energy.
	Rows, Methods []Row
	Events        []Event
	// Unjudged counts the paths with too few runs for judging whether a run is an event.
	Unjudged int
	// LeastEvent is the smallest additional energy of a period that counts as an event.
	LeastEvent units.Energy
	// Method is "joined", "times" or "printed". OffJoined, OffOpcodes and OffTimes are the relative
	// errors of three ways in cross-validation: each part of the run is predicted by a fit of the
	// other parts.
	Method                          string
	OffJoined, OffOpcodes, OffTimes float64
	// Opcodes counts the kinds of instructions. It is 0 if the map has none.
	Opcodes int
	// Spread is the relative standard deviation of the energies of lines around the energies of
	// their opcodes. Powers is the relative standard deviation of the power of lines, at least 0.1.
	Spread, Powers float64
	// R2 and AEE are eq. 7 and eq. 6 of vLens.
	R2, AEE float64
	// Halves is the share of lines whose figures clearly differ between the two halves of the run.
	// Only close lines count, each by its energy.
	Halves float64
	// Scaled is the factor by which figures were reduced because their sum exceeded the metered
	// energy, or 1.
	Scaled float64
	// Shift is the time by which the meter should begin later, in ns. It is 0 if the meter agrees
	// with the paths.
	Shift int64
	// Blend is how much of the power of paths the meter shows too early or too late, in an adjacent
	// period. It is a share.
	Blend float64
	// UnmeteredShare is the share of the paths' time in periods without any measured energy.
	UnmeteredShare float64

	// ran has a row for each line and method that the run executed.
	ran []Row
}

const (
	// A figure is close if both ends of its interval are within this factor of it.
	closeRatio = 1.5
	within     = 1.959963984540054
	// minPeriods is the smallest number of periods for a fit.
	minPeriods = 20
	// folds is the number of stretches into which cross-validation divides the run.
	folds = 4
	// maxPredictionError is the largest relative error of predictions. With a larger error, the
	// measurement does not determine the energy of paths.
	maxPredictionError = 0.3
	// printedMethod is the value of Result.Method for the formulas in the vLens paper. They have no
	// intervals.
	printedMethod = "printed"
	// maxJoinedError limits the error of the joined fit, as a multiple of the smaller error of the
	// two fits that it combines.
	maxJoinedError = 1.02
)

// New divides the measured energy of a run by line.
func New(d *Data, o Options) *Result {
	s := newSheet(d)
	r := d.newResult(s.periods)
	r.Opcodes, r.Period = s.opcodes, int64(s.usual)
	b := s.prepare(r)
	if b == nil {
		return r
	}
	all := func(i int) bool { return !s.periods[i].lost }
	r.Powers = s.powers
	how := asPrinted
	r.Method = printedMethod
	if !o.Printed {
		how = s.chooseMethod(r)
		if least := min(r.OffJoined, r.OffOpcodes, r.OffTimes); least > maxPredictionError {
			r.Reason, r.Method = "unlike", ""
			return r
		}
		if off := [...]float64{joined: r.OffJoined, opcodesAlone: r.OffOpcodes, timesAlone: r.OffTimes}[how]; off > maxPredictionError {
			r.Reason, r.Method = "unpredicted", ""
			return r
		}
	}
	m, err := s.fitFrom(b, all, how)
	if err != nil {
		r.Reason = err.Error()
		return r
	}
	r.R2, r.AEE, r.Spread = m.r2, m.aee, m.spread
	r.IdlePower, r.BusyPower, r.IdleKnown = int64(m.idle*1e6+0.5), int64(m.busy*1e6+0.5), m.idleKnown
	s.account(r, m)
	if how != asPrinted {
		s.compareHalves(r, m, how)
	}
	return r
}

// newResult returns a result without figures.
func (d *Data) newResult(periods []period) *Result {
	r := &Result{
		Window: d.end - d.begin, Elapsed: d.elapsed, Periods: len(periods), Tracks: d.Tracks, Undivided: d.Undivided,
		Metered: d.meter.energy(d.begin, d.end), Scaled: 1,
	}
	r.Rest = r.Metered
	return r
}

// prepare finds the power of the idle device, the additional power of code, and how much the power
// of lines varies. If the measurement gives no figures, prepare returns nil and sets Result.Reason.
func (s *sheet) prepare(r *Result) *base {
	standing, busy := 0.0, 0.0
	usable := 0
	for i := range s.periods {
		p := &s.periods[i]
		if p.lost {
			r.Window -= p.end - p.begin // the period of a burst
			continue
		}
		usable++
		if busy += p.busy; p.energy <= 0 {
			standing += p.busy
		}
	}
	r.UnmeteredShare = ratio(standing, busy)
	switch {
	case usable < minPeriods:
		r.Reason = "few"
		if 2*r.Window > r.Elapsed {
			r.Longer = float64(minPeriods) / float64(max(usable, 1))
		}
		return nil
	case r.UnmeteredShare > 0.1:
		r.Reason = "standing"
		return nil
	}
	if r.Shift = s.findShift(int64(s.usual)); r.Shift != 0 {
		r.Reason = "shift"
		return nil
	}
	all := func(i int) bool { return !s.periods[i].lost }
	b, err := s.findBase(all)
	if err == nil && b.works() {
		if lost := s.markLost(b); lost > r.Window/2 {
			r.Reason = "standing"
			return nil
		} else if lost > 0 {
			r.Window -= lost
			b, err = s.findBase(all)
		}
	}
	if err != nil {
		r.Reason = err.Error()
		return nil
	}
	if b.works() {
		if s.blend = s.findBlend(b); s.blend > maxBlend {
			r.Blend, r.Reason = s.blend, "blend"
			return nil
		}
		b.deviation = math.Hypot(b.deviation, s.blend)
		s.powers = s.findPowers(b)
	}
	return b
}
