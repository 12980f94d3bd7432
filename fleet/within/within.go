// Package within finds the apps that discharge a battery. It compares each client (one device) with
// itself.
//
// Carat compares the rates with an app to all rates without it (SenSys 2013, §2.4). This finds
// false anomalies:
//
//   - The rates of one client are not independent.
//   - Users who use their phones more run other apps.
//   - An app that runs while the screen is on looks like the screen.
//   - If samples are taken at each per cent, a mean of rates gives too much weight to busy hours.
//
// This package instead compares the time with and without an app within one client and one stratum.
// A stratum has pairs under equal conditions, such as the pairs while the screen is on
// (pairs.Options). Drops are added up before they are divided by time.
//
// # Excess
//
// In a pair with drop D and time T, let x be the number of its ends (0, 1 or 2) at which the app
// ran. An app at one end counts half, because long pairs have low rates and more often have an app
// at one end. For each stratum:
//
//	d = ΣTx² − (ΣTx)²/ΣT
//	n = 2(ΣDx − ΣTx·ΣD/ΣT)
//
// The excess of the app is Σn/Σd over all strata and clients. It is the least-squares estimate with
// weights T. Its variance is Σ(n − excess·d)²/(Σd)², with n and d summed over each client. Errors
// are therefore clustered by client. If an app always runs on a client, or never, d is 0.
//
// # Hogs
//
// Possible hogs are fitted together, so that apps that merely run at the same time are not reported
// (Joint). Two fits are used: within strata, and a model in which the effects of conditions add up
// (Gram.LoadAdditive). The procedure of Benjamini and Hochberg over all apps then decides (Reject).
//
// All sums over clients are whole numbers, so the sums of shards add up exactly.
package within

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/sums"
)

// scale converts millionths of a per cent per millisecond to % per second.
const scale = 1e-3

// Unit is the value of 1 % per second where drains are whole numbers.
const Unit = 1e9

// A Contrast compares the time with and without an app over many clients. It has sums of each
// client's n and d. The excess of the app is n/d.
type Contrast struct {
	// Clients is the number of clients with time both with and without the app.
	Clients sums.Int
	// N and D are Σn and Σd. NN, ND and DD are Σn², Σnd and Σd². Drops are in millionths of a per
	// cent, and times in milliseconds.
	N, D, NN, ND, DD sums.Int
}

// Add adds the n and d of a client.
func (c *Contrast) Add(n, d int64) {
	c.Clients.Add(1)
	c.N.Add(n)
	c.D.Add(d)
	c.NN.AddProduct(n, n)
	c.ND.AddProduct(n, d)
	c.DD.AddProduct(d, d)
}

// Plus adds another contrast.
func (c *Contrast) Plus(o Contrast) {
	c.Clients.Plus(o.Clients)
	c.N.Plus(o.N)
	c.D.Plus(o.D)
	c.NN.Plus(o.NN)
	c.ND.Plus(o.ND)
	c.DD.Plus(o.DD)
}

// Row writes a contrast into the first sums of a row.
func (c *Contrast) Row(r *sums.Row) {
	for i, v := range []sums.Int{c.Clients, c.N, c.D, c.NN, c.ND, c.DD} {
		r[i].Plus(v)
	}
}

// ContrastOf reads a contrast that Row wrote.
func ContrastOf(r sums.Row) Contrast {
	return Contrast{Clients: r[0], N: r[1], D: r[2], NN: r[3], ND: r[4], DD: r[5]}
}

// An Estimate is an excess with its error.
type Estimate struct {
	// Excess is in % per second. Error is its standard error.
	Excess, Error float64
	// Freedom is the degrees of freedom: the effective number of clients minus 1.
	Freedom float64
}

// Estimate estimates the excess of an app, without other apps.
func (c Contrast) Estimate() Estimate {
	n, d := c.N.Float(), c.D.Float()
	if d <= 0 {
		return Estimate{Excess: math.NaN(), Error: math.NaN()}
	}
	b := n / d
	squares := max(0, c.NN.Float()-2*b*c.ND.Float()+b*b*c.DD.Float())
	freedom := c.Freedom()
	correction := math.NaN()
	if freedom > 0 {
		correction = (freedom + 1) / freedom
	}
	return Estimate{Excess: b * scale, Error: math.Sqrt(squares*correction) / d * scale, Freedom: freedom}
}

// Freedom returns the effective number of clients minus 1. Clients with more time have a larger
// weight. Equally weighted clients of the effective number would have the same information.
func (c Contrast) Freedom() float64 {
	d := c.D.Float()
	return d*d/c.DD.Float() - 1
}

// Half returns half the width of the interval with the given confidence, such as 0.95.
func (e Estimate) Half(confidence float64) float64 {
	if e.Freedom <= 0 {
		return math.Inf(1)
	}
	return e.Error * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: e.Freedom}.Quantile(0.5+confidence/2)
}

// P returns the probability of so large an excess by chance, if the true excess is 0.
func (e Estimate) P() float64 {
	if math.IsNaN(e.Excess) || math.IsNaN(e.Error) || e.Freedom <= 0 {
		return 1
	}
	if e.Error == 0 {
		if e.Excess > 0 {
			return 0
		}
		return 1
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: e.Freedom}.CDF(-e.Excess / e.Error)
}

