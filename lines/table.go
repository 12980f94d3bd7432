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
	// the run. It is an assumption: samples show how long a line ran, and not how much power its
	// instructions used.
	Power = 0.10
	// Close is the largest relative distance between a figure and an end of its interval at which the
	// figure is close.
	Close = 0.5

	within = 1.959963984540054 // standard errors of an interval of 95 %
)

// A Row is a line of a method, or a method whose line is unknown.
type Row struct {
	// Method is the method. Line is 0 if the line is unknown.
	Method name.Method
	Line   int
	// Own is the energy of the line itself. All is the energy with all that the line calls.
	Own, All units.Energy
	// Samples is the number of samples at the line itself. AllSamples includes callees.
	Samples, AllSamples float64
	// errors is the variance of Samples. It is 0 if it is unknown.
	errors float64
}

// A Table has the rows of a run. It is immutable.
type Table struct {
	// Rows are sorted by Own, the largest first, and then by label.
	Rows []Row
	// Total is the energy of the run. Located is the own energy of rows with a line, Unknown of rows
	// without one. Outside is the energy outside of methods. Total is the sum of the other three.
	Total, Located, Unknown, Outside units.Energy
	// Samples counts the samples of the run. LocatedSamples counts those whose own line is known.
	Samples, LocatedSamples float64
	// Clump is the number of samples that count as one, at least 1.
	Clump float64
	// Each is the energy that one sample more or less can add to a row: see Recording.Each.
	Each float64
	// Runs is the number of runs whose mean the figures are, at least 1.
	Runs int
	// Callers reports whether lines of callers are known. If they are not, Row.All of a line lacks the
	// energy of its callees.
	Callers bool

	tree         *cct.Tree
	samples, all func(node int32) float64
	errors       Errors
}

// New makes the table of a tree by line, which is one run or the mean of several. samples returns the
// number of samples of a node without its callees. all includes them. each and clump become fields. errors
// may be nil.
func New(tree *cct.Tree, samples, all func(node int32) float64, each, clump float64, errors Errors, runs int) *Table {
	t := &Table{
		Total: tree.Energy.Total(), Outside: tree.Energy.Self(cct.Root), Samples: all(cct.Root),
		Each: each, Clump: max(clump, 1), Runs: max(runs, 1), Callers: Callers(tree), tree: tree, samples: samples, all: all, errors: errors,
	}
	t.Rows = t.rows(func(m *name.Method) int32 { return max(m.On, 0) })
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Line > 0 {
			t.Located += r.Own
			t.LocatedSamples += r.Samples
		} else {
			t.Unknown += r.Own
		}
	}
	return t
}

// ByMethod returns the table with one row per method, which has the energy of all its lines.
func (t *Table) ByMethod() *Table {
	out := *t
	out.Rows = t.rows(func(*name.Method) int32 { return 0 })
	return &out
}

// rows adds up the tree. line returns the line of the row of a method of the tree, 0 for its whole method.
func (t *Table) rows(line func(*name.Method) int32) []Row {
	tree := t.tree
	// Methods of one label and line share a row.
	type key struct {
		label string
		line  int32
	}
	known := make(map[key]int32, len(tree.Methods))
	ofMethod := make([]int32, len(tree.Methods)) // ofMethod has the rows of the methods plus one.
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
			if x := t.errors[*m]; x > 0 && !counted[*m] {
				counted[*m] = true
				sums[row].errors += x
			}
		}
		row := &sums[at]
		row.own += tree.Energy.Self(v)
		row.samples += t.samples(v)
		if v >= row.last {
			row.last = n.End
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
	out := make([]Row, len(order))
	for i, at := range order {
		s := &sums[at]
		out[i] = Row{Method: methods[at], Line: int(keys[at].line), Own: s.own, All: s.all, Samples: s.samples, AllSamples: s.allSamples, errors: s.errors}
	}
	return out
}

// A sum adds up the figures of a row. last is the end of its latest outermost context. Two methods may
// share a row, so a context may lie within another context of its row.
type sum struct {
	own, all            units.Energy
	samples, allSamples float64
	errors              float64
	last                int32
}

// Callers reports whether the lines of callers are known in a tree by line. It is false if all lines are
// lines of innermost frames, as in profiles of V8.
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

// An Interval holds a figure in 95 % of cases.
type Interval struct{ Least, Most units.Energy }

// Own returns the interval of a row's own energy. ok is false if the row has too few samples for a
// figure of its own.
func (t *Table) Own(r *Row) (i Interval, ok bool) {
	return t.interval(r.Own, r.independent(), t.own(r))
}

// All returns the interval of a row's energy with callees.
func (t *Table) All(r *Row) (i Interval, ok bool) {
	return t.interval(r.All, r.AllSamples, t.quantum(r.All, r.AllSamples))
}

func (t *Table) interval(e units.Energy, samples, quantum float64) (Interval, bool) {
	if samples*float64(t.Runs) < LeastSamples || e == 0 {
		return Interval{}, false
	}
	x, factor := float64(e), math.Exp(reach(e, quantum))
	return Interval{units.Energy(x / factor), units.Energy(min(x*factor, float64(t.Total)))}, true
}

// own returns the quantum of a row's own energy: its variance divided by the energy.
func (t *Table) own(r *Row) float64 {
	if r.errors == 0 || r.Samples == 0 {
		return t.quantum(r.Own, r.Samples)
	}
	return max(t.Each, float64(r.Own)/r.Samples) * r.errors / r.Samples / float64(t.Runs)
}

// independent returns the number of independent samples that have the relative variance of the row's
// samples. It is at most the number of samples.
func (r *Row) independent() float64 {
	if r.errors == 0 {
		return r.Samples
	}
	return r.Samples * min(1, r.Samples/r.errors)
}

// quantum returns the energy by which chance changes a row: the energy of one sample. Samples of
// different energies count as the large ones do, because the row may have missed one.
func (t *Table) quantum(e units.Energy, samples float64) float64 {
	one := t.Each
	if samples > 0 {
		one = max(one, float64(e)/samples)
	}
	return one * t.Clump / float64(t.Runs)
}

// reach returns the logarithm of the ratio of a figure and an end of its interval. The first term is
// the score interval of a Poisson mean. The second term is the interval of a log-normal variable.
// repeats.JudgeOnce has the same terms.
func reach(e units.Energy, quantum float64) float64 {
	count := 2 * math.Asinh(within/2*math.Sqrt(quantum/float64(e)))
	return math.Sqrt(count*count + within*within*math.Log1p(Power*Power))
}

// A Grade says how finely a run can be divided.
type Grade uint8

// The grades.
const (
	// Nothing means that no sample has a line.
	Nothing Grade = iota
	// Methods means that the lines with close figures have less than half of the energy of samples.
	Methods
	// Lines means that they have at least half of it.
	Lines
)

// Grade returns the grade of a run. longer is the factor by which the run would have to be longer to
// reach the next grade. It is 0 if a longer run does not help, or if the run has the last grade.
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
		need := max(t.own(r)/leastQuantum/float64(r.Own), LeastSamples/(r.independent()*float64(t.Runs)))
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
	return Methods, max(longer, 0)
}

// leastQuantum is the part of a figure that a sample may be for a close figure.
var leastQuantum = func() float64 {
	most := math.Log1p(Close)
	count := math.Sqrt(most*most - within*within*math.Log1p(Power*Power))
	s := 2 * math.Sinh(count/2) / within
	return s * s
}()
