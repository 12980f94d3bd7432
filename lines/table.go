package lines

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

const (
	// LeastSamples is the number of samples below which a line has no figure of its own.
	LeastSamples = 10
	// Power is the assumed relative standard deviation of the power of a line around the power of
	// the run. It must be assumed, because samples show how long a line ran, but not how much power
	// its instructions used.
	Power = 0.10
	// MaxCloseError is the largest relative error of a figure that counts as close. Both ends of
	// its interval are within this distance.
	MaxCloseError = 0.5

	within = 1.959963984540054 // standard errors of an interval of 95 %
)

// A Row is a line of a method, or a method whose line is unknown.
type Row struct {
	// Method is the method. Line is 0 if the line is unknown.
	Method name.Method
	Line   int
	// Own is the energy of the line itself. All also includes everything that the line calls.
	Own, All units.Energy
	// Samples is the number of samples at the line itself. AllSamples includes callees.
	Samples, AllSamples float64
	// errors are the variances of Samples and AllSamples. They are 0 if they are unknown.
	errors Variances
	// squares is the sum of the squares of the own energies of the row's lines.
	squares float64
	// contexts are the row's nodes in the tree, without those inside another of them.
	contexts []int32
}

// A Table has the rows of a run. It is immutable.
type Table struct {
	// Rows are sorted by Own, the largest first, and then by label.
	Rows []Row
	// Total is the energy of the run. Located is the own energy of rows with a line, and Unknown of
	// rows without a line. Outside is the energy outside of methods. Total is the sum of the other
	// three.
	Total, Located, Unknown, Outside units.Energy
	// Samples counts the samples of the run. LocatedSamples counts the samples with a known own
	// line.
	Samples, LocatedSamples float64
	// Clump is the number of samples that together count as one independent sample, at least 1.
	Clump float64
	// Each is the energy by which one sample more or less can change a row (see Recording.Each).
	Each float64
	// Runs is the number of runs, at least 1. The figures are their mean.
	Runs int
	// Powers is the relative standard deviation of the powers of lines, at least [Power]. Doubt is
	// the relative standard deviation of the energy of all lines together. It is 0 unless a meter
	// measured the energy.
	Powers, Doubt float64
	// Unsampled is the share of Total that was measured at times without samples. It is divided
	// among all rows, although any line may have used all of it.
	Unsampled float64
	// Callers reports whether the lines of callers are known. If they are unknown, Row.All of a
	// line lacks the energy of its callees.
	Callers bool

	tree         *cct.Tree
	samples, all func(node int32) float64
	errors       Errors
	// own has the own energy of each line, and squares is the sum of the squares of these energies.
	// lineOf maps each method of the tree to its index in own.
	own     []units.Energy
	squares float64
	lineOf  []int32
}

