package finding

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// A Limit is what a comparison may come to: a share, from 0, of what it measures.
type Limit struct {
	// Measure is "saving", what could be saved of the subject's energy; "row", what one task
	// or one row of app code could; or "growth", by how much the subject drains more than the
	// reference, of the reference's energy.
	Measure string
	Share   float64
}

// Measures lists what limits may measure.
func Measures() []string { return []string{"saving", "row", "growth"} }

// ParseLimit reads a limit such as saving:5%.
func ParseLimit(text string) (Limit, error) {
	measure, percent, ok := strings.Cut(text, ":")
	number, isPercent := strings.CutSuffix(percent, "%")
	share, err := strconv.ParseFloat(number, 64)
	for _, known := range Measures() {
		if ok && isPercent && err == nil && share >= 0 && share <= 1e9 && measure == known {
			return Limit{measure, share / 100}, nil
		}
	}
	return Limit{}, fmt.Errorf("write %s and a percentage, such as saving:5%%", strings.Join(Measures(), ", "))
}

// Reached is what a result comes to. It fails where the result cannot tell: nothing is a
// saving where runs have little in common.
func (l Limit) Reached(r *analysis.Result) (share float64, err error) {
	if l.Measure == "growth" {
		if r.Reference.Energy == 0 && r.Subject.Energy > 0 {
			return 0, errors.New("the reference drains nothing to compare with")
		}
		return units.Share(r.Subject.Energy-r.Reference.Energy, r.Reference.Energy), nil
	}
	if s := &r.Summary; s.LittleInCommon() {
		return 0, fmt.Errorf("these runs have little in common, %d of %d tasks: nothing can be called a saving", s.Matched, s.Tasks)
	}
	if l.Measure == "saving" {
		return units.Share(Savable(r, nil, nil), r.Subject.Energy), nil
	}
	most := units.Energy(0)
	for i := range r.Tasks {
		if r.Tasks[i].Perhaps == nil {
			most = max(most, r.Tasks[i].Saving)
		}
	}
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; actionable(r, row) {
			most = max(most, row.Saving)
		}
	}
	return units.Share(most, r.Subject.Energy), nil
}