// Reject applies the procedure of Benjamini and Hochberg. It reports for each p whether it is
// significant. On average, at most the share rate of the significant ones is wrong. tests is the
// number of all tests, including tests with a large p that are not listed.
func Reject(p []float64, tests int, rate float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	last := -1
	for rank, i := range order {
		if p[i] <= rate*float64(rank+1)/float64(tests) {
			last = rank
		}
	}
	out := make([]bool, len(p))
	for _, i := range order[:last+1] {
		out[i] = true
	}
	return out
}

// A Stratum has sums over pairs under equal conditions. x is the number of ends of a pair at which
// the app ran.
type Stratum struct {
	// Drop and Time are ΣD and ΣT. DropOf and TimeOf are ΣDx and ΣTx. Squares is ΣTx².
	Drop, Time, DropOf, TimeOf, Squares int64
}

// Add adds a pair. ends is the number of ends of the pair at which the app ran.
func (s *Stratum) Add(drop, time int64, ends uint8) {
	x := int64(ends)
	s.Drop, s.Time = s.Drop+drop, s.Time+time
	s.DropOf, s.TimeOf, s.Squares = s.DropOf+x*drop, s.TimeOf+x*time, s.Squares+x*x*time
}

// Contrast returns n and d of the stratum, or zeros if there is nothing to compare.
func (s *Stratum) Contrast() (n, d int64) {
	if s.TimeOf == 0 || s.TimeOf == 2*s.Time {
		return 0, 0 // The app ran never or always.
	}
	d = s.Squares - mulDiv(s.TimeOf, s.TimeOf, s.Time)
	return 2 * (s.DropOf - mulDiv(s.TimeOf, s.Drop, s.Time)), d
}

// A Times adds up the pairs of one client, for all of its apps.
type Times struct {
	drop    []int64        // drop is indexed by stratum.
	time    []int64        // time is indexed by stratum.
	present []presenceSums // present has a row of all apps for each stratum.
	apps    []appTime      // apps is indexed like Apps.
	// allDrop and allTime are the sums over all strata.
	allDrop, allTime int64
}

// An appTime has the sums of an app over the strata. n, d, contrasted and squares skip strata in
// which nothing can be compared.
type appTime struct{ pairs, time, n, d, contrasted, squares int64 }

// presenceSums has the fields of a Stratum that depend on the app.
type presenceSums struct{ dropOf, timeOf, squares int64 }

// Load adds up a client's pairs.
func (t *Times) Load(w *pairs.Work) {
	apps := len(w.Apps)
	t.drop, t.time = zeros(t.drop, w.Strata), zeros(t.time, w.Strata)
	t.present, t.apps = zeros(t.present, w.Strata*apps), zeros(t.apps, apps)
	for i := range w.Pairs {
		p := &w.Pairs[i]
		t.drop[p.Stratum] += p.Drop
		t.time[p.Stratum] += p.Time
		row := t.present[p.Stratum*apps : (p.Stratum+1)*apps]
		ends := w.Ends(i)
		for n, a := range w.Running(i) {
			x := int64(ends[n])
			s := &row[a]
			s.dropOf += x * p.Drop
			s.timeOf += x * p.Time
			s.squares += x * x * p.Time
			t.apps[a].pairs++
		}
	}
	t.allDrop, t.allTime = 0, 0
	for stratum, time := range t.time {
		t.allDrop, t.allTime = t.allDrop+t.drop[stratum], t.allTime+time
		for a, own := range t.present[stratum*apps : (stratum+1)*apps] {
			if own.timeOf == 0 {
				continue
			}
			sum := &t.apps[a]
			sum.time += own.timeOf / 2
			one := Stratum{Drop: t.drop[stratum], Time: time, DropOf: own.dropOf, TimeOf: own.timeOf, Squares: own.squares}
			if n, d := one.Contrast(); d > 0 {
				sum.n, sum.d = sum.n+n, sum.d+d
				sum.contrasted, sum.squares = sum.contrasted+own.timeOf/2, sum.squares+own.squares
			}
		}
	}
}

// Ran returns the number of pairs with the app. app is its index.
func (t *Times) Ran(app int) int64 { return t.apps[app].pairs }

// zeros returns a slice of n zeros. It reuses the memory of s if possible.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Contrast returns n and d of an app, the time with the app ΣTx/2, and ΣTx². app is its index.
// Strata in which nothing can be compared are skipped.
func (t *Times) Contrast(app int) (n, d, timeOf, squares int64) {
	a := &t.apps[app]
	return a.n, a.d, a.contrasted, a.squares
}

// Whole returns the drop and the time of the client, and the time with an app. app is its index.
func (t *Times) Whole(app int) (drop, time, timeOf int64) {
	return t.allDrop, t.allTime, t.apps[app].time
}

// mulDiv returns x·y/z, rounded. The numbers must not be negative, and the result must fit.
func mulDiv(x, y, z int64) int64 {
	high, low := bits.Mul64(uint64(x), uint64(y))
	low, carry := bits.Add64(low, uint64(z)/2, 0)
	q, _ := bits.Div64(high+carry, low, uint64(z))
	return int64(q)
}
