package metered

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// sure returns a close row of a method: its interval is 2 % wide on both sides.
func sure(method string, line int, e units.Energy, executions int64) Row {
	return Row{Method: name.OfClass("p.A", method, "()V"), Line: line, Energy: e, Least: e - e/50, Most: e + e/50, Executions: executions, Paths: 1, Close: true, width: 0.01}
}

// resulting returns a result with these lines. The other lines ran, but have no rows.
func resulting(rows []Row, others ...Row) *Result {
	r := &Result{Grade: Lines, Rows: rows, ran: others}
	for _, row := range rows {
		row.Line = 0
		r.Methods = append(r.Methods, row)
	}
	return r
}

// shown writes the pairs of a comparison.
func shown(c *Comparison) string {
	var b strings.Builder
	line := func(r *Row) string {
		if r == nil {
			return "none"
		}
		return fmt.Sprintf("%s:%d", r.Method.Name, r.Line)
	}
	for _, p := range c.Pairs {
		fmt.Fprintf(&b, "%s and %s: %d, %s, each %s, often %d\n", line(p.Subject), line(p.Reference), p.Saving, verdict(p.Estimate.Verdict), verdict(p.Each), p.CompareExecutions())
	}
	fmt.Fprintf(&b, "%d open\n", c.Open)
	return b.String()
}

func verdict(v repeats.Verdict) string {
	return map[repeats.Verdict]string{repeats.NoEvidence: "unclear", repeats.Costlier: "costlier", repeats.Cheaper: "cheaper"}[v]
}

// TestComparePairsLines pairs the lines of two runs. Most lines are equal, so that no factor is
// common to all.
func TestComparePairsLines(t *testing.T) {
	var same []Row
	for i := range 30 {
		same = append(same, sure("same", 100+i, 1000, 50))
	}
	with := func(rows ...Row) []Row { return append(rows, same...) }
	vague := sure("vague", 5, 4000, 50)
	vague.Close = false
	here := resulting(with(sure("a", 1, 40_000, 100), sure("b", 2, 10_000, 400), sure("c", 3, 20_000, 100), sure("only", 4, 7000, 10), vague, sure("moved", 9, 3000, 50), sure("gone", 8, 600, 5)), sure("d", 6, 0, 3))
	there := resulting(with(sure("a", 1, 10_000, 100), sure("b", 2, 5000, 200), sure("c", 3, 40_000, 200), sure("d", 6, 5000, 9), vague, sure("moved", 7, 3000, 50)), sure("gone", 8, 0, 4))
	moved := func(r *Row) int {
		if r.Line == 7 {
			return 9
		}
		return r.Line
	}
	got := shown(Compare(here, there, false, moved))
	lines := strings.SplitAfter(got, "\n")
	got = strings.Join(append(lines[:5:5], lines[len(lines)-2]), "")
	const want = `a:1 and a:1: 30000, costlier, each costlier, often 0
c:3 and c:3: -20000, cheaper, each unclear, often -1
only:4 and none: 7000, costlier, each unclear, often 0
b:2 and b:2: 5000, costlier, each unclear, often 1
moved:9 and moved:7: 0, unclear, each unclear, often 0
3 open
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if all := shown(Compare(here, there, false, moved)); !strings.Contains(all, "moved:9 and moved:7: 0, unclear, each unclear, often 0\n") || strings.Contains(all, "vague") || strings.Contains(all, "gone") || strings.Contains(all, "d:6") {
		t.Errorf("got\n%s", all)
	}
	if all := shown(Compare(here, there, false, nil)); !strings.Contains(all, "moved:9 and none: 3000, ") || !strings.Contains(all, "none and moved:7: -3000, ") {
		t.Errorf("without moved lines:\n%s", all)
	}
	if all := shown(Compare(here, there, true, nil)); !strings.Contains(all, "moved:0 and moved:0: 0, unclear") || !strings.HasPrefix(all, "a:0 and a:0: 30000, costlier, each costlier, often 0\n") {
		t.Errorf("by method:\n%s", all)
	}
	lost := func(*Row) int { return 0 }
	if all := shown(Compare(resulting([]Row{sure("a", 1, 10, 1)}), resulting([]Row{sure("a", 1, 10, 1), sure("a", 2, 20, 1)}), false, lost)); strings.Count(all, "and none") != 1 || strings.Count(all, "none and") != 2 {
		t.Errorf("without lines of the reference:\n%s", all)
	}
	twice := func(*Row) int { return 1 }
	if all := shown(Compare(resulting([]Row{sure("a", 1, 10, 1)}), resulting([]Row{sure("a", 1, 10, 1), sure("a", 2, 20, 1)}), false, twice)); !strings.Contains(all, "a:1 and a:1: 0") || !strings.Contains(all, "none and a:2: -20") {
		t.Errorf("two lines became one:\n%s", all)
	}
}

// TestGatherRows adds up the rows of one place.
func TestGatherRows(t *testing.T) {
	a, b, c := sure("a", 1, 1000, 5), sure("b", 1, 500, 7), sure("c", 2, 10, 1)
	b.Close, a.Bound, b.Bound = false, true, true
	c.Bound = true
	r := &Result{Rows: []Row{a, b, c, sure("d", 9, 1, 1)}}
	got := Gather(r, func(r *Row) (int, bool) { return r.Line, r.Line < 9 })
	if len(got) != 2 {
		t.Fatalf("%d places", len(got))
	}
	one := got[1]
	if one.Method != a.Method || one.Energy != 1500 || one.Least != 980+490 || one.Most != 1020+510 || one.Executions != 7 || one.Paths != 2 || one.Close || !one.Bound {
		t.Errorf("the sum is %+v", one)
	}
	if two := got[2]; *two != c || r.Rows[0] != a {
		t.Errorf("a single row is %+v", two)
	}
	if each := one.Each(21); each != 3 {
		t.Errorf("one of 7 executions has %v of 21", each)
	}
	if each := (&Row{}).Each(21); each != 0 {
		t.Errorf("no execution has %v", each)
	}
}

// TestShownRows checks which figures are exact enough.
func TestShownRows(t *testing.T) {
	row := sure("a", 1, 10, 1)
	vague := row
	vague.Close = false
	for _, c := range []struct {
		r     Result
		close bool
		vague bool
	}{{Result{Grade: Lines}, true, false}, {Result{Grade: Methods}, true, false}, {Result{Grade: Nothing}, false, false}, {Result{Method: printedMethod}, true, true}} {
		if c.r.Shown(&row) != c.close || c.r.Shown(&vague) != c.vague {
			t.Errorf("%+v shows %v and %v", c.r, c.r.Shown(&row), c.r.Shown(&vague))
		}
	}
}
