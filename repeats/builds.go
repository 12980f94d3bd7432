package repeats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The constants of the estimate of the noise between builds from the rows of a study.
const (
	// leastScatter is the number of rows from which the scatter of the rows is an estimate.
	leastScatter = 20
	// medianEfficiency is the efficiency of the median distance as an estimate of a deviation, for
	// normal variables.
	medianEfficiency = 0.37
	// scatterRisk is the probability that the estimate is less than the noise between builds.
	scatterRisk = 0.1
)

// between finds the noise between builds in the rows. If it is only assumed, and many rows scatter by
// less, their scatter replaces it: most rows are not affected by a change, so they show what builds
// do. Rows cannot show an offset that all of them share. Such an offset, up to the assumed noise, is
// no evidence that a row differs.
func (n *Noise) between(rows []row) {
	c := &n.conditions
	n.builds, n.shared = c.Builds, 0
	if c.Builds == 0 || !c.Assumed {
		return
	}
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
	if len(relative) < leastScatter {
		return
	}
	offset := Median(relative)
	distances := make([]float64, len(relative))
	for i, x := range relative {
		distances[i] = math.Abs(x - offset)
	}
	scatter := Median(distances) / halfNormal
	freedom := medianEfficiency * float64(len(relative))
	most := scatter * scatter * freedom / distuv.ChiSquared{K: freedom}.Quantile(scatterRisk)
	own := math.Sqrt(max(0, most-Median(within)) / 2)
	if own >= c.Builds {
		return
	}
	reach := alone * math.Sqrt2 * c.Builds
	n.builds, n.shared = own, max(-reach, min(reach, offset))
}

// offset is the part of a row's difference that an offset shared by all rows explains.
func (n *Noise) offset(r *row) float64 {
	if shared := n.shared * r.common(); shared*r.difference() > 0 {
		return math.Abs(shared)
	}
	return 0
}
