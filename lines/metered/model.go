package metered

import (
	"errors"
	"math"
	"slices"

	"github.com/diffprof/diffprof/regression"
	"github.com/diffprof/diffprof/trace"
)

// A divisionMethod is a method of finding the energies of lines.
type divisionMethod uint8

// The ways of dividing energy.
const (
	// joined divides the energy of paths by opcodes, with a factor per line.
	joined divisionMethod = iota
	// opcodesAlone divides the energy of paths by opcodes, without factors.
	opcodesAlone
	// timesAlone uses the times of paths, multiplied by the mean power, instead of measured
	// energies.
	timesAlone
	// asPrinted is the regression of vLens on opcodes, without the power of the idle device.
	asPrinted
)

// A base is the power of the idle device, and the additional power while a path runs. The unit is
// nJ per ns, which is W.
type base struct {
	idle, busy float64
	// idleKnown is false if the periods do not show the power of the idle device.
	idleKnown bool
	// deviation is the relative standard deviation of the additional power.
	deviation float64
	// sigma is the spread of the energies of periods around these two powers. noise is that spread
	// for periods without paths.
	sigma, noise float64
	fit          *regression.Fit
}

// A model is a fit of some periods.
type model struct {
	base
	theta []float64 // the energy of each opcode
	// drawn is the part of a line's energy that follows from its opcodes, from 0 to 1. The rest
	// follows from its paths.
	drawn []float64
	// factors has a factor for each line, which multiplies the energy of its opcodes. deviation is
	// the standard deviation of a factor. hidden is the part of this deviation that a longer run
	// would not reduce.
	factors, deviation, hidden []float64
	// known reports, for each line, whether it has a factor. smear is the part of a line's energy
	// that was estimated from times.
	known []bool
	smear []float64
	// mean and median are the mean and the median energy of a run through each path. fitted is the
	// sum of the energies of the path's lines, or the mean if the lines have no factors. runs
	// counts the runs.
	mean, fitted, median []float64
	runs                 []int
	limit                []float64 // the energy above which a run is an event
	// strange marks the paths whose few runs probably all had an event.
	strange []bool
	// scatter is the relative deviation of the energy of single executions of a line.
	scatter float64
	// spread is the relative standard deviation of the factors. powers is the relative
	// standard deviation of the power of lines.
	spread, powers float64
	blocks         []block
	r2             float64
	aee            float64
}

// A block has the lines and the paths of a method.
type block struct {
	method trace.MethodID
	lines  []int32
	paths  []int32
	shrunk *regression.ShrunkBlock
}

var (
	errNoPaths = errors.New("no path ran while the meter measured")
	errNoPower = errors.New("the device used hardly more energy while paths ran than otherwise: the meter does not measure the processor, or --align is wrong")
)

const (
	// maxLines bounds the number of lines of a method. The energy of a longer
	// method is not divided by line.
	maxLines = 400
	// minEventRuns is a number of runs of a path. With fewer runs, no single run is judged as an
	// event.
	minEventRuns = 3
	// maxDeviation is the largest relative standard deviation of the additional power. With a
	// larger deviation, the power may be zero.
	maxDeviation = 0.4
	// maxPeriodWeight bounds the weight of a long period. The unit is the weight of a period of
	// usual length.
	maxPeriodWeight = 4
	// maxNoise limits the error of the variances of paths: they may be too small or too large by
	// this factor.
	maxNoise = 2
	// pooled is the weight of the typical variance in degrees of freedom. It is averaged with a
	// path's own variance.
	pooled = 5
)

