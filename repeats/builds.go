package repeats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Constants for estimating the noise between builds, which is how much builds of the same program
// differ. It is estimated from the rows of a study.
const (
	// minScatter is the minimum number of rows for estimating the noise from their scatter.
	minScatter = 20
	// medianEfficiency is the relative efficiency of the median distance as an estimator of a
	// normal standard deviation.
	medianEfficiency = 0.37
	// scatterRisk is the probability that the upper estimate is below the true noise between
	// builds.
	scatterRisk = 0.1
)

// between sets n.builds, which is how much builds of the same program differ in a row. It is
// Conditions.Builds. If that is only an assumption, and the rows scatter by less, their scatter
// replaces it.
//
// A change does not affect most rows, so their scatter shows how much builds differ by chance. It
// does not show an offset that all rows have in common. Such an offset, up to the assumed noise, is
// therefore no evidence that a row differs.
func (n *Noise) between(rows []row) {
	c := &n.conditions
	n.builds, n.shared = c.Builds, 0
	if c.Builds == 0 || !c.Assumed {
		return
	}
	own, offset, ok := n.scatter(rows)
	if !ok || own >= c.Builds {
		return
	}
	reach := singleHalfWidth * math.Sqrt2 * c.Builds
	n.builds, n.shared = own, max(-reach, min(reach, offset))
}

// scatter estimates the noise between builds from how much the differences of the rows scatter. own
// is an upper estimate. offset is the relative difference that all rows have in common. ok is false
// if there are too few rows.
func (n *Noise) scatter(rows []row) (own, offset float64, ok bool) {
	var relative, within []float64
	for i := range rows {
		r := &rows[i]
		if r.presence != always || r.subject.mean <= 0 || r.reference.mean <= 0 {
			continue
		}
		common := r.common()
		v, _ := n.variance(r)
		relative, within = append(relative, r.difference()/common), append(within, v/common/common)
	}
	if len(relative) < minScatter {
		return 0, 0, false
	}
	offset = Median(relative)
	distances := make([]float64, len(relative))
	for i, x := range relative {
		distances[i] = math.Abs(x - offset)
	}
	scatter := Median(distances) / halfNormal
	freedom := medianEfficiency * float64(len(relative))
	most := scatter * scatter * freedom / distuv.ChiSquared{K: freedom}.Quantile(scatterRisk)
	return math.Sqrt(max(0, most-Median(within)) / 2), offset, true
}

// Hidden returns how much two builds may differ without ever giving evidence, as a fraction. More
// runs do not help, because builds of the same program differ, too. builds is the noise between
// builds.
func Hidden(builds float64) float64 { return confidenceWidth(1-Rate) * math.Sqrt2 * builds }

// Builds returns the noise between builds that the study used. It is smaller than Conditions.Builds
// if that is an assumption and the rows scatter by less.
func (n *Noise) Builds() float64 { return n.builds }

// EqualBuilds is a study of two builds of the same program. Its differences are noise.
type EqualBuilds struct {
	Conditions Conditions
	Rows       []Pair
	Total      Pair
}

// BetweenBuilds estimates the noise between builds from studies of builds of the same program. It
// returns the noise of the total and of a row, which is at least that of the total.
//
// A single difference is little evidence. The noise of the total is therefore the root mean square
// over the studies and one more study with DefaultBuilds. The noise of a row is an upper estimate
// from the scatter of the rows, or DefaultBuilds if there are few rows.
func BetweenBuilds(studies []EqualBuilds) (total, row float64) {
	squares, own, n := DefaultBuilds*DefaultBuilds, 0.0, float64(len(studies))
	for _, s := range studies {
		s.Conditions.Builds = 0
		squares += s.squares()
		rows := newRows(s.Rows, &s.Conditions)
		noise := estimate(rows, s.Conditions)
		found, _, ok := noise.scatter(rows)
		if !ok {
			found = DefaultBuilds
		}
		own += found * found / max(n, 1)
	}
	total = math.Sqrt(squares / (n + 1))
	return total, max(math.Sqrt(own), total)
}

// squares estimates the squared noise between builds of the total from its difference. The noise of
// the runs is subtracted. The result is at least 0.
func (s *EqualBuilds) squares() float64 {
	rows := newRows([]Pair{s.Total}, &s.Conditions)
	common := rows[0].common()
	if common <= 0 {
		return 0
	}
	noise := estimate(rows, s.Conditions)
	within, _ := noise.variance(&rows[0])
	trend, _ := noise.drift(&rows[0])
	x := (rows[0].difference() - trend) / common
	return max(0, (x*x-within/common/common)/2)
}

// FewestEntries is how many entries of a history BetweenEntries needs.
const FewestEntries = 6

// BetweenEntries estimates the noise between builds of the total from a history. Each entry has the
// totals of its runs, and entries are in order. Most commits change nothing, so the median
// difference between neighboring entries shows the noise.
//
// The result is an upper estimate. If there are fewer than FewestEntries entries, it is
// DefaultBuilds.
func BetweenEntries(entries [][]float64) float64 {
	var distances []float64
	squares, freedom, parts := 0.0, 0.0, 0.0
	for i, runs := range entries {
		whole := newSide(runs)
		if whole.mean <= 0 {
			continue
		}
		for _, x := range runs {
			squares += (x/whole.mean - 1) * (x/whole.mean - 1)
		}
		freedom += whole.runs - 1
		parts += 1 / whole.runs / float64(len(entries))
		if i > 0 {
			if before := newSide(entries[i-1]); before.mean > 0 {
				distances = append(distances, math.Abs(math.Log(whole.mean/before.mean)))
			}
		}
	}
	if len(distances) < FewestEntries-1 {
		return DefaultBuilds
	}
	scatter := Median(distances) / halfNormal
	effective := medianEfficiency * float64(len(distances))
	most := scatter * scatter * effective / distuv.ChiSquared{K: effective}.Quantile(scatterRisk) / 2
	if freedom > 0 {
		most -= squares / freedom * parts
	}
	return math.Sqrt(max(0, most))
}

// offset returns how much of a row's difference is an offset that all rows have in common.
func (n *Noise) offset(r *row) float64 {
	if shared := n.shared * r.common(); shared*r.difference() > 0 {
		return math.Abs(shared)
	}
	return 0
}
