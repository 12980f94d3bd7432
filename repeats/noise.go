package repeats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Noise is how much the tasks of runs vary by themselves.
type Noise struct {
	// Common and Quantum are a and b: a task of mean μ has the dispersion a + b/μ. The
	// dispersion is the square of the relative standard deviation.
	Common, Quantum float64
	// Prior is how many degrees of freedom the expected dispersion is worth, infinite
	// where tasks are as noisy as expected, 0 where each tells only of itself.
	Prior float64
	// Tasks is how many independent tasks tell as much of noise as these do for sure, from 1.
	Tasks float64
	// together is how tasks depend on each other.
	together together
	// Runs is how many degrees of freedom the runs have: their number less that of the sides.
	Runs float64
	// shift is by what the prior's dispersion differs from the expected one.
	shift float64
	// conditions are how the runs were made.
	conditions Conditions
	// builds is the noise between builds of a row, and shared the offset that all rows share: see
	// between.
	builds, shared float64
}

// A row is a task's figures, summed up.
type row struct {
	subject, reference side
	// freedom is the degrees of freedom of the sum of the squared relative deviations. own is
	// the sum divided by them: the task's own dispersion.
	freedom, own float64
	// mean is the mean energy over the runs of the sides that have the task.
	mean float64
	// deviations has the relative deviation of each run, the subject's runs first.
	deviations []float64
	// slope is the relative change from run to run, and leverage the part of its variance in the
	// variance of the difference. Both are 0 unless a trend was fitted.
	slope, leverage float64
	// presence is how the row occurs in the runs. part is a row of the runs that have the task alone,
	// nil unless presence is sometimes. spread is then the standard error of the difference by the
	// row's own runs.
	presence presence
	part     *row
	spread   float64
}

// newRows returns the rows of runs that were made under some conditions.
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

// ownError is the standard error of the difference of a row by its own runs.
func ownError(p Pair, r *row) float64 {
	squares := 0.0
	for _, of := range []struct {
		side
		figures []float64
	}{{r.subject, p.Subject}, {r.reference, p.Reference}} {
		for _, x := range of.figures {
			squares += (x - of.mean) * (x - of.mean)
		}
	}
	return math.Sqrt(squares / max(r.subject.runs+r.reference.runs-2, 1) * (1/r.subject.runs + 1/r.reference.runs))
}

// A side is what a task has in the runs of one side.
type side struct{ runs, mean float64 }

func newRow(p Pair) row {
	r := row{subject: newSide(p.Subject), reference: newSide(p.Reference)}
	squares, sum, runs := 0.0, 0.0, 0.0
	for _, of := range []struct {
		side
		figures []float64
	}{{r.subject, p.Subject}, {r.reference, p.Reference}} {
		for _, x := range of.figures {
			if of.mean <= 0 {
				r.deviations = append(r.deviations, 0)
				continue
			}
			deviation := x/of.mean - 1
			squares += deviation * deviation
			r.deviations = append(r.deviations, deviation)
		}
		if of.mean > 0 {
			r.freedom += of.runs - 1
			sum, runs = sum+of.mean*of.runs, runs+of.runs
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

// Fewer tasks than fewShared tell nothing of each other's noise, and of fewer than fewTrend
// no trend can be told.
const (
	fewShared = 4
	fewTrend  = 10
)

// estimate tells the noise of tasks. Tasks that nothing is known of do not count.
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

// trend fits a + b/μ to the tasks' own dispersions, neither below 0. A dispersion scatters
// by its own size, so that large ones count less: the fit is weighted by what it expects,
// again and again.
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
		if of := w*wxx - wx*wx; of > 1e-12*w*wxx {
			a, b = (wy*wxx-wxy*wx)/of, (w*wxy-wx*wy)/of
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

// expected is the dispersion that a task of some mean is expected to have.
func (n *Noise) expected(mean float64) float64 {
	if n.Quantum == 0 {
		return n.Common
	}
	return n.Common + n.Quantum/mean
}

// share finds what the expected dispersion is worth, by how far the logarithms of the
// tasks' own ones scatter around it (Smyth, 2004, Section 6.2).
func (n *Noise) share(rows []row) {
	// A task without any deviation counts as one with little.
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

// bias is the mean of the logarithm of a dispersion of 1 that is told with some degrees of
// freedom.
func bias(freedom float64) float64 { return mathext.Digamma(freedom/2) - math.Log(freedom/2) }

// trigamma is the second derivative of the logarithm of Γ.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma returns what trigamma is y of: infinity where y is 0 or less. It seeks by
// Newton's method, from where each step leads closer (Smyth, 2004, Appendix).
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

// together describes the correlation between tasks. alike is the mean squared pairwise
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
	// Deviations of few runs correlate by chance, by 1/freedom in the square.
	return together{m, max(0, (squares/(m*(m-1))-1/freedom)/(1-1/freedom))}
}

// independent returns the number of independent tasks that carry the same information about noise,
// as a lower bound. Deviations with correlation ρ have squares with correlation ρ², and the mean of
// m such squares varies like the mean of m/(1+(m-1)ρ²) independent squares. Correlation that may be
// chance counts as dependence, since few runs cannot separate the two. Without this rule, more than
// one study in twenty of equal programs gives an alarm.
func (t together) independent(freedom float64) float64 {
	if t.tasks < 2 || freedom <= 1 {
		return max(t.tasks, 1)
	}
	return t.tasks / (1 + (t.tasks-1)*(t.alike+(1-t.alike)/freedom))
}

// dispersion is what a task is taken to have where its mean is the given one.
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

// freedom is how many degrees of freedom the dispersion of a task has: no more than all
// tasks have together.
func (n *Noise) freedom(r *row) float64 {
	if r.part != nil {
		r = r.part
	}
	return max(1, min(n.Prior+r.freedom, max(n.Runs, 1)*n.Tasks))
}

// reach is the half width of the interval of a task's difference at t and z, the quantiles of
// Student's t and of the normal distribution. The noise between builds counts as known. The noise from
// run to run is estimated. Each part has its own quantile, and the parts are combined as in MOVER: see
// JudgeOnce. With few runs a common standard error would look too certain.
func (n *Noise) reach(r *row, t, z float64) float64 {
	within, between := n.variance(r)
	return math.Hypot(t*math.Sqrt(within), z*math.Sqrt(between))
}

// variance is the variance of a task's difference: from run to run, and between builds.
func (n *Noise) variance(r *row) (within, between float64) {
	of := func(s side) float64 {
		if s.runs == 0 {
			return 0
		}
		return n.dispersion(r, s.mean) * s.mean * s.mean / s.runs
	}
	common := r.common()
	alike := n.dispersion(r, common) * common * common * (1/max(r.subject.runs, 1) + 1/max(r.reference.runs, 1))
	within = max(of(r.subject)+of(r.reference), alike) + n.dispersion(r, common)*common*common*r.leverage
	builds := n.builds * n.builds
	return within, builds * max(r.subject.mean*r.subject.mean+r.reference.mean*r.reference.mean, 2*common*common)
}