// findBase fits the power of the idle device and the additional power of paths.
func (s *sheet) findBase(use func(period int) bool) (*base, error) {
	system := regression.NewSystem(2)
	length, busy := 0.0, 0.0
	for i := range s.periods {
		if p := &s.periods[i]; use(i) {
			length, busy = length+p.length(), busy+p.busy
		}
	}
	if busy == 0 {
		return nil, errNoPaths
	}
	for i := range s.periods {
		p := &s.periods[i]
		if !use(i) {
			continue
		}
		// One long period, such as a period in which the phone was charged, must not determine the
		// powers.
		weight := math.Min(1, maxPeriodWeight*s.usual/p.length())
		if err := system.Add(weight*p.energy, regression.Term{Column: 0, Value: weight * p.length()}, regression.Term{Column: 1, Value: weight * p.busy}); err != nil {
			return nil, err
		}
	}
	f, err := regression.Robust(system, regression.Options{})
	if err != nil {
		return nil, err
	}
	b := &base{idle: f.X[0], busy: f.X[1], idleKnown: true, sigma: f.Sigma, fit: f}
	off := math.Max(f.Deviation(regression.Term{Column: 1, Value: 1}), s.lasting(b, use))
	if f.Rank < 2 || busy > 0.999*length || f.Deviation(regression.Term{Column: 0, Value: 1}) > 0.5*math.Abs(b.idle)+0.1*math.Abs(b.busy) || b.idle < 0 {
		// The periods do not separate the two powers, so the time of paths gets all energy.
		whole := 0.0
		for i := range s.periods {
			if use(i) {
				whole += s.periods[i].energy
			}
		}
		b.idleKnown = b.idle < 0 && f.Rank == 2
		b.idle, b.busy = 0, whole/busy
		off = b.busy * 0.05
		if !b.idleKnown {
			off = 0
		}
	}
	b.deviation = math.Hypot(ratio(off, b.busy), s.blend)
	var idle []float64
	for i := range s.periods {
		if p := &s.periods[i]; use(i) && p.busy < 0.01*p.length() {
			idle = append(idle, math.Abs(p.energy-b.idle*p.length()))
		}
	}
	b.noise = b.sigma
	if len(idle) >= 10 {
		b.noise = math.Min(b.sigma, regression.MedianOf(idle)/0.6745)
	}
	return b, nil
}

// lasting returns the standard deviation of the additional power for correlated residuals (Newey
// and West, Econometrica 1987). The residuals of adjacent periods are correlated because a line
// runs for several periods with its own power.
func (s *sheet) lasting(b *base, use func(period int) bool) float64 {
	n, length, busy := 0.0, 0.0, 0.0
	for i := range s.periods {
		if p := &s.periods[i]; use(i) {
			n, length, busy = n+1, length+p.length(), busy+p.busy
		}
	}
	squares := 0.0
	var terms []float64
	for i := range s.periods {
		p := &s.periods[i]
		if !use(i) {
			continue
		}
		x := p.busy - busy*p.length()/length
		squares += x * x
		residual := p.energy - b.idle*p.length() - b.busy*p.busy
		terms = append(terms, x*math.Max(math.Min(residual, regression.Tukey*b.sigma), -regression.Tukey*b.sigma))
	}
	most := int(math.Cbrt(n)) * 2
	sum := 0.0
	for lag := 0; lag <= min(most, len(terms)-1); lag++ {
		product := 0.0
		for i := lag; i < len(terms); i++ {
			product += terms[i] * terms[i-lag]
		}
		if lag > 0 {
			product *= 2 * (1 - float64(lag)/float64(most+1))
		}
		sum += product
	}
	return ratio(math.Sqrt(math.Max(sum, 0)), squares)
}

// works reports whether the device clearly used more energy while a path ran.
func (b *base) works() bool {
	const least = 1e-3
	return b.busy > least*b.idle && b.deviation <= maxDeviation
}

// markLost marks the periods in which the meter did not change or the phone was plugged in. Such a
// period has less than half of the energy that the idle device and its paths usually use. The
// difference must be far larger than in other periods. markLost returns the total time of the
// marked periods, without the times of bursts.
func (s *sheet) markLost(b *base) (lost int64) {
	for i := range s.periods {
		p := &s.periods[i]
		if p.lost {
			continue
		}
		usual := b.idle*p.length() + b.busy*p.busy
		if p.lost = p.energy < usual/2 && usual-p.energy > regression.Tukey*b.sigma; p.lost {
			lost += p.end - p.begin
		}
	}
	return lost
}

