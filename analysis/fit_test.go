package analysis_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/units"
)

// TestFit fits Wattson's curves to the rails of a real trace; docs/energy.md has the figures.
func TestFit(t *testing.T) {
	const data = "../../shared/data/"
	var curves []io.Reader
	for _, name := range []string{"Tensor-cpu_1d.csv", "Tensor-cpu_2d.csv"} {
		f, err := os.Open(data + "wattson/" + name)
		if err != nil {
			t.Skipf("no real data in %s", data)
		}
		defer f.Close()
		curves = append(curves, f)
	}
	cpu, _, _, err := model.FromCurves(curves...)
	if err != nil {
		t.Fatal(err)
	}
	d := &model.Device{Name: "tensor", Voltage: units.DefaultVoltage, CPU: cpu}
	_, clusters, err := analysis.Fit(t.Context(), d, data+"perfetto/api32_startup_warm.perfetto-trace")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range clusters {
		fmt.Fprintf(&out, "%s %d: measured %d mJ, model %d mJ off by %.0f %%, fitted %d mJ off by %.0f %%, times %.2f and %.2f%s\n", c.Name, c.Spans,
			c.Measured/units.Millijoule, c.Before/units.Millijoule, 100*c.OffBefore, c.After/units.Millijoule, 100*c.OffAfter, c.Active, c.Beside, c.Refused)
	}
	const want = `policy0 6: measured 256 mJ, model 215 mJ off by 14 %, fitted 229 mJ off by 13 %, times 1.06 and 1.06
policy4 6: measured 83 mJ, model 111 mJ off by 44 %, fitted 77 mJ off by 5 %, times 0.69 and 0.69
policy6 6: measured 112 mJ, model 175 mJ off by 69 %, fitted 104 mJ off by 20 %, times 0.60 and 0.60
`
	if out.String() != want {
		t.Errorf("fitted:\n%s\nwant:\n%s", out.String(), want)
	}
}
