package server

import (
	"context"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// reportResult is what a page of package html holds.
type reportResult struct {
	Report *report.Report `json:"report"`
	// Volts is the battery's voltage, by which energy is shown as charge.
	Volts float64 `json:"volts"`
	// Unit is what to show energy in: the settings' unit, or one that suits.
	Unit string `json:"unit"`
}

// wholeReport returns the comparison that is shown as a whole, for views that do not
// ask page by page.
func (s *session) wholeReport(ctx context.Context, _ *struct{}) (*reportResult, error) {
	v, err := s.comparedView(ctx)
	if err != nil {
		return nil, err
	}
	r := report.New(v.layout.Set.Result, s.o.Version, 0)
	unit := units.Suiting(r.Subject.Energy)
	if v.prefs.Unit != nil {
		unit = *v.prefs.Unit
	}
	return &reportResult{r, v.words().volts(), unit.String()}, nil
}
