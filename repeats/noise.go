package repeats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Noise describes how tasks vary between runs of the same program.
type Noise struct {
	// Common and Quantum are a and b in a + b/μ, the expected dispersion of a task with the mean μ.
	// The dispersion is the square of the relative standard deviation.
	Common, Quantum float64
	// Prior is the weight of the expected dispersion against a task's own, in degrees of freedom.
	// It is infinite if all tasks are as noisy as expected, and 0 if the noise of one task is no
	// evidence about another.
	Prior float64
	// Tasks is how many independent tasks would tell as much about noise as the tasks do. It is a
	// lower bound, and at least 1.
	Tasks      float64
	dependence dependence
	// Runs is the degrees of freedom of the runs: the number of runs minus the number of sides. A
	// fitted trend takes one away, and Conditions.Expected adds one.
	Runs float64
	// shift corrects the expected dispersion, as a factor.
	shift      float64
	conditions Conditions
	// builds is the noise between builds of a row. shared is the relative offset that all rows have
	// in common. See the method between.
	builds, shared float64
}

// A row summarizes the figures (the energies in each run) of a task.
type row struct {
	subject, reference side
	// own is the dispersion of the task's own runs: the sum of the squared relative deviations,
	// divided by freedom, its degrees of freedom.
	freedom, own float64
	// mean is the mean energy over the runs of both sides. A side without the task does not count.
	mean float64
	// deviations has the relative deviation of each run. The subject's runs come first.
	deviations []float64
	// slope is the relative change from one run to the next. leverage is the variance that the
	// slope adds to the difference, as a multiple of the dispersion. Both are 0 unless a trend was
	// fitted.
	slope, leverage float64
	// presence states in which runs the task occurs. If the task comes and goes (sometimes), part
	// has the figures of only those runs, and spread is the standard error of the difference from
	// the task's own runs. Otherwise, part is nil.
	presence presence
	part     *row
	spread   float64
}

// newRows returns the rows of runs that were made under the conditions c.
func newRows(pairs []Pair, c *Conditions) []row {
	rows := make([]row, len(pairs))
	for i, p := range pairs {
		rows[i] = newRow(p)
		rows[i].presence = occurrence(p)
	}
	come := intermittent(pairs, rows)
	for i, p := range pairs {
		r := &rows[i]
		switch {
		case !come[i]:
			if r.presence == sometimes {
				r.presence = always
			}
			r.fit(&c.Order)
		default:
			part := newPart(p)
			r.spread = ownError(p, r)
			r.part, r.freedom, r.own, r.mean, r.deviations = &part, part.freedom, part.own, part.mean, part.deviations
		}
	}
	if c.Expected > 0 {
		for i := range rows {
			r := &rows[i]
			r.own = (r.own*r.freedom + c.Expected*c.Expected) / (r.freedom + 1)
			r.freedom++
		}
	}
	return rows
}

// ownError returns the standard error of a row's difference, estimated only from the row's own
// runs.
func ownError(p Pair, r *row) float64 {
	squares := 0.0
	for _, s := range []struct {
		side
		figures []float64
	}{{r.subject, p.Subject}, {r.reference, p.Reference}} {
		for _, x := range s.figures {
			squares += (x - s.mean) * (x - s.mean)
		}
	}
	return math.Sqrt(squares / max(r.subject.runs+r.reference.runs-2, 1) * (1/r.subject.runs + 1/r.reference.runs))
}

// A side has the number of runs on one side, and a task's mean over them.
type side struct{ runs, mean float64 }

func newRow(p Pair) row {
	r := row{subject: newSide(p.Subject), reference: newSide(p.Reference)}
	squares, sum, runs := 0.0, 0.0, 0.0
	for _, s := range []struct {
		side
		figures []float64
	}{{r.subject, p.Subject}, {r.reference, p.Reference}} {
		for _, x := range s.figures {
			if s.mean <= 0 {
				r.deviations = append(r.deviations, 0)
				continue
			}
			deviation := x/s.mean - 1
			squares += deviation * deviation
			r.deviations = append(r.deviations, deviation)
		}
		if s.mean > 0 {
			r.freedom += s.runs - 1
			sum, runs = sum+s.mean*s.runs, runs+s.runs
		}
	}
	if runs > 0 {
		r.mean = sum / runs
	}
	if r.freedom > 0 {
		r.own = squares / r.freedom
	}
	return r
}

