package main

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/tools/android"
)

// microsPerMicroampereHour is how many microseconds of processor time use 1 µAh at 120 mA, the
// current in powerProfile: 3600 s / 120,000 µA. Energies are stated as charge, as in the paper.
// Multiplied by 3.7 V, they are the joules that package energy computes.
const microsPerMicroampereHour = 3600.0 / 120e3 * 1e6

// powerProfile has one speed for all cores, so that the processor has only one current, 120 mA.
// This is about the current of one busy core of a Nexus 6, the phone of the paper.
const powerProfile = `<?xml version="1.0" encoding="utf-8"?>
<!-- Made for the generated traces in this folder by tools/cases: their
     processor times times this current come to the figures of the DiffProf paper. -->
<device name="Android">
    <item name="battery.capacity">3220</item>
    <item name="cpu.idle">8</item>
    <array name="cpu.speeds">
        <value>2649600</value>
    </array>
    <array name="cpu.active">
        <value>120</value>
    </array>
</device>
`

// solve counts the calls of root's tree and distributes total µAh among them. exclusive has the
// exclusive energy of some methods over all contexts, by short name.
func solve(root *node, total float64, exclusive map[string]float64) error {
	root.inclusive = total
	if err := root.count(1); err != nil {
		return err
	}
	if _, err := root.share(); err != nil {
		return err
	}
	if len(exclusive) == 0 {
		return nil
	}
	// The energy is distributed twice. In the second distribution, the contexts of a method in
	// exclusive share its stated energy in proportion to the first result.
	stated := make(map[string]float64)
	for name, uAh := range exclusive {
		stated[android.Labels()[name]] = uAh
	}
	sums := make(map[string]int64)
	root.walk(func(n *node) { sums[n.label] += n.selfCPU })
	root.walk(func(n *node) {
		if uAh, ok := stated[n.label]; ok {
			n.self = uAh * float64(n.selfCPU) / float64(sums[n.label])
		}
	})
	_, err := root.share()
	return err
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, kid := range n.kids {
		kid.walk(visit)
	}
}

// count sets the calls of n and of all nodes below. parent is the number of calls of n's caller.
func (n *node) count(parent int) error {
	n.calls = n.fixed()
	if n.calls == 0 {
		n.calls = int(math.Round(n.per * float64(parent)))
	}
	if n.calls == 0 {
		return fmt.Errorf("%s is never called", n.label)
	}
	for _, kid := range n.kids {
		if n.one && kid.fixed() == 0 {
			return fmt.Errorf("%s is one of several, but has no number of calls", kid.label)
		}
		if err := kid.count(n.calls); err != nil {
			return err
		}
	}
	return nil
}

// fixed returns the number of calls of n in the whole run, if it is known: the outline states it,
// or it is the sum of the kids' calls because each call of n runs one kid. Otherwise it returns 0.
func (n *node) fixed() int {
	if n.total > 0 || !n.one && !n.sum {
		return n.total
	}
	sum := 0
	for _, kid := range n.kids {
		sum += kid.fixed()
	}
	return sum
}

// share sets selfCPU of n, whose inclusive energy is stated, and of all nodes below. It returns the
// time of n and of all nodes below, in microseconds.
func (n *node) share() (int64, error) {
	total := micros(n.inclusive)
	rest, weight := total, 0.0
	var open []*node
	var visit func(m *node) error
	visit = func(m *node) error {
		if m != n && m.inclusive >= 0 {
			took, err := m.share()
			rest -= took
			return err
		}
		if m.self >= 0 {
			m.selfCPU = micros(m.self)
			rest -= m.selfCPU
		} else {
			weight += m.weight * float64(m.calls)
			open = append(open, m)
		}
		for _, kid := range m.kids {
			if err := visit(kid); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(n); err != nil {
		return 0, err
	}
	if rest < 0 || rest > 0 && weight == 0 {
		return 0, fmt.Errorf("%s: %.3f µAh stated, %.3f more or less than what is below",
			n.label, n.inclusive, -float64(rest)/microsPerMicroampereHour)
	}
	// Round the running sums and not the parts, so that the parts add up exactly.
	sum, given := 0.0, int64(0)
	for _, m := range open {
		sum += m.weight * float64(m.calls)
		upTo := rest
		if sum < weight {
			upTo = int64(float64(rest) * (sum / weight))
		}
		m.selfCPU = upTo - given
		given = upTo
	}
	return total, nil
}

func micros(uAh float64) int64 { return int64(math.Round(uAh * microsPerMicroampereHour)) }
