package within

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A Gram has the sums for fitting all candidates (possible hogs) together. The excess of each then
// excludes what the others cause. Its matrix has a sum for each two candidates: ΣTxy − ΣTx·ΣTy/ΣT,
// added over the strata. x and y are the numbers of ends (0, 1 or 2) of a pair at which the two
// candidates ran.
type Gram struct {
	n     int
	cells []sums.Int // cells is the lower triangle of the symmetric matrix.
	sums  []sums.Int // sums has the n of each candidate.
	local []int      // local lists the candidates of the current client.
	index []int      // index maps the index of an app to its index in local plus 1, or 0.

	total   clientSums         // total is for all loaded pairs of the client.
	stratum clientSums         // stratum is for one stratum. It is zero between strata.
	starts  []int32            // starts maps a stratum to its beginning in order.
	order   []int32            // order has the pairs, sorted by stratum.
	seen    []int              // seen lists the candidates in the current stratum, as indices of local.
	running []presentCandidate // running lists the candidates in the current pair.

	excesses []int64 // excesses has the client's n of each candidate, indexed like local.
	owns     []int64 // owns is the client's part of the matrix, indexed like local.
	effects  effects
}

// clientSums has sums over some pairs of a client. They are indexed like Gram.local.
type clientSums struct {
	time, drop int64
	single     []int64 // single is ΣTx.
	drops      []int64 // drops is ΣDx.
	both       []int64 // both is ΣTxy for each two candidates, as a lower triangle.
}

// reset sets all sums to zero. m is the number of candidates.
func (s *clientSums) reset(m int) {
	s.time, s.drop = 0, 0
	s.single, s.drops, s.both = zeros(s.single, m), zeros(s.drops, m), zeros(s.both, m*m)
}

// A presentCandidate is a candidate in a pair. ends is the number of samples that list it.
type presentCandidate struct {
	place int // place is an index in local.
	ends  int64
}

// NewGram returns a Gram for n candidates, with all sums zero.
func NewGram(n int) *Gram {
	return &Gram{n: n, cells: make([]sums.Int, n*(n+1)/2), sums: make([]sums.Int, n)}
}

// at returns the index of an element of a symmetric matrix in its lower triangle.
func at(i, j int) int {
	if i < j {
		i, j = j, i
	}
	return i*(i+1)/2 + j
}

// AddGram adds the sums of other clients.
func (g *Gram) AddGram(o *Gram) {
	for i := range g.cells {
		g.cells[i].Plus(o.cells[i])
	}
	for i := range g.sums {
		g.sums[i].Plus(o.sums[i])
	}
}

// Cell returns the element of the matrix for two candidates.
func (g *Gram) Cell(i, j int) *sums.Int { return &g.cells[at(i, j)] }

// Sum returns Σn of a candidate (see the package comment).
func (g *Gram) Sum(i int) *sums.Int { return &g.sums[i] }

// Load loads a client by stratum. Add then adds it. candidate returns the index of an app's
// candidate, or -1. Load returns the number of candidates on the client.
func (g *Gram) Load(w *pairs.Work, candidate func(app uint32) int) int {
	return g.LoadSome(w, candidate, nil)
}

// LoadSome is like Load, but loads only the pairs that the function accepts. The function may be
// nil.
func (g *Gram) LoadSome(w *pairs.Work, candidate func(app uint32) int, in func(p *pairs.Pair) bool) int {
	g.local, g.index = g.local[:0], g.index[:0]
	for _, app := range w.Apps {
		place := candidate(app)
		g.index = append(g.index, 0)
		if place >= 0 {
			g.local = append(g.local, place)
			g.index[len(g.index)-1] = len(g.local)
		}
	}
	m := len(g.local)
	if m == 0 {
		return 0
	}
	g.owns, g.excesses = zeros(g.owns, m*m), zeros(g.excesses, m)
	g.total.reset(m)
	g.stratum.reset(m)
	g.sort(w, in)
	for s := range w.Strata {
		for _, i := range g.order[g.starts[s]:g.starts[s+1]] {
			g.add(w, int(i))
		}
		g.reduce()
	}
	g.mirror()
	return m
}

