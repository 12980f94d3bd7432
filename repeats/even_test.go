package repeats

import "testing"

// TestEven: rows change alike only if nearly all change by about one factor.
func TestEven(t *testing.T) {
	rows := func(ratios ...float64) (list []Once) {
		for i, ratio := range ratios {
			r := float64(10 * (i + 1))
			list = append(list, Once{Subject: Reading{Figure: ratio * r}, Reference: Reading{Figure: r}})
		}
		return list
	}
	for _, c := range []struct {
		rows []Once
		want float64 // 0 for none
	}{
		{rows(1.2, 1.2, 1.2), 1.2}, {rows(1.2, 1.2), 0}, {rows(1, 1, 1, 5), 0}, {rows(0.5, 2, 1.2, 0.8), 0}, {nil, 0},
		{append(rows(1.2, 1.2, 1.2), Once{Subject: Reading{Figure: 9}}), 1.2}, {rows(1, 1, 1), 0},
	} {
		factor, ok := Even(c.rows)
		if ok != (c.want > 0) || ok && !near(factor, c.want, 1e-9) {
			t.Errorf("%v: %v, %v; want %v", c.rows, factor, ok, c.want)
		}
	}
}
