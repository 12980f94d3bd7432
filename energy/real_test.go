package energy_test

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// wattson reads the curves of a device in Perfetto's Wattson, as milliwatts.
func wattson(t *testing.T, name string) *model.CPU {
	t.Helper()
	cpu := &model.CPU{}
	clusters := map[string]*model.Cluster{}
	milliwatts := func(s string) units.Power {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return units.Power(f*1000 + 0.5)
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, kind := range []string{"1d", "2d"} {
		f, err := os.Open(filepath.Join("../../shared/data/wattson", name+"-cpu_"+kind+".csv"))
		if err != nil {
			t.Skip("no curves: ", err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			c := clusters[row[1]]
			if c == nil {
				c = &model.Cluster{Name: "policy " + row[1], Cores: []int{number(row[1])}}
				clusters[row[1]] = c
			}
			p := model.Point{Frequency: units.Frequency(number(row[2])) * 1000, DepPolicy: -1}
			if kind == "2d" {
				p.DepPolicy, p.DepFrequency = number(row[3]), units.Frequency(number(row[4]))*1000
				row = row[2:]
			}
			p.Shared, p.Active = milliwatts(row[3]), milliwatts(row[4])
			p.Idle = []units.Power{milliwatts(row[5]), milliwatts(row[6])}
			c.Points = append(c.Points, p)
		}
	}
	for _, policy := range []string{"0", "4", "6"} {
		c := clusters[policy]
		slices.SortStableFunc(c.Points, func(a, b model.Point) int {
			if a.Frequency != b.Frequency {
				return int(min(1, max(-1, a.Frequency-b.Frequency)))
			}
			if a.DepPolicy != b.DepPolicy {
				return a.DepPolicy - b.DepPolicy
			}
			return int(min(1, max(-1, a.DepFrequency-b.DepFrequency)))
		})
		cpu.Clusters = append(cpu.Clusters, *c)
	}
	cpu.Clusters[0].Cores, cpu.Clusters[1].Cores, cpu.Clusters[2].Cores = []int{0, 1, 2, 3}, []int{4, 5}, []int{6, 7}
	for i, rail := range []string{"S4M_VDD_CPUCL0", "S3M_VDD_CPUCL1", "S2M_VDD_CPUCL2"} {
		cpu.Clusters[i].Rails = []string{rail}
	}
	return cpu
}

// api32 opens the real trace with power rails.
func api32(t *testing.T) *ingest.File {
	t.Helper()
	const path = "../../shared/data/perfetto/api32_startup_warm.perfetto-trace"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no real trace: ", err)
	}
	f, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRealProcessor compares the curves of the Tensor with the rails of a phone that has this
// processor. If the curves are in milliwatts, they give 489 mJ without the shared power of
// clusters. They give 503 mJ with it, and 531 mJ if the time to leave deep idle is also included.
// The rails measured 452 mJ.
func TestRealProcessor(t *testing.T) {
	f := api32(t)
	for _, test := range []struct {
		what   string
		shared bool
		wake   []int64
		least  units.Energy
		most   units.Energy
	}{
		{"without what is shared", false, nil, 485e6, 493e6},
		{"with it", true, nil, 498e6, 508e6},
		{"with the time to wake", true, []int64{200_000, 200_000}, 526e6, 536e6},
	} {
		cpu := wattson(t, "Tensor")
		cpu.Clusters[2].Wake = test.wake
		for i := range cpu.Clusters[0].Points {
			if !test.shared {
				cpu.Clusters[0].Points[i].Shared = 0
			}
		}
		r, err := energy.ReadRails(t.Context(), f, &model.Device{Name: "tensor", CPU: cpu})
		if err != nil {
			t.Fatal(err)
		}
		var measured, modelled units.Energy
		for _, a := range r.Agreements() {
			t.Logf("%s: %s measured %.1f mJ, modelled %.1f mJ", test.what, a.Name, float64(a.Measured)/1e6, float64(a.Modelled)/1e6)
			measured += a.Measured
			modelled += a.Modelled
		}
		if measured != 452404000 {
			t.Errorf("the rails measured %d nJ, want 452404000", measured)
		}
		if modelled < test.least || modelled > test.most {
			t.Errorf("%s: modelled %d nJ, want %d to %d", test.what, modelled, test.least, test.most)
		}
	}
}

// TestRealTotal charges the real trace. The accounts must add up to the energy that the rails
// measured, plus the modelled energy outside of their readings.
func TestRealTotal(t *testing.T) {
	f := api32(t)
	d := &model.Device{Name: "tensor", CPU: wattson(t, "Tensor")}
	r, err := energy.ReadRails(t.Context(), f, d)
	if err != nil {
		t.Fatal(err)
	}
	measured := energy.Measure(f)
	rec := energy.Meter(energy.Frequency(measured, r), energy.Options{CPU: 444_000, Device: d, Rails: r})
	tree, tr, err := cct.Build(t.Context(), rec, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tr.Energy != trace.Scaled {
		t.Errorf("energy is %v", tr.Energy)
	}
	outside := units.Energy(0)
	for _, a := range r.Agreements() {
		if a.Charged+a.Rest != a.Measured {
			t.Errorf("%s: charged %d, rest %d, measured %d", a.Name, a.Charged, a.Rest, a.Measured)
		}
		outside += a.Outside
	}
	want, by := energy.Total(measured.Tracks())
	got := tree.Energy.Total() - outside
	t.Logf("%d rails measured %d nJ; the accounts have %d nJ, and %d nJ outside of the readings", len(by), want, got, outside)
	if got != want {
		t.Errorf("accounts have %d nJ, rails measured %d", got, want)
	}
	if err := tracetest.Check(context.Background(), rec); err != nil {
		t.Error(err)
	}
}

// TestRealBound charges the real trace by processor time, with a model without operating
// points: the energy of the app is at most the energy that the clusters' rails measured.
func TestRealBound(t *testing.T) {
	f := api32(t)
	d, err := model.Ready("lte")
	if err != nil {
		t.Fatal(err)
	}
	r, err := energy.ReadRails(t.Context(), f, d)
	if err != nil {
		t.Fatal(err)
	}
	measured := energy.Measure(f)
	tree, tr, err := cct.Build(t.Context(), energy.Meter(energy.Frequency(measured, r), energy.Options{CPU: 444_000, Device: d, Rails: r}), cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	total := func(a trace.AccountID) units.Energy {
		return tree.Column(cct.Key{Quantity: cct.Energy, Account: a}).Total()
	}
	want, _ := energy.Total(measured.Tracks())
	if got, alone := r.Accounted(tr.Accounts, total); got != want || alone != 0 || tree.Energy.Total() != want {
		t.Errorf("accounts have %d nJ and %d beside, rails measured %d", got, alone, want)
	}
	cpu := r.Agreements()[0]
	if cpu.Measured != 452_404_000 || cpu.Charged != total(0) || cpu.Charged+cpu.Rest != cpu.Measured || cpu.Charged == 0 {
		t.Errorf("processor: %+v, and its use %d nJ", cpu, total(0))
	}
}
