package phone

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/units"
)

// This file has the linear models with which eprof compares itself. They fit the power of the
// processor, and of each component while it is busy, to several runs and a meter. The fitted powers
// therefore include a part of the ramps and tails.

// A usage is how much a run uses the processor and each component: busy time, multiplied by the
// state's power, plus the energy of bytes. The accounting policy utilisation charges this amount.
type usage struct {
	run *Run
	// by has the usage of each component for each entity. seconds has the total usage in each
	// second.
	by, seconds map[string][]float64
}

// A linear is a linear model: a factor for the usage of each component.
type linear map[string]float64

// use returns the usage of a run.
func use(t *testing.T, d *model.Device, r *Run) usage {
	t.Helper()
	u := usage{r, map[string][]float64{}, map[string][]float64{}}
	add := func(name string, who, ms int, e float64) {
		if u.by[name] == nil {
			u.by[name], u.seconds[name] = make([]float64, len(r.Entities)), make([]float64, (len(r.Measured)+999)/1000)
		}
		u.by[name][who] += e
		u.seconds[name][min(ms/1000, len(u.seconds[name])-1)] += e
	}
	for at, who := range r.Running {
		if who >= 0 {
			add("cpu", who, at, float64(processor))
		}
	}
	for name, ops := range r.Operations {
		run(t, d.Component(name), machine.Utilisation, r, ops, func(s *machine.Interval) {
			from, steps := int(s.Begin/ms), max(int((s.End-s.Begin)/ms), 1)
			for _, share := range s.Shares {
				for at := range steps {
					add(name, int(share.Owner), from+at, float64(share.Energy)/float64(steps))
				}
			}
		})
	}
	return u
}

// fit returns the linear model that is closest to the meter over the seconds of the runs. It has no
// constant, because the phone at rest uses nothing.
func fit(t *testing.T, runs []usage) linear {
	t.Helper()
	var names []string
	for _, u := range runs {
		for name := range u.by {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var used, measured []float64 // by second, and by name
	for _, u := range runs {
		second := 0
		for part := range slices.Chunk(u.run.Measured, 1000) {
			for _, name := range names {
				x := 0.0
				if seconds := u.seconds[name]; seconds != nil {
					x = seconds[second]
				}
				used = append(used, x)
			}
			sum := units.Energy(0)
			for _, e := range part {
				sum += e
			}
			measured = append(measured, float64(sum))
			second++
		}
	}
	var factors mat.VecDense
	n := len(measured)
	if err := factors.SolveVec(mat.NewDense(n, len(names), used), mat.NewVecDense(n, measured)); err != nil {
		t.Fatal(err)
	}
	m := linear{}
	for i, name := range names {
		m[name] = factors.AtVec(i)
	}
	return m
}

// account charges a run by the model. A component that the fitted runs did not use has the power of
// its states.
func (m linear) account(u usage) estimate {
	e := estimate{by: make([]units.Energy, len(u.run.Entities))}
	for name, by := range u.by {
		factor, known := m[name]
		if !known {
			factor = 1
		}
		for who, x := range by {
			e.by[who] += units.Energy(math.Round(factor * x))
		}
	}
	return e
}

// TestFit fits a model to runs with known factors: the meter measures twice the usage of the
// processor plus three times the usage of the GPS.
func TestFit(t *testing.T) {
	cpu, gps := []float64{1e9, 3e9, 0}, []float64{0, 2e9, 1e9}
	u := usage{run: &Run{}, by: map[string][]float64{"cpu": nil, "gps": nil}, seconds: map[string][]float64{"cpu": cpu, "gps": gps}}
	for i := range cpu {
		u.run.Measured = append(u.run.Measured, slices.Repeat([]units.Energy{units.Energy(2*cpu[i]+3*gps[i]) / 1000}, 1000)...)
	}
	if m := fit(t, []usage{u}); math.Abs(m["cpu"]-2) > 1e-9 || math.Abs(m["gps"]-3) > 1e-9 {
		t.Errorf("the factors are %v, want 2 and 3", m)
	}
}