func newSide(figures []float64) side {
	sum := 0.0
	for _, x := range figures {
		sum += x
	}
	return side{float64(len(figures)), sum / max(float64(len(figures)), 1)}
}

func (r *row) difference() float64 { return r.subject.mean - r.reference.mean }

// Minimum numbers of tasks: for using their noise as evidence about each other (minSharedTasks),
// and for fitting the dispersion as a function of the mean (minTrendTasks).
const (
	minSharedTasks = 4
	minTrendTasks  = 10
)

// estimate estimates the noise of tasks. It ignores tasks without degrees of freedom.
func estimate(all []row, c Conditions) Noise {
	n := Noise{Tasks: 1, shift: 1, conditions: c}
	var rows []row
	for _, r := range all {
		n.Runs = max(r.subject.runs-1, 0) + max(r.reference.runs-1, 0)
		if c.Order.fits() {
			n.Runs = max(n.Runs-1, 1)
		}
		if c.Expected > 0 {
			n.Runs++
		}
		if r.freedom > 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return n
	}
	n.trend(rows)
	if len(rows) < minSharedTasks || n.Common+n.Quantum == 0 {
		return n
	}
	n.share(rows)
	n.dependence = estimateDependence(rows, n.Runs)
	n.Tasks = n.dependence.independent(n.Runs)
	return n
}

// trend fits the expected dispersion a + b/μ to the dispersions of the tasks. Neither a nor b may
// be negative. Large dispersions scatter more, so they get less weight. The weights follow from the
// previous fit, so the fit is repeated.
func (n *Noise) trend(rows []row) {
	sum, weights := 0.0, 0.0
	for i := range rows {
		sum, weights = sum+rows[i].freedom*rows[i].own, weights+rows[i].freedom
	}
	n.Common = sum / weights
	if len(rows) < minTrendTasks || n.Common == 0 {
		return
	}
	const rounds = 50
	for range rounds {
		var w, wx, wxx, wy, wxy float64
		for i := range rows {
			r := &rows[i]
			x, expected := 1/r.mean, n.expected(r.mean)
			weight := r.freedom / (expected * expected)
			w, wx, wxx, wy, wxy = w+weight, wx+weight*x, wxx+weight*x*x, wy+weight*r.own, wxy+weight*x*r.own
		}
		a, b := wy/w, 0.0
		if determinant := w*wxx - wx*wx; determinant > 1e-12*w*wxx {
			a, b = (wy*wxx-wxy*wx)/determinant, (w*wxy-wx*wy)/determinant
		}
		switch {
		case a < 0:
			a, b = 0, wxy/wxx
		case b < 0:
			a, b = wy/w, 0
		}
		n.Common, n.Quantum = a, b
	}
}

func (n *Noise) expected(mean float64) float64 {
	if n.Quantum == 0 {
		return n.Common
	}
	return n.Common + n.Quantum/mean
}

// share estimates n.Prior, the weight of the expected dispersion. The less the tasks' dispersions
// scatter around the expected ones, on a logarithmic scale, the larger it is (Smyth, 2004, Section
// 6.2).
func (n *Noise) share(rows []row) {
	// A task without any deviation counts as having this small dispersion.
	const little = 1e-4
	logs, mean, chance := make([]float64, len(rows)), 0.0, 0.0
	for i := range rows {
		r := &rows[i]
		logs[i] = math.Log(max(r.own/n.expected(r.mean), little)) - bias(r.freedom)
		mean += logs[i] / float64(len(rows))
		chance += trigamma(r.freedom/2) / float64(len(rows))
	}
	scatter := 0.0
	for _, x := range logs {
		scatter += (x - mean) * (x - mean) / float64(len(rows)-1)
	}
	n.Prior = 2 * inverseTrigamma(scatter-chance)
	if !math.IsInf(n.Prior, 1) {
		n.shift = math.Exp(mean + bias(n.Prior))
	}
}

// bias returns the mean logarithm of an estimated dispersion if the true one is 1. freedom is the
// degrees of freedom of the estimate.
func bias(freedom float64) float64 { return mathext.Digamma(freedom/2) - math.Log(freedom/2) }