// shares returns, for each period, the power that its paths are assumed to have. It is a weighted
// mean of the measured power of the period and the mean power. weight is the weight of the measured
// power. It is small if paths ran for a small part of the period.
func (s *sheet) shares(b *base, how divisionMethod) (power, weight []float64) {
	power, weight = make([]float64, len(s.periods)), make([]float64, len(s.periods))
	for i := range s.periods {
		p := &s.periods[i]
		power[i] = b.busy
		if p.busy <= 0 || how == timesAlone {
			continue
		}
		own := s.powers * 3 * b.busy * p.busy
		if total := own*own + b.noise*b.noise; total > 0 {
			weight[i] = own * own / total
		}
		power[i] += weight[i] * ((p.energy-b.idle*p.length())/p.busy - b.busy)
	}
	return power, weight
}

// fit fits the periods for which use returns true.
func (s *sheet) fit(use func(period int) bool, how divisionMethod) (*model, error) {
	b, err := s.findBase(use)
	if err != nil {
		return nil, err
	}
	return s.fitFrom(b, use, how)
}

// fitFrom is like fit, but uses the known powers b. A run belongs to the period in which it begins.
func (s *sheet) fitFrom(b *base, use func(period int) bool, how divisionMethod) (*model, error) {
	p, err := s.price(b, use, how)
	if err != nil {
		return nil, err
	}
	m, err := s.fitPriced(p, how)
	if err != nil {
		return nil, err
	}
	s.findDeviations(m)
	s.quality(m, p.power, use)
	return m, nil
}

// A priced model has the energies of opcodes and of paths, but no factors of lines.
type priced struct {
	model
	stats []statistic
	power []float64 // by period
}

// price finds the energies of paths and of opcodes. The results for joined and opcodesAlone are
// equal.
func (s *sheet) price(b *base, use func(period int) bool, how divisionMethod) (*priced, error) {
	if !b.works() {
		return nil, errNoPower
	}
	m := &model{base: *b, powers: s.powers}
	if how == asPrinted {
		// In vLens, a path gets all energy that the device used while the path ran.
		busy, whole := 0.0, 0.0
		for i := range s.periods {
			if p := &s.periods[i]; use(i) && p.busy > 0 {
				busy, whole = busy+p.busy, whole+p.energy
			}
		}
		m.idle, m.idleKnown, m.noise, m.busy = 0, false, 0, whole/busy
	}
	power, weight := s.shares(&m.base, how)
	stats := s.measure(m, power, weight, use)
	var err error
	if how == asPrinted {
		err = s.printedTheta(m, power, use)
	} else {
		err = s.findTheta(m, stats)
		if err == nil && s.findStrange(m, stats) {
			err = s.findTheta(m, stats)
		}
	}
	if err != nil {
		return nil, err
	}
	return &priced{*m, stats, power}, nil
}

// fitPriced finds the factors of lines, without their deviations. It does not change p.
func (s *sheet) fitPriced(p *priced, how divisionMethod) (*model, error) {
	m := p.model
	if err := s.findFactors(&m, p.stats, how); err != nil {
		return nil, err
	}
	return &m, nil
}

// entriesPerPath returns the mean number of lines that a run through a path enters.
func (s *sheet) entriesPerPath() float64 {
	sum, n := 0.0, 0.0
	for p := range s.paths {
		if count := float64(s.paths[p].Count); len(s.uses[p]) > 0 {
			sum, n = sum+count*float64(len(s.paths[p].Lines)), n+count
		}
	}
	return math.Max(ratio(sum, n), 1)
}

// A statistic describes the energy of a run through a path: its mean, the variance of the mean, and
// the part of the energy that was estimated from times.
type statistic struct{ mean, variance, smear float64 }

// A spentRun is the energy of a run through a path. self is the part of the energy that the meter
// shows.
type spentRun struct {
	energy, self float64
	period       int32
}

