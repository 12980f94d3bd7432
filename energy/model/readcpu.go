package model

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/units"
)

// maxCores is more than the cores of any device. Policy 255 is the shared clock.
const maxCores = 256

func readCPU(v table.Value, volts units.Voltage) *CPU {
	cpu := &CPU{Line: v.Line()}
	v.Object(map[string]func(table.Value){
		"source": sentence(&cpu.Source),
		"base":   power(&cpu.Base, volts),
		"clusters": func(v table.Value) {
			for name, value := range v.Entries() {
				cpu.Clusters = append(cpu.Clusters, readCluster(value, name, volts))
			}
		},
	})
	if len(cpu.Clusters) == 0 {
		v.Fail("the cpu has no clusters")
	}
	owner := map[int]string{}
	for _, c := range cpu.Clusters {
		for _, core := range c.Cores {
			if other, taken := owner[core]; taken {
				v.Fail("core %d is in %s and in %s", core, other, c.Name)
			}
			owner[core] = c.Name
		}
	}
	return cpu
}

// power returns a function that reads a power or a current.
func power(to *units.Power, volts units.Voltage) func(table.Value) {
	plain := quantity{name: powerQuantity.name, most: powerQuantity.most}
	return func(v table.Value) {
		if n, ok := plain.sum(v, powers(volts)); ok {
			*to = units.Power(n[fixed])
		}
	}
}

func readCluster(v table.Value, name string, volts units.Voltage) Cluster {
	c := Cluster{Name: name, Line: v.Line()}
	var points []table.Value
	before := v.Problems()
	v.Object(map[string]func(table.Value){
		"source": sentence(&c.Source),
		"rails":  func(v table.Value) { c.Rails = readPatterns(v) },
		"wake": func(v table.Value) {
			for _, value := range v.List() {
				if n, ok := timeQuantity.sum(value, times); ok {
					c.Wake = append(c.Wake, n[fixed])
				}
			}
		},
		"cores": func(v table.Value) {
			for _, value := range v.List() {
				if n, ok := readNumber(value); ok {
					c.Cores = append(c.Cores, n)
				}
			}
		},
		"points": func(v table.Value) {
			for _, value := range v.List() {
				c.Points = append(c.Points, readPoint(value, volts))
				points = append(points, value)
			}
		},
	})
	switch {
	case v.Problems() > before:
		return c
	case len(c.Cores) == 0:
		v.Fail("the cluster has no cores, such as cores: [0, 1, 2, 3]")
	case len(c.Points) == 0:
		v.Fail("the cluster has no points, such as {frequency: 300 MHz, active: 30 mW}")
	case len(c.Wake) == 1:
		c.Wake = slices.Repeat(c.Wake, len(c.Cores))
	case len(c.Wake) > 0 && len(c.Wake) != len(c.Cores):
		v.Fail("wake has %d times for %d cores: give one time, or one for each core", len(c.Wake), len(c.Cores))
	}
	for i := range c.Points {
		if c.Points[i].DepPolicy >= 0 != (c.Points[0].DepPolicy >= 0) {
			points[i].Fail("either all points of a cluster depend on another clock, or none does")
		}
	}
	slices.SortStableFunc(c.Points, comparePoints)
	for i := 1; i < len(c.Points); i++ {
		if comparePoints(c.Points[i-1], c.Points[i]) == 0 {
			v.Fail("the cluster has two points for %v, on lines %d and %d",
				c.Points[i].Frequency, c.Points[i-1].Line, c.Points[i].Line)
		}
	}
	return c
}

// comparePoints compares points in the order of Cluster.Points.
func comparePoints(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Frequency, b.Frequency), cmp.Compare(a.DepPolicy, b.DepPolicy), cmp.Compare(a.DepFrequency, b.DepFrequency))
}

// readNumber reads the number of a core or a policy.
func readNumber(v table.Value) (int, bool) {
	text, ok := v.Text()
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= maxCores {
		v.Fail("%q is not a number from 0 to %d", text, maxCores-1)
		return 0, false
	}
	return n, true
}

func readPoint(v table.Value, volts units.Voltage) Point {
	p := Point{DepPolicy: -1, Line: v.Line()}
	frequency := func(to *units.Frequency) func(table.Value) {
		return func(v table.Value) {
			if n, ok := frequencyQuantity.sum(v, hertz); ok {
				*to = units.Frequency(n[fixed])
			}
		}
	}
	given := map[string]bool{}
	note := func(key string, read func(table.Value)) func(table.Value) {
		return func(v table.Value) { given[key] = true; read(v) }
	}
	v.Object(map[string]func(table.Value){
		"frequency": note("frequency", frequency(&p.Frequency)),
		"active":    note("active", power(&p.Active, volts)),
		"shared":    power(&p.Shared, volts),
		"idle": func(v table.Value) {
			for _, value := range v.List() {
				var idle units.Power
				power(&idle, volts)(value)
				p.Idle = append(p.Idle, idle)
			}
		},
		"beside": note("beside", func(v table.Value) {
			if n, ok := readNumber(v); ok {
				p.DepPolicy = n
			}
		}),
		"with": note("with", frequency(&p.DepFrequency)),
	})
	switch {
	case !given["frequency"] || !given["active"]:
		v.Fail("a point has a frequency and what a core draws while it is active")
	case given["beside"] != given["with"]:
		v.Fail("a point that depends on another policy needs both beside, the policy, and with, its frequency")
	}
	return p
}