// New returns the table of a tree by line. The tree is one run, or the mean of several runs.
// samples returns the number of samples of a node without its callees, and all returns the number
// with callees. each and clump are Table.Each and Table.Clump. errors may be nil.
func New(tree *cct.Tree, samples, all func(node int32) float64, each, clump float64, errors Errors, runs int) *Table {
	t := &Table{
		Total: tree.Energy.Total(), Outside: tree.Energy.Self(cct.Root), Samples: all(cct.Root),
		Each: each, Clump: max(clump, 1), Runs: max(runs, 1), Powers: Power, Callers: Callers(tree), tree: tree, samples: samples, all: all, errors: errors,
	}
	rows, rowOf := t.rows(func(m *name.Method) int32 { return max(m.On, 0) })
	t.Rows, t.lineOf, t.own = rows, rowOf, make([]units.Energy, len(rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		r.squares = float64(r.Own) * float64(r.Own)
		t.own[i], t.squares = r.Own, t.squares+r.squares
		if r.Line > 0 {
			t.Located += r.Own
			t.LocatedSamples += r.Samples
		} else {
			t.Unknown += r.Own
		}
	}
	return t
}

// ByMethod returns a table with one row per method. The row has the energy of all lines of the
// method.
func (t *Table) ByMethod() *Table {
	out := *t
	rows, rowOf := t.rows(func(*name.Method) int32 { return 0 })
	out.Rows = rows
	done := make([]bool, len(t.own))
	for m, line := range t.lineOf {
		if line >= 0 && !done[line] {
			done[line] = true
			rows[rowOf[m]].squares += float64(t.own[line]) * float64(t.own[line])
		}
	}
	return &out
}

// rows adds up the tree by row. line returns the line to which a method of the tree belongs, or 0
// for the row of the whole method. rowOf has the row of each method of the tree, or -1 for methods
// that did not run.
func (t *Table) rows(line func(*name.Method) int32) (rows []Row, rowOf []int32) {
	tree := t.tree
	// Methods with the same label and line share a row.
	type key struct {
		label string
		line  int32
	}
	known := make(map[key]int32, len(tree.Methods))
	ofMethod := make([]int32, len(tree.Methods)) // ofMethod has the row of each method, plus one.
	var sums []sum
	var keys []key
	var methods []name.Method
	counted := make(map[name.Method]bool)
	for v := int32(1); int(v) < len(tree.Nodes); v++ {
		n := &tree.Nodes[v]
		at := ofMethod[n.Method] - 1
		if at < 0 {
			m := &tree.Methods[n.Method]
			whole := m.OnLine(0)
			k := key{whole.Label(), line(m)}
			row, ok := known[k]
			if !ok {
				row = int32(len(sums))
				known[k] = row
				sums, keys, methods = append(sums, sum{}), append(keys, k), append(methods, whole)
			}
			at, ofMethod[n.Method] = row, row+1
			if v, ok := t.errors[*m]; ok && !counted[*m] {
				counted[*m] = true
				sums[row].errors = sums[row].errors.plus(v, 1)
			}
		}
		row := &sums[at]
		row.own += tree.Energy.Self(v)
		row.samples += t.samples(v)
		if v >= row.last {
			row.last = n.End
			row.contexts = append(row.contexts, v)
			row.all += tree.Energy.All(v)
			row.allSamples += t.all(v)
		}
	}
	order := make([]int32, len(sums))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &sums[i], &sums[j]
		if a.own != b.own || a.all != b.all {
			return cmp.Or(cmp.Compare(b.own, a.own), cmp.Compare(b.all, a.all))
		}
		return cmp.Or(strings.Compare(keys[i].label, keys[j].label), cmp.Compare(keys[i].line, keys[j].line))
	})
	rows = make([]Row, len(order))
	to := make([]int32, len(order))
	for i, at := range order {
		s := &sums[at]
		rows[i] = Row{Method: methods[at], Line: int(keys[at].line), Own: s.own, All: s.all, Samples: s.samples, AllSamples: s.allSamples, errors: s.errors, contexts: s.contexts}
		to[at] = int32(i)
	}
	for m, row := range ofMethod {
		if ofMethod[m] = -1; row > 0 {
			ofMethod[m] = to[row-1]
		}
	}
	return rows, ofMethod
}

// A sum adds up the figures of a row. Contexts of a row may be nested, because two methods may
// share a row. last is the end of the latest context that is not inside another.
type sum struct {
	own, all            units.Energy
	samples, allSamples float64
	errors              Variances
	contexts            []int32
	last                int32
}

// Callers reports whether the lines of callers are known in a tree by line. It returns false if
// only innermost frames have lines, as in profiles of V8.
func Callers(tree *cct.Tree) bool {
	called := false
	for v := int32(1); int(v) < len(tree.Nodes); v++ {
		n := &tree.Nodes[v]
		if tree.Methods[n.Method].On == 0 {
			continue
		}
		if n.End > v+1 {
			return true
		}
		called = called || n.Parent != cct.Root
	}
	return !called
}

// An Interval contains the true figure in 95 % of cases.
type Interval struct{ Least, Most units.Energy }

// Own returns the interval of a row's own energy. ok is false if the row has too few samples for a
// figure of its own.
func (t *Table) Own(r *Row) (i Interval, ok bool) {
	f := t.figure(r, Own)
	return t.interval(&f)
}

// All returns the interval of a row's energy with callees. It takes time in proportion to the
// number of contexts inside the row.
func (t *Table) All(r *Row) (i Interval, ok bool) {
	f := t.figure(r, All)
	if t.enough(&f) {
		f.varied = t.varied(r)
	}
	return t.interval(&f)
}

// Sampled reports whether a figure of a row has enough samples for an interval.
func (t *Table) Sampled(r *Row, by Figure) bool {
	f := t.figure(r, by)
	return t.enough(&f)
}

func (t *Table) enough(f *figure) bool {
	return f.independent*float64(t.Runs) >= LeastSamples && f.energy > 0
}

func (t *Table) interval(f *figure) (Interval, bool) {
	if !t.enough(f) {
		return Interval{}, false
	}
	x, factor := float64(f.energy)*(1-t.Unsampled), math.Exp(f.reach())
	return Interval{units.Energy(x / factor), units.Energy(min(x*factor+t.Unsampled*float64(t.Total), float64(t.Total)))}, true
}