// trigamma returns the second derivative of log Γ at x.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma returns the x for which trigamma is y, or infinity if y is at most 0. It uses
// Newton's method, from a start with monotone convergence (Smyth, 2004, Appendix).
func inverseTrigamma(y float64) float64 {
	const least, most = 1e-3, 1e6
	switch {
	case y <= trigamma(most):
		return math.Inf(1)
	case y >= trigamma(least):
		return least
	}
	x := 0.5 + 1/y
	for range 50 {
		now := trigamma(x)
		step := now * (1 - now/y) / (-2 * mathext.Zeta(3, x))
		if x += step; math.Abs(step) < 1e-10*x {
			break
		}
	}
	return x
}

// dependence describes how strongly the tasks of a run vary together. correlation is their mean
// squared pairwise correlation, minus what chance explains.
type dependence struct{ tasks, correlation float64 }

// estimateDependence estimates the correlation between tasks from their deviations in the runs.
// freedom is the degrees of freedom of each row.
func estimateDependence(rows []row, freedom float64) dependence {
	runs := len(rows[0].deviations)
	products, m := make([]float64, runs*runs), 0.0
	for i := range rows {
		length := 0.0
		for _, x := range rows[i].deviations {
			length += x * x
		}
		if length == 0 {
			continue
		}
		m++
		for k, x := range rows[i].deviations {
			for l, y := range rows[i].deviations {
				products[k*runs+l] += x * y / length
			}
		}
	}
	if m < 2 || freedom <= 1 {
		return dependence{tasks: m}
	}
	squares := -m
	for _, x := range products {
		squares += x * x
	}
	// With few runs, even independent tasks have a mean squared correlation of 1/freedom.
	return dependence{m, max(0, (squares/(m*(m-1))-1/freedom)/(1-1/freedom))}
}

// independent returns a lower bound for how many independent tasks tell as much about noise.
//
// If deviations have the correlation ρ, their squares have the correlation ρ². The mean of m such
// squares varies like the mean of m/(1+(m-1)ρ²) independent squares.
//
// Correlation that may be chance counts as dependence, because few runs cannot distinguish the two.
// Otherwise, more than one in twenty studies of equal programs would have a verdict.
func (t dependence) independent(freedom float64) float64 {
	if t.tasks < 2 || freedom <= 1 {
		return max(t.tasks, 1)
	}
	return t.tasks / (1 + (t.tasks-1)*(t.correlation+(1-t.correlation)/freedom))
}

// dispersion estimates a task's dispersion at a mean, from its own runs and from the other tasks.
func (n *Noise) dispersion(r *row, mean float64) float64 {
	if mean <= 0 {
		return 0
	}
	prior := n.expected(mean) * n.shift
	own := r.own
	if r.mean > 0 && n.Quantum > 0 {
		own *= n.expected(mean) / n.expected(r.mean)
	}
	switch {
	case n.Prior == 0:
		return own
	case math.IsInf(n.Prior, 1):
		return prior
	}
	return (n.Prior*prior + r.freedom*own) / (n.Prior + r.freedom)
}

// freedom returns the degrees of freedom of a task's dispersion, at most those of all tasks
// together.
func (n *Noise) freedom(r *row) float64 {
	if r.part != nil {
		r = r.part
	}
	return max(1, min(n.Prior+r.freedom, max(n.Runs, 1)*n.Tasks))
}

// halfWidth returns the half width of the interval of a task's difference. It combines two kinds of
// noise:
//
//   - noise from run to run, which is estimated, with t, a quantile of Student's t;
//   - noise between builds, which counts as known, with z, a normal quantile.
//
// They are combined as in MOVER (see JudgeReadings), because a common standard error would be too
// small for few runs.
func (n *Noise) halfWidth(r *row, t, z float64) float64 {
	within, between := n.variance(r)
	return math.Hypot(t*math.Sqrt(within), z*math.Sqrt(between))
}

// variance returns the variance of a task's difference in two parts: within is from run to run, and
// between is between builds.
func (n *Noise) variance(r *row) (within, between float64) {
	sampling := func(s side) float64 {
		if s.runs == 0 {
			return 0
		}
		return n.dispersion(r, s.mean) * s.mean * s.mean / s.runs
	}
	common := r.common()
	alike := n.dispersion(r, common) * common * common * (1/max(r.subject.runs, 1) + 1/max(r.reference.runs, 1))
	within = max(sampling(r.subject)+sampling(r.reference), alike) + n.dispersion(r, common)*common*common*r.leverage
	builds := n.builds * n.builds
	return within, builds * max(r.subject.mean*r.subject.mean+r.reference.mean*r.reference.mean, 2*common*common)
}