func (g *Gram) sort(w *pairs.Work, in func(p *pairs.Pair) bool) {
	g.starts = zeros(g.starts, w.Strata+2)
	next := g.starts[1:] // next is where the next pair of each stratum is stored in order.
	g.order = zeros(g.order, len(w.Pairs))
	for i := range w.Pairs {
		if p := &w.Pairs[i]; in == nil || in(p) {
			next[p.Stratum+1]++
		}
	}
	for s := range w.Strata {
		next[s+1] += next[s]
	}
	for i := range w.Pairs {
		if p := &w.Pairs[i]; in == nil || in(p) {
			g.order[next[p.Stratum]] = int32(i)
			next[p.Stratum]++
		}
	}
}

// add adds a pair to the sums of its stratum.
func (g *Gram) add(w *pairs.Work, pair int) {
	p, s, m := &w.Pairs[pair], &g.stratum, len(g.local)
	s.time, s.drop = s.time+p.Time, s.drop+p.Drop
	g.running = g.running[:0]
	ends := w.Ends(pair)
	for n, a := range w.Running(pair) {
		if l := g.index[a]; l > 0 {
			g.running = append(g.running, presentCandidate{l - 1, int64(ends[n])})
		}
	}
	for i, x := range g.running {
		if s.single[x.place] == 0 {
			g.seen = append(g.seen, x.place)
		}
		weight := x.ends * p.Time
		s.single[x.place] += weight
		s.drops[x.place] += x.ends * p.Drop
		for _, y := range g.running[:i+1] {
			s.both[max(x.place, y.place)*m+min(x.place, y.place)] += weight * y.ends
		}
	}
}

// reduce adds the sums of a stratum to the sums of the client.
func (g *Gram) reduce() {
	s, t, m := &g.stratum, &g.total, len(g.local)
	for i, x := range g.seen {
		tx := s.single[x]
		g.excesses[x] += 2 * (s.drops[x] - mulDiv(tx, s.drop, s.time))
		t.single[x] += tx
		t.drops[x] += s.drops[x]
		for _, y := range g.seen[:i+1] {
			at := max(x, y)*m + min(x, y)
			g.owns[at] += s.both[at] - mulDiv(tx, s.single[y], s.time)
			t.both[at] += s.both[at]
			s.both[at] = 0
		}
	}
	for _, x := range g.seen {
		s.single[x], s.drops[x] = 0, 0
	}
	t.time, t.drop = t.time+s.time, t.drop+s.drop
	s.time, s.drop, g.seen = 0, 0, g.seen[:0]
}

// LoadWhole loads the same client as the Gram other, as one stratum.
func (g *Gram) LoadWhole(other *Gram) {
	g.local = append(g.local[:0], other.local...)
	t, m := &other.total, len(g.local)
	g.owns, g.excesses = zeros(g.owns, m*m), zeros(g.excesses, m)
	for x, tx := range t.single {
		if tx == 0 {
			continue
		}
		g.excesses[x] = 2 * (t.drops[x] - mulDiv(tx, t.drop, t.time))
		for y, ty := range t.single[:x+1] {
			if ty > 0 {
				g.owns[x*m+y] = t.both[x*m+y] - mulDiv(tx, ty, t.time)
			}
		}
	}
	g.mirror()
}

// mirror copies the lower triangle of owns to the upper one.
func (g *Gram) mirror() {
	m := len(g.local)
	for x := range m {
		for y := range x {
			g.owns[y*m+x] = g.owns[x*m+y]
		}
	}
}

// own returns the client's part of a matrix element. The candidates are indices of local.
func (g *Gram) own(x, y int) int64 { return g.owns[x*len(g.local)+y] }

// excess returns the client's n of a candidate, an index of local.
func (g *Gram) excess(x int) int64 { return g.excesses[x] }

// Add adds the loaded client to the sums.
func (g *Gram) Add() {
	for x := range g.local {
		g.Sum(g.local[x]).Add(g.excess(x))
		for y := range g.local {
			if g.local[y] <= g.local[x] {
				g.Cell(g.local[x], g.local[y]).Add(g.own(x, y))
			}
		}
	}
}

