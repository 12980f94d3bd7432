// Package fit fits a power model to runs on a measured device.
//
// Between two readings, the energy of a processor cluster has two parts: that of running cores, and
// that of idle cores and of the power that the cores share. Each part gets a factor. If the
// readings cannot separate the parts, both get the same factor. The factors minimize the sum of
// squared errors.
//
// A few readings cannot determine the powers of dozens of operating points. The ratios of these
// powers therefore stay unchanged.
package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Cluster compares the modelled energy of a processor cluster with its measured energy, before
// and after fitting.
type Cluster struct {
	Name string
	// Spans counts the intervals between two readings, in all runs.
	Spans int
	// Measured is the sum of the readings. Before and After are the modelled energies.
	Measured, Before, After units.Energy
	// OffBefore and OffAfter are the root mean square error over the spans, divided by the root
	// mean square of the measured energies.
	OffBefore, OffAfter float64
	// Active is the factor of running cores. Idle is the factor of idle cores and shared
	// power.
	Active, Idle float64
	// Refused explains why the cluster was not fitted. It is empty if the cluster was fitted.
	Refused string
}

// most bounds the fitted factors.
const most = 4.0

// minSpans is the minimum number of spans for fitting two factors.
const minSpans = 4

// A sample has the measured energy of a span and the two parts of its modelled energy, in nJ.
type sample struct{ measured, active, idle float64 }

// Processor returns a copy of a device whose processor is fitted to runs. It also returns a
// comparison with the measured energy for each cluster. If it cannot fit any cluster, it returns an
// error.
func Processor(ctx context.Context, runs []trace.Recording, d *model.Device) (*model.Device, []Cluster, error) {
	if d.CPU == nil {
		return nil, nil, fmt.Errorf("the power model %s has no operating points of a processor to fit", d.Name)
	}
	samples := make([][]sample, len(d.CPU.Clusters))
	twice := scaled(d, func(int) (float64, float64) { return 2, 1 })
	for _, run := range runs {
		once, err := energy.ReadRails(ctx, run, d)
		if err != nil {
			return nil, nil, err
		}
		// The runs are modelled a second time, with doubled active powers. The increase in energy
		// is the energy of running cores.
		more, err := energy.ReadRails(ctx, run, twice)
		if err != nil {
			return nil, nil, err
		}
		doubled := more.Clusters()
		for i, spans := range once.Clusters() {
			for j, s := range spans {
				if s.End <= s.Begin || j >= len(doubled[i]) {
					continue
				}
				active := float64(doubled[i][j].Modelled - s.Modelled)
				samples[i] = append(samples[i], sample{float64(s.Measured), active, float64(s.Modelled) - active})
			}
		}
	}
	out := make([]Cluster, len(samples))
	fitted := 0
	for i, list := range samples {
		if out[i] = cluster(d.CPU.Clusters[i].Name, list); out[i].Refused == "" {
			fitted++
		}
	}
	if fitted == 0 {
		return nil, nil, fmt.Errorf("cannot fit the processor of %s: %s: %s", d.Name, out[0].Name, out[0].Refused)
	}
	made := scaled(d, func(i int) (float64, float64) { return out[i].Active, out[i].Idle })
	for i := range made.CPU.Clusters {
		if c := &made.CPU.Clusters[i]; out[i].Refused == "" {
			if c.Source == "" {
				c.Source = made.CPU.Source
			}
			c.Source += fmt.Sprintf("; fitted to %d intervals between readings: active times %.3g, idle and shared times %.3g", out[i].Spans, out[i].Active, out[i].Idle)
		}
	}
	return made, out, nil
}

// scaled returns a copy of a device with scaled clusters. factors returns two factors for a
// cluster: one for active cores, and one for idle cores and shared power.
func scaled(d *model.Device, factors func(cluster int) (active, idle float64)) *model.Device {
	out, cpu := *d, *d.CPU
	cpu.Clusters = slices.Clone(cpu.Clusters)
	for i := range cpu.Clusters {
		c := &cpu.Clusters[i]
		active, idle := factors(i)
		c.Points = slices.Clone(c.Points)
		for j := range c.Points {
			p := &c.Points[j]
			p.Active, p.Shared = times(p.Active, active), times(p.Shared, idle)
			p.Idle = slices.Clone(p.Idle)
			for k := range p.Idle {
				p.Idle[k] = times(p.Idle[k], idle)
			}
		}
	}
	out.CPU = &cpu
	return &out
}

func times(p units.Power, factor float64) units.Power {
	return units.Power(math.Round(float64(p) * factor))
}

// cluster fits the two factors of a cluster.
func cluster(name string, samples []sample) Cluster {
	c := Cluster{Name: name, Spans: len(samples), Active: 1, Idle: 1}
	// aa, ab, bb, am and bm are sums of products. a is the energy of running cores, b is the energy
	// of idle cores and shared power, and m is the measured energy.
	var aa, ab, bb, am, bm, mm float64
	for _, s := range samples {
		aa, ab, bb = aa+s.active*s.active, ab+s.active*s.idle, bb+s.idle*s.idle
		am, bm, mm = am+s.active*s.measured, bm+s.idle*s.measured, mm+s.measured*s.measured
		c.Measured += units.Energy(s.measured)
		c.Before += units.Energy(s.active + s.idle)
	}
	off := func(active, idle float64) float64 {
		sum := 0.0
		for _, s := range samples {
			r := s.measured - active*s.active - idle*s.idle
			sum += r * r
		}
		return sum
	}
	switch {
	case len(samples) == 0:
		c.Refused = "nothing measured it, or the run has no switches and frequencies"
	case len(samples) < minSpans:
		c.Refused = fmt.Sprintf("%d intervals between readings are too few; it takes %d", len(samples), minSpans)
	case mm == 0:
		c.Refused = "its meter measured no energy"
	case aa+2*ab+bb == 0:
		c.Refused = "the model expects no energy for it"
	}
	if c.Refused != "" {
		return c
	}
	c.OffBefore = math.Sqrt(off(1, 1) / mm)
	one := (am + bm) / (aa + 2*ab + bb)
	if one < 1/most || one > most {
		c.Refused = fmt.Sprintf("the modelled energy is %.3g times the measured energy; the model is for another device", 1/one)
		return c
	}
	c.Active, c.Idle = one, one
	// Two factors are used if they are plausible and clearly improve the model. With few readings,
	// implausible factors may fit by chance.
	const apart = 1e-3
	if det := aa*bb - ab*ab; det > apart*aa*bb {
		active, idle := (am*bb-bm*ab)/det, (bm*aa-am*ab)/det
		likely := min(active, idle) >= 1/most && max(active, idle) <= most
		if likely && off(active, idle) < off(one, one)/2 {
			c.Active, c.Idle = active, idle
		}
	}
	c.OffAfter = math.Sqrt(off(c.Active, c.Idle) / mm)
	for _, s := range samples {
		c.After += units.Energy(c.Active*s.active + c.Idle*s.idle)
	}
	return c
}