// spend returns the energy of a whole run.
func (s *sheet) spend(m *model, parts []filledPart, power, weight []float64) spentRun {
	r := spentRun{period: parts[0].period}
	time := 0.0
	for i := range parts {
		p := &parts[i]
		r.energy += power[p.period] * p.time
		time += p.time
		// The measured energy of a period shows the power of this path only as far as the path
		// fills the period.
		r.self += weight[p.period] * float64(p.fill)
	}
	r.self = ratio(r.self, time)
	r.energy -= math.Min(s.probe*m.busy, r.energy*0.9)
	return r
}

// measure computes the statistic of each path, and sets the mean, the median and the event limit of
// its energy.
func (s *sheet) measure(m *model, power, weight []float64, use func(int) bool) []statistic {
	n := len(s.paths)
	m.median, m.mean, m.runs, m.limit = make([]float64, n), make([]float64, n), make([]int, n), make([]float64, n)
	m.strange = make([]bool, n)
	out := make([]statistic, n)
	mads := make([]float64, n)
	used := make([]spentRun, 0, len(s.filledFirst)) // by path
	lists := make([][]spentRun, n)
	all, values := make([]float64, 0, len(s.filledFirst)), []float64(nil)
	var relative []float64
	for p := range n {
		first := len(used)
		for i := s.pathFirst[p]; i < s.pathFirst[p+1]; i++ {
			if parts := s.filled[s.filledFirst[i]:s.filledFirst[i+1]]; use(int(parts[0].period)) {
				used = append(used, s.spend(m, parts, power, weight))
			}
		}
		list := used[first:]
		lists[p], m.runs[p] = list, len(list)
		if len(list) == 0 {
			continue
		}
		values = slices.Grow(values[:0], len(list))[:len(list)]
		for i, r := range list {
			values[i] = r.energy
		}
		m.median[p] = regression.MedianOf(values)
		if len(list) < minEventRuns {
			continue
		}
		for i, r := range list {
			values[i] = math.Abs(r.energy - m.median[p])
		}
		all = append(all, values...)
		mads[p] = regression.MedianOf(values) / 0.6745
		if len(list) >= 2*minEventRuns {
			relative = append(relative, ratio(mads[p], m.median[p]))
		}
	}
	sigma, scatter := regression.MedianOf(all)/0.6745, regression.MedianOf(relative)
	variation := math.Max(scatter, 0.02)
	m.scatter = scatter * math.Sqrt(s.entriesPerPath())
	for p, list := range lists {
		if len(list) == 0 {
			continue
		}
		m.limit[p] = m.median[p] + regression.Tukey*max(sigma, mads[p], scatter*m.median[p])
		if len(list) < minEventRuns {
			m.limit[p] = math.Inf(1)
		}
		// Runs in the same period share an error, so they count as one cluster.
		count, sum, self := 0.0, 0.0, 0.0
		for _, r := range list {
			if r.energy <= m.limit[p] {
				count, sum, self = count+1, sum+r.energy, self+r.self
			}
		}
		mean := ratio(sum, count)
		off, clusters, square := 0.0, 0.0, 0.0
		for i := 0; i < len(list); {
			residual, size := 0.0, 0.0
			at := list[i].period
			for ; i < len(list) && list[i].period == at; i++ {
				if list[i].energy <= m.limit[p] {
					residual, size = residual+list[i].energy-mean, size+1
				}
			}
			off, clusters, square = off+residual*residual, clusters+1, square+size*size
		}
		m.mean[p] = mean
		typical := variation * mean * variation * mean * square / (count * count)
		own := off / (count * count)
		free := math.Max(clusters-1, 0)
		smear := 1 - ratio(self, count)
		// The power of a period at the end of a run also depends on neighbouring paths. The larger
		// the part of the run in such periods, the less their power differs from the power of the
		// run.
		near := m.powers * mean * smear * math.Sqrt(math.Max(1-smear, 0))
		out[p] = statistic{mean: mean, variance: math.Max((pooled*typical+free*own)/(pooled+free), 1e-6*mean*mean) + near*near, smear: smear}
		if out[p].variance <= 0 {
			out[p].variance = 1e-12
		}
	}
	return out
}
