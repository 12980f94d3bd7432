package repeats

import (
	"cmp"
	"math"
	"slices"
)

// A presence describes in which runs of the two sides a row occurs.
type presence uint8

const (
	// always means that the row is in all runs of both sides.
	always presence = iota
	// oneSided means that the row is in all runs of one side, and in no run of the other.
	oneSided
	// sometimes means that the row is in some runs of a side, but not in all. Examples are a retry
	// and a garbage collection.
	sometimes
)

// occurrence returns the presence of a row. A row without energy counts as present in all runs.
func occurrence(p Pair) presence {
	subject, reference := present(p.Subject), present(p.Reference)
	within := func(n int, energies []float64) bool { return n > 0 && n < len(energies) }
	switch {
	case within(subject, p.Subject) || within(reference, p.Reference):
		return sometimes
	case (subject == 0) != (reference == 0):
		return oneSided
	}
	return always
}

// intermittent reports, for each row, whether its task really is absent in some runs of a side, as
// a garbage collection may be. A task of few samples may look absent because counts vary. Then most
// rows of its size are absent in some runs, too. So a row counts only if at most half of the rows
// of similar size are absent in some but not all runs.
func intermittent(pairs []Pair, rows []row) []bool {
	const window = 10
	type sized struct {
		mean float64
		some bool
	}
	var sizes []sized
	means := make([]float64, len(rows))
	for i := range rows {
		if means[i] = meanPresent(pairs[i]); means[i] > 0 {
			sizes = append(sizes, sized{means[i], rows[i].presence == sometimes})
		}
	}
	slices.SortStableFunc(sizes, func(a, b sized) int { return cmp.Compare(a.mean, b.mean) })
	come := make([]bool, len(rows))
	for i := range rows {
		if rows[i].presence != sometimes {
			continue
		}
		at, _ := slices.BinarySearchFunc(sizes, means[i], func(s sized, mean float64) int { return cmp.Compare(s.mean, mean) })
		from := max(0, min(at-window/2, len(sizes)-window-1))
		near := sizes[from:min(from+window+1, len(sizes))]
		some := -1 // Do not count the row itself.
		for _, s := range near {
			if s.some {
				some++
			}
		}
		come[i] = 2*some <= len(near)-1
	}
	return come
}

// meanPresent returns a row's mean energy over the runs that have it.
func meanPresent(p Pair) float64 {
	sum := 0.0
	for _, x := range slices.Concat(p.Subject, p.Reference) {
		sum += x
	}
	return sum / float64(max(present(p.Subject)+present(p.Reference), 1))
}

// present returns the number of runs that have the row.
func present(energies []float64) int {
	n := 0
	for _, x := range energies {
		if x > 0 {
			n++
		}
	}
	return n
}

// newPart returns a row of only the runs that have the task. The deviations of other runs are 0.
func newPart(p Pair) row {
	var only Pair
	for _, x := range p.Subject {
		if x > 0 {
			only.Subject = append(only.Subject, x)
		}
	}
	for _, x := range p.Reference {
		if x > 0 {
			only.Reference = append(only.Reference, x)
		}
	}
	r := newRow(only)
	deviations, k := make([]float64, len(p.Subject)+len(p.Reference)), 0
	for i := range deviations {
		var x float64
		if i < len(p.Subject) {
			x = p.Subject[i]
		} else {
			x = p.Reference[i-len(p.Subject)]
		}
		if x > 0 {
			deviations[i], k = r.deviations[k], k+1
		}
	}
	r.deviations = deviations
	return r
}

// presences describes the tasks of a study that are in some but not all runs of a side.
type presences struct {
	// ratio is the quotient of two chances of a task that occurs at random: that only one side has
	// it, in all runs, and that a side has it in only some runs. The task's probability per run is
	// unknown, so it is the one with the largest ratio.
	ratio float64
	// patterns has the sets of runs in which such tasks occur, as strings of 0 and 1.
	patterns map[string]bool
}

func newPresences(pairs []Pair, rows []row) presences {
	c := presences{ratio: ratio(len(pairs[0].Subject), len(pairs[0].Reference)), patterns: make(map[string]bool)}
	for i := range rows {
		if rows[i].presence != sometimes {
			continue
		}
		var pattern []byte
		for _, side := range [][]float64{pairs[i].Subject, pairs[i].Reference} {
			for _, x := range side {
				bit := byte('0')
				if x > 0 {
					bit = '1'
				}
				pattern = append(pattern, bit)
			}
		}
		c.patterns[string(pattern)] = true
	}
	return c
}

// ratio computes presences.ratio for sides of n and m runs.
func ratio(n, m int) float64 {
	most := 0.0
	const steps = 100
	for i := 1; i < steps; i++ {
		p, q := float64(i)/steps, 1-float64(i)/steps
		pn, pm, qn, qm := math.Pow(p, float64(n)), math.Pow(p, float64(m)), math.Pow(q, float64(n)), math.Pow(q, float64(m))
		if some := 1 - (pn+qn)*(pm+qm); some > 0 {
			most = max(most, (pn*qm+qn*pm)/some)
		}
	}
	return most
}

// chanceOneSided estimates how many tasks that come and go are, by chance, in all runs of one side
// and in none of the other. It assumes one more such task than was seen. Tasks with the same
// pattern count once, because they may be parts of the same activity.
func (c *presences) chanceOneSided() float64 { return min(1, float64(len(c.patterns)+1)*c.ratio) }

// partP returns the p-value of a row that is in some but not all runs of a side. There are two
// tests:
//
//   - Does the row occur more often?
//   - Does it use more energy in the runs that have it?
//
// The p-value is twice the smaller one (a two-part model: Lachenbruch, "Analysis of data with
// excess zeros", 2002). Only tests in the direction of the difference count.
func (n *Noise) partP(r *row) float64 {
	p, difference := 1.0, r.difference()
	more := func(x float64) bool { return x*difference > 0 }
	if n.conditions.Order.Sequence == OneAfterOther {
		return 1
	}
	if more(r.part.difference()) && min(r.part.subject.runs, r.part.reference.runs) > 0 && (r.part.freedom > 0 || n.Prior > 0) {
		p = min(p, n.testP(r.part))
	}
	if a, b := r.part.subject.runs/r.subject.runs, r.part.reference.runs/r.reference.runs; more(a - b) {
		p = min(p, fisher(int(r.part.subject.runs), int(r.subject.runs), int(r.part.reference.runs), int(r.reference.runs)))
	}
	return min(1, 2*p)
}

// fisher compares the proportions a/n and b/m. It returns the two-sided p-value of Fisher's exact
// test.
func fisher(a, n, b, m int) float64 {
	hits := a + b
	chance := func(k int) float64 {
		return math.Exp(choose(n, k) + choose(m, hits-k) - choose(n+m, hits))
	}
	seen, sum := chance(a), 0.0
	for k := max(0, hits-m); k <= min(n, hits); k++ {
		if x := chance(k); x <= seen*(1+1e-9) {
			sum += x
		}
	}
	return min(1, sum)
}

// choose returns the logarithm of a binomial coefficient.
func choose(n, k int) float64 {
	logFactorial := func(x int) float64 { l, _ := math.Lgamma(float64(x + 1)); return l }
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}