// A Spread describes how much the excess of a candidate differs between clients.
type Spread struct {
	// Weight is the sum of the clients' weights. HalfWeight is the same sum for the clients with at
	// least half of the candidate's excess.
	Weight, HalfWeight sums.Int
	// Product is the sum of a·b over the clients. a and b are the residuals of two halves of a
	// client's pairs (AddHalves). ProductWeight is the same sum for their weights.
	Product, ProductWeight sums.Int
}

// residuals returns what the fit leaves unexplained on the client, for each candidate: n − Σ
// drain·own. Drains are in 10⁻⁹ % per second.
func (g *Gram) residuals(drains []int64) []int64 {
	all := make([]int64, len(g.local))
	for x := range g.local {
		var fitted sums.Int // The unit is 10⁻¹² %.
		for y := range g.local {
			fitted.AddProduct(drains[g.local[y]], g.own(x, y))
		}
		all[x] = g.excess(x) - int64(math.Round(fitted.Float()/1e6))
	}
	return all
}

// Score adds the loaded client to the Gram other, from which Estimator computes errors. It adds the
// products of the residuals of each two candidates. Drains are in 10⁻⁹ % per second. If spreads is
// not nil, Score also adds the client to the spreads of its candidates.
func (g *Gram) Score(drains []int64, other *Gram, spreads []Spread) {
	residuals := g.residuals(drains)
	for x := range g.local {
		if spreads != nil {
			spreads[g.local[x]].add(residuals[x], drains[g.local[x]], g.own(x, x))
		}
		for y := range g.local {
			if g.local[y] <= g.local[x] {
				other.Cell(g.local[x], g.local[y]).AddProduct(residuals[x], residuals[y])
			}
		}
	}
}

// AddHalves adds a client to the spreads of its candidates. The Grams g and other have loaded two
// halves of its pairs.
func (g *Gram) AddHalves(other *Gram, drains []int64, spreads []Spread) {
	a, b := g.residuals(drains), other.residuals(drains)
	for x, candidate := range g.local {
		if d, e := g.own(x, x), other.own(x, x); d > 0 && e > 0 {
			spreads[candidate].Product.AddProduct(a[x], b[x])
			spreads[candidate].ProductWeight.AddProduct(d, e)
		}
	}
}

// Variance returns the variance of the excess between clients, without the noise of the
// measurement, in (% per second)². It may be negative by chance. It is NaN if no client has two
// halves.
//
// Let v be the difference between a client's excess and the mean. The residual of one half of its
// pairs is v times the weight of the half, plus noise. The noise of the two halves is independent.
// The mean product of their residuals is therefore variance·weight·weight. The noise may differ
// between clients.
func (s *Spread) Variance() float64 {
	return s.Product.Float() / s.ProductWeight.Float() * scale * scale
}

// Most returns the share of the clients, by weight, that have at least half of the candidate's
// excess. It is 1 without data.
func (s *Spread) Most() float64 {
	if s.Weight == (sums.Int{}) {
		return 1
	}
	return s.HalfWeight.Float() / s.Weight.Float()
}

// Plus adds another spread.
func (s *Spread) Plus(o Spread) {
	s.Weight.Plus(o.Weight)
	s.HalfWeight.Plus(o.HalfWeight)
	s.Product.Plus(o.Product)
	s.ProductWeight.Plus(o.ProductWeight)
}

// add adds a client. d is its weight.
func (s *Spread) add(residual, drain, d int64) {
	if d <= 0 || drain <= 0 {
		return
	}
	s.Weight.Add(d)
	if float64(residual) >= -float64(drain)*float64(d)/1e6/2 {
		s.HalfWeight.Add(d)
	}
}

// separable is the share of a candidate's own variation that earlier candidates must leave
// unexplained. If less remains, the data cannot distinguish the candidate from them.
const separable = 0.05

