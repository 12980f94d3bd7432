package repeats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Noise describes how tasks vary between runs of the same program.
type Noise struct {
	// Common and Quantum are a and b in the expected dispersion a + b/μ of a task with the mean μ.
	// The dispersion is the square of the relative standard deviation.
	Common, Quantum float64
	// Prior is the weight of the expected dispersion, in degrees of freedom. It is infinite if all
	// tasks are as noisy as expected, and 0 if the noise of tasks is no evidence about other tasks.
	Prior float64
	// Tasks is a lower bound for the number of independent tasks that would have the same
	// information about noise. It is at least 1.
	Tasks float64
	// together describes the correlation between tasks.
	together together
	// Runs is the degrees of freedom of the runs: the number of runs minus the number of sides.
	Runs float64
	// shift is the factor from the expected dispersion to the dispersion of the prior.
	shift float64
	// conditions describes how the runs were made.
	conditions Conditions
	// builds is the noise between builds of a row. shared is the relative offset that all rows have
	// in common. See between.
	builds, shared float64
}

// A row has the summary of a task's figures.
type row struct {
	subject, reference side
	// own is the dispersion of the task alone: the sum of its squared relative deviations, divided
	// by freedom. freedom is the degrees of freedom of the sum.
	freedom, own float64
	// mean is the mean energy over the runs of the sides that have the task.
	mean float64
	// deviations has the relative deviation of each run. The subject's runs come first.
	deviations []float64
	// slope is the relative change from one run to the next. leverage is the variance that the
	// slope adds to the difference, as a multiple of the dispersion. Both are 0 unless a trend was
	// fitted.
	slope, leverage float64
	// presence states in which runs the row occurs. If it is sometimes, part is the row for only
	// the runs that have the task, and spread is the standard error of the difference, from the
	// row's own runs. Otherwise, part is nil.
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
	come := comeAndGo(pairs, rows)
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

// A side has the number of runs of a side, and the mean of a task in them.
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

// fewShared is the minimum number of tasks for using their noise as evidence about each other.
// fewTrend is the minimum number for fitting a trend of the dispersion over the mean.
const (
	fewShared = 4
	fewTrend  = 10
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
	if len(rows) < fewShared || n.Common+n.Quantum == 0 {
		return n
	}
	n.share(rows)
	n.together = depend(rows, n.Runs)
	n.Tasks = n.together.independent(n.Runs)
	return n
}

// trend fits a + b/μ to the dispersions of the tasks. Neither a nor b may be negative. A dispersion
// scatters in proportion to its size, so large dispersions must have less weight. The fit is
// repeated with weights from the previous fit.
func (n *Noise) trend(rows []row) {
	sum, weights := 0.0, 0.0
	for i := range rows {
		sum, weights = sum+rows[i].freedom*rows[i].own, weights+rows[i].freedom
	}
	n.Common = sum / weights
	if len(rows) < fewTrend || n.Common == 0 {
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

// expected returns the expected dispersion of a task with the given mean.
func (n *Noise) expected(mean float64) float64 {
	if n.Quantum == 0 {
		return n.Common
	}
	return n.Common + n.Quantum/mean
}

// share estimates the weight of the expected dispersion from how much the logarithms of the tasks'
// own dispersions scatter around the expected ones (Smyth, 2004, Section 6.2).
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

// bias returns the mean of the logarithm of an estimated dispersion whose true value is 1. freedom
// is the degrees of freedom of the estimate.
func bias(freedom float64) float64 { return mathext.Digamma(freedom/2) - math.Log(freedom/2) }

// trigamma returns the second derivative of log Γ at x.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma returns the argument at which trigamma has the value y, or infinity if y is at
// most 0. It uses Newton's method, from a start with monotone convergence (Smyth, 2004, Appendix).
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

// A together describes the correlation between tasks. alike is the mean squared pairwise
// correlation of their deviations, minus its expectation under independence.
type together struct{ tasks, alike float64 }

// depend estimates the correlation between tasks from their deviations. freedom is the degrees of
// freedom of each row.
func depend(rows []row, freedom float64) together {
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
		return together{tasks: m}
	}
	squares := -m
	for _, x := range products {
		squares += x * x
	}
	// Even for independent tasks, the squared correlation of the deviations in few runs is
	// 1/freedom on average.
	return together{m, max(0, (squares/(m*(m-1))-1/freedom)/(1-1/freedom))}
}

// independent returns a lower bound for the number of independent tasks with the same information
// about noise. If deviations have the correlation ρ, their squares have the correlation ρ². The
// mean of m such squares varies like the mean of m/(1+(m-1)ρ²) independent squares. Correlation
// that may be chance counts as dependence, because few runs cannot distinguish the two. Otherwise,
// more than one in twenty studies of equal programs would have a verdict.
func (t together) independent(freedom float64) float64 {
	if t.tasks < 2 || freedom <= 1 {
		return max(t.tasks, 1)
	}
	return t.tasks / (1 + (t.tasks-1)*(t.alike+(1-t.alike)/freedom))
}

// dispersion returns the estimated dispersion of a task, for the given mean.
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

// freedom returns the degrees of freedom of a task's dispersion. They are at most those of all
// tasks together.
func (n *Noise) freedom(r *row) float64 {
	if r.part != nil {
		r = r.part
	}
	return max(1, min(n.Prior+r.freedom, max(n.Runs, 1)*n.Tasks))
}

// reach returns half the width of the interval of a task's difference. t and z are quantiles of
// Student's t and of the normal distribution. t applies to the noise from run to run, which is
// estimated, and z to the noise between builds, which counts as known. The two parts are combined
// as in MOVER: see JudgeOnce. With few runs, a common standard error would be too small.
func (n *Noise) reach(r *row, t, z float64) float64 {
	within, between := n.variance(r)
	return math.Hypot(t*math.Sqrt(within), z*math.Sqrt(between))
}

// variance returns the two parts of the variance of a task's difference: within is that from run to
// run, and between is that between builds.
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