// A figure is an energy of a row, with the data for its interval.
type figure struct {
	energy units.Energy
	// quantum is the variance of the energy due to sampling, divided by the energy.
	quantum float64
	// independent is the effective number of samples. As many independent samples would have the
	// same relative variance. It is at most the number of samples.
	independent float64
	// varied is the variance of the row's power, as a multiple of the variance of a line's power.
	// For energy with callees, Table.All sets it.
	varied float64
	// powers and doubt are Table.Powers and Table.Doubt.
	powers, doubt float64
}

// figure returns a figure of a row.
func (t *Table) figure(r *Row, by Figure) figure {
	e, n, errors, varied := r.Own, r.Samples, r.errors.Own, 0.0
	switch {
	case by == All:
		e, n, errors = r.All, r.AllSamples, r.errors.All
	case e > 0:
		varied = t.vary(r.squares, r.squares, float64(e))
	}
	f := figure{energy: e, quantum: t.quantum(e, n) * t.rest(e), independent: n, varied: varied, powers: t.Powers, doubt: t.Doubt}
	if errors > 0 && n > 0 {
		f.quantum = max(t.Each, float64(e)/n) * errors / n / float64(t.Runs)
		f.independent = n * min(1, n/errors)
	}
	return f
}

// rest returns the factor 1-p of a binomial variance. Here, p is the figure's share of the run's
// energy. The number of samples is binomial because the run's energy is known. The energy of one
// sample is added, so that a figure with all energy still has a variance.
func (t *Table) rest(e units.Energy) float64 {
	return min(1, (float64(t.Total-e)+t.Each)/max(float64(t.Total), 1))
}

// quantum returns the energy of one sample, which is the step by which chance changes a row. If
// samples differ, it returns the energy of a large sample, because the row may have missed one.
func (t *Table) quantum(e units.Energy, samples float64) float64 {
	one := t.Each
	if samples > 0 {
		one = max(one, float64(e)/samples)
	}
	return one * t.Clump / float64(t.Runs)
}

// reach returns the half-width of the interval on a logarithmic scale. The first term is the score
// interval of a Poisson mean. The second term is the interval of a log-normal variable.
// repeats.JudgeReadings has the same terms.
func (f *figure) reach() float64 {
	return math.Hypot(2*math.Asinh(within/2*math.Sqrt(f.quantum/float64(f.energy))), within*f.power())
}

// power returns the standard deviation of the logarithm of the power.
func (f *figure) power() float64 {
	return math.Sqrt(math.Log1p(f.powers*f.powers*f.varied + f.doubt*f.doubt))
}

// A Grade describes how finely a run can be divided.
type Grade uint8

// The grades.
const (
	// Nothing means that no sample has a line.
	Nothing Grade = iota
	// Methods means that close figures of lines cover less than half of the sampled energy.
	Methods
	// Lines means that close figures of lines cover at least half of the sampled energy.
	Lines
)

// Grade returns the grade of a run, and how many times longer the run must be for the next grade.
// longer is 0 if a longer run would not help, or if the run already has the best grade.
func (t *Table) Grade() (g Grade, longer float64) {
	sampled := t.Located + t.Unknown
	switch {
	case t.Located == 0:
		return Nothing, 0
	case t.LocatedSamples == 0:
		return Methods, 0 // the number of samples is unknown, so no line has an interval
	}
	var close, sum units.Energy
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Line == 0 || r.Own == 0 {
			continue
		}
		f := t.figure(r, Own)
		need := max(f.quantum/f.leastQuantum()/float64(r.Own), LeastSamples/(f.independent*float64(t.Runs)))
		if t.Unsampled > 0 {
			if i, ok := t.interval(&f); ok && !i.isClose(r.Own) {
				need = math.Inf(1) // More samples do not show what was not sampled.
			}
		}
		if sum += r.Own; longer == 0 && sum >= (sampled+1)/2 {
			longer = need
		}
		if need <= 1 {
			close += r.Own
		}
	}
	if close >= (sampled+1)/2 {
		return Lines, 0
	}
	if math.IsInf(longer, 1) {
		longer = 0
	}
	return Methods, max(longer, 0)
}

// isClose reports whether both ends of the interval of a figure are within the factor 1 +
// MaxCloseError.
func (i Interval) isClose(figure units.Energy) bool {
	return float64(i.Most) <= (1+MaxCloseError)*float64(figure) && (1+MaxCloseError)*float64(i.Least) >= float64(figure)
}

// leastQuantum returns how large one sample may be if the figure is close. It is a share of the
// figure.
func (f *figure) leastQuantum() float64 {
	most, power := math.Log1p(MaxCloseError), within*f.power()
	if power >= most {
		return 0 // No number of samples makes the figure close.
	}
	s := 2 * math.Sinh(math.Sqrt(most*most-power*power)/2) / within
	return s * s
}