// A Joint is the result of the joint fit.
type Joint struct {
	// Drains are in 10⁻⁹ % per second. The drain is 0 for a candidate that the data cannot
	// distinguish from another candidate.
	Drains []int64
	// Confounded[i] is the candidate that the data cannot distinguish from candidate i, or i if
	// there is none.
	Confounded []int
	factor     mat.Cholesky
	kept       []int
}

// Fit estimates all candidates together. They must be sorted by decreasing significance. If the
// data cannot distinguish two candidates, Fit keeps the first.
func (g *Gram) Fit() (*Joint, error) {
	j := &Joint{Drains: make([]int64, g.n), Confounded: make([]int, g.n)}
	factor := make([][]float64, 0, g.n) // factor is the Cholesky factor for the kept candidates.
	for i := range g.n {
		j.Confounded[i] = i
		row := make([]float64, len(j.kept)+1)
		own := g.Cell(i, i).Float()
		left := own
		for k, other := range j.kept {
			row[k] = (g.Cell(i, other).Float() - floats.Dot(row[:k], factor[k][:k])) / factor[k][k]
			left -= row[k] * row[k]
		}
		if own <= 0 || left < separable*own {
			j.Confounded[i] = g.mostSimilar(i, j.kept)
			continue
		}
		row[len(j.kept)] = math.Sqrt(left)
		factor = append(factor, row)
		j.kept = append(j.kept, i)
	}
	if len(j.kept) == 0 {
		return j, nil
	}
	k := len(j.kept)
	upper, right := mat.NewTriDense(k, mat.Upper, nil), mat.NewVecDense(k, nil)
	for x, i := range j.kept {
		right.SetVec(x, g.Sum(i).Float())
		for y, v := range factor[x] {
			upper.SetTri(y, x, v)
		}
	}
	j.factor.SetFromU(upper)
	var drains mat.VecDense
	if err := j.factor.SolveVecTo(&drains, right); err != nil {
		return nil, fmt.Errorf("fitting %d candidates together: %w", k, err)
	}
	for x, i := range j.kept {
		j.Drains[i] = int64(math.Round(drains.AtVec(x) * scale * Unit))
	}
	return j, nil
}

// mostSimilar returns the kept candidate that runs at the most similar times to candidate i.
func (g *Gram) mostSimilar(i int, kept []int) int {
	best, most := i, -1.0
	for _, other := range kept {
		like := g.Cell(i, other).Float() / math.Sqrt(g.Cell(other, other).Float())
		if like > most {
			best, most = other, like
		}
	}
	return best
}

// Estimator returns a function that estimates the excess of one candidate. All candidates are
// fitted together. Errors are clustered by client. scores has the sums from Score. own is the
// candidate's contrast alone, for the degrees of freedom.
func (j *Joint) Estimator(scores *Gram) func(candidate int, own Contrast) Estimate {
	k := len(j.kept)
	nothing := Estimate{Excess: math.NaN(), Error: math.NaN()}
	if k == 0 {
		return func(int, Contrast) Estimate { return nothing }
	}
	products := mat.NewSymDense(k, nil)
	for x, i := range j.kept {
		for y, other := range j.kept[:x+1] {
			products.SetSym(x, y, scores.Cell(i, other).Float())
		}
	}
	return func(candidate int, own Contrast) Estimate {
		place := slices.Index(j.kept, candidate)
		if place < 0 {
			return nothing
		}
		// The variance of a drain is rᵀPr: P has the products of residuals, and r is the
		// candidate's row of the inverse matrix.
		unit := mat.NewVecDense(k, nil)
		unit.SetVec(place, 1)
		var row mat.VecDense
		if err := j.factor.SolveVecTo(&row, unit); err != nil {
			return nothing // The candidates are almost the same.
		}
		e := Estimate{Excess: float64(j.Drains[candidate]) / Unit, Freedom: own.Freedom(), Error: math.NaN()}
		if e.Freedom > 0 {
			e.Error = math.Sqrt(max(0, mat.Inner(&row, products, &row))*(e.Freedom+1)/e.Freedom) * scale
		}
		return e
	}
}
