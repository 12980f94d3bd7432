package words

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestDigits formats figures around each limit at which their form changes.
func TestDigits(t *testing.T) {
	for c, want := range map[units.Charge]string{
		0: "0", units.MilliampereHour / 1001: "<0.001", units.MilliampereHour / 1000: "0.001", units.MilliampereHour / 2: "0.500",
		units.MilliampereHour: "1.00", 9 * units.MilliampereHour: "9.00", 10 * units.MilliampereHour: "10.0", 99 * units.MilliampereHour: "99.0", 100 * units.MilliampereHour: "100", 2345 * units.MilliampereHour: "2345",
	} {
		if got := MilliampereHours(c); got != want {
			t.Errorf("%v mAh are %s, want %s", float64(c)/float64(units.MilliampereHour), got, want)
		}
	}
	for x, want := range map[float64]string{0: "0", 1e-13: "0", 0.123: "0.12", -0.123: "-0.12", 9.96: "10", 9.94: "9.9", 10: "10", 12: "12", 99.4: "99", 123: "120", -1234: "-1200"} {
		if got := TwoDigits(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	for growth, want := range map[float64]string{9: "×10", 8.99: "+899.0%", 20: "×21", 0.321: "+32.1%", 0: "0.0%", -0.25: "-25.0%"} {
		if got := signed(growth); got != want {
			t.Errorf("%v is %s, want %s", growth, got, want)
		}
	}
	for p, want := range map[float64]string{0.05: "5.0%", 0.0005: Percent(0.0005), 0.0004: "0.04%", 0: Percent(0)} {
		if got := chance(p); got != want {
			t.Errorf("a chance of %v is %s, want %s", p, got, want)
		}
	}
	for share, want := range map[float64]string{0.094: "9.4%", 0.5: "50%", 0.001: "0.1%"} {
		if got := approximately(share); got != want {
			t.Errorf("about %v is %s, want %s", share, got, want)
		}
	}
	for ns, want := range map[int64]string{999: "999ns", 1500: "1.5µs", 12_345: "12.3µs", 999_499: "999µs", 1_234_567: "1.23ms", 59_940_000_000: "59.9s", 100_000_000_000: "1m40s", 3_600_000_000_000: "1h0m0s"} {
		if got := shortTime(ns); got != want {
			t.Errorf("%d ns are %s, want %s", ns, got, want)
		}
	}
	for minutes, want := range map[float64]bool{119.9: false, 120: true, 500: true} {
		if got := InHours(minutes); got != want {
			t.Errorf("%v minutes are in hours: %v", minutes, got)
		}
	}
	for share, want := range map[float64]int{0: 1, -1: 1, math.NaN(): 1, 1: Heats, 0.1001: Heats, 0.05: Heats - 1, 1e-9: 1} {
		if got := Heat(share); got != want {
			t.Errorf("the heat of %v is %d, want %d", share, got, want)
		}
	}
	if got := compared(1000, 1000) + compared(1000, 0) + compared(10_004, 10_000); got != "" {
		t.Errorf("amounts that look equal are compared: %s", got)
	}
	if got := compared(1020, 1000); got != " (+2.0%)" {
		t.Errorf("2 %% more is %q", got)
	}
}

// TestSignedAmounts formats changes and estimates in both directions. All figures of one text have
// the unit that suits the largest.
func TestSignedAmounts(t *testing.T) {
	scale := ScalePerFigure(nil, 0)
	for _, c := range []struct {
		difference, least, most units.Energy
		growth                  float64
		want                    string
	}{
		{4 * mJ, 3 * mJ, 5 * mJ, 0.5, "4.00 mJ more (3.00 to 5.00), +50.0%"},
		{-4 * mJ, -5 * mJ, -3 * mJ, -0.5, "4.00 mJ less (3.00 to 5.00), -50.0%"},
		{-4000 * mJ, -5000 * mJ, -3000 * mJ, -0.5, "4.00 J less (3.00 to 5.00), -50.0%"},
	} {
		if got := LastingChange(c.difference, &c.least, &c.most, &c.growth, scale); got != c.want {
			t.Errorf("%+v is %q", c, got)
		}
	}
	if got := LastingChange(4*mJ, nil, nil, nil, scale); got != "4.00 mJ more" {
		t.Errorf("without an interval: %q", got)
	}
	u, err := units.ParseUnit("uJ")
	if err != nil {
		t.Fatal(err)
	}
	if got := LastingChange(4*mJ, nil, nil, nil, ScalePerFigure(&u, 0)); !strings.HasPrefix(got, "4,000") && !strings.HasPrefix(got, "4000") {
		t.Errorf("in µJ: %q", got)
	}
	one := func(largest units.Energy) Scale { return ScaleFor(nil, 0, largest) }
	for _, c := range []struct{ saving, least, most, largest units.Energy }{
		{4 * mJ, 3 * mJ, 5 * mJ, 5 * mJ}, {-4000 * mJ, -5000 * mJ, -3000 * mJ, 5000 * mJ}, {mJ, -5000 * mJ, 2 * mJ, 5000 * mJ}, {-7000 * mJ, -6 * mJ, -5 * mJ, 7000 * mJ},
		{1, 2, -9000 * mJ, 9000 * mJ},
	} {
		s := one(c.largest)
		want := s.Energy(c.saving) + " (" + s.Amount(c.least) + " to " + s.Amount(c.most) + "), costs more"
		if got := Estimate(c.saving, c.least, c.most, "costlier", scale); got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
	for _, c := range []struct {
		saving  units.Energy
		in      finding.Interval
		largest units.Energy
	}{
		{4 * mJ, finding.Interval{Least: 3 * mJ, Most: 5 * mJ}, 5 * mJ}, {4 * mJ, finding.Interval{Least: 4 * mJ, Most: 5 * mJ}, 5 * mJ},
		{4 * mJ, finding.Interval{Least: 3 * mJ, Most: 5000 * mJ}, 5000 * mJ}, {-4000 * mJ, finding.Interval{Least: -4001 * mJ, Most: -mJ}, 4000 * mJ},
		{1, finding.Interval{Least: -9, Most: -9000 * mJ}, 9000 * mJ},
	} {
		s := one(c.largest)
		if got, want := Interval(c.saving, c.in, scale), s.Energy(c.saving)+" ("+s.Amount(c.in.Least)+" to "+s.Amount(c.in.Most)+")"; got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
	if got := Interval(4*mJ, finding.Interval{Least: 4 * mJ, Most: 4 * mJ}, scale); got != "4.00 mJ" {
		t.Errorf("equal ends are %q", got)
	}
	least := 3 * mJ
	for most, want := range map[units.Energy]string{3 * mJ: "3.00 mJ", 2 * mJ: "2.00 mJ", 4 * mJ: "3.00 to 4.00 mJ", 4000 * mJ: "3.00 mJ to 4.00 J"} {
		if got := scale.Range(&least, most); got != want {
			t.Errorf("3 mJ to %d nJ is %q, want %q", most, got, want)
		}
	}
}

// TestSinceWhen describes a method that is new, and a method that costs more.
func TestSinceWhen(t *testing.T) {
	scale := ScalePerFigure(nil, 0)
	c := &trend.LastChange{Name: "abc", First: "abc", Last: "abd"}
	c.Difference, c.Interval.Least, c.Interval.Most = 4e6, 3e6, 5e6
	if got := SinceBrief(c); got != "since abc: new" {
		t.Errorf("a new method: %q", got)
	}
	if got := SinceFull(c, scale); !strings.Contains(got, "4.00 mJ more (3.00 to 5.00), since abc (or ") || strings.Contains(got, "+") {
		t.Errorf("a new method: %q", got)
	}
	c.Before, c.Interval.Most = 8e6, math.Inf(1)
	if got := SinceBrief(c); got != "since abc: +50.0%" {
		t.Errorf("half more: %q", got)
	}
	if got := SinceFull(c, scale); !strings.Contains(got, "4.00 mJ more, +50.0%, since abc") {
		t.Errorf("half more: %q", got)
	}
}

// TestPackagesOfOwnCode lists packages in little space, and states how many it leaves out.
func TestPackagesOfOwnCode(t *testing.T) {
	all := []string{"com.a.x", "com.a.y", "net.b", "org.c"}
	for room, want := range map[int]string{100: "com.a.*, net.b, org.c", 30: "com.a.*, net.b, org.c", 20: "com.a.*, +2 more", 5: "com.a.*, +2 more"} {
		if got := OwnCode(all, false, room); got != want {
			t.Errorf("in %d columns: %q, want %q", room, got, want)
		}
	}
	for want, list := range map[string][]string{"none ran": nil, "(no package)": {""}, "x, y": {"x", "y"}, "a.b.c.*, d": {"a.b.c", "a.b.c.d", "d"}} {
		if got := OwnCode(list, false, 80); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
	for _, c := range []struct{ by, same []string }{{[]string{"manifest", "trace"}, []string{"manifest"}}, {[]string{"setting", "trace"}, []string{"setting"}}} {
		if got, want := OwnCodeBy(c.by), OwnCodeBy(c.same); got != want {
			t.Errorf("%q: %q, want %q", c.by, got, want)
		}
	}
	if OwnCodeBy([]string{"trace"}) == OwnCodeBy([]string{"manifest"}) || OwnCodeBy(nil) != "" {
		t.Errorf("the trace alone: %q", OwnCodeBy([]string{"trace"}))
	}
}

// TestTicksOfAnAxis checks that ticks cover a range at equal distances.
func TestTicksOfAnAxis(t *testing.T) {
	scale := ScalePerFigure(nil, 0)
	if got := scale.Ticks(7, 7); len(got) != 1 || got[0] != 7 {
		t.Errorf("one amount has the ticks %v", got)
	}
	for _, c := range [][2]units.Energy{{0, 1}, {0, 8}, {0, 100 * mJ}, {3 * mJ, 17 * mJ}, {900 * mJ, 1100 * mJ}, {0, 7 * 1000 * mJ}, {-5 * mJ, 5 * mJ}} {
		ticks := scale.Ticks(c[0], c[1])
		n := len(ticks)
		if n < 2 || n > 8 || ticks[0] > c[0] || ticks[n-1] < c[1] || ticks[n-2] >= c[1] || ticks[1] <= c[0] {
			t.Errorf("%v has the ticks %v", c, ticks)
			continue
		}
		for i := 2; i < n; i++ {
			if ticks[i]-ticks[i-1] != ticks[1]-ticks[0] {
				t.Errorf("%v has the ticks %v", c, ticks)
			}
		}
	}
}

// TestLongerRecording checks when different lengths of the recordings explain different energies.
func TestLongerRecording(t *testing.T) {
	for _, c := range []struct {
		here, there time.Duration
		factor      float64
		want        bool
	}{
		{2 * time.Second, time.Second, 2, true}, {2 * time.Second, time.Second, 2.2, true}, {2 * time.Second, time.Second, 3, false}, {2 * time.Second, time.Second, 1.5, false},
		{time.Second, time.Second, 1, false}, {time.Second, 2 * time.Second, 0.5, false}, {0, time.Second, 2, false}, {time.Second, 0, 2, false},
	} {
		r := &analysis.Result{Subject: analysis.Input{Trace: &trace.Trace{Elapsed: c.here}}, Reference: analysis.Input{Trace: &trace.Trace{Elapsed: c.there}}}
		if here, there, got := longer(r, c.factor); got != c.want || got && (here != c.here || there != c.there) {
			t.Errorf("%v and %v with a factor of %v: %v", c.here, c.there, c.factor, got)
		}
	}
}

// TestSitesWithCosts states a share only if there are call sites.
func TestSitesWithCosts(t *testing.T) {
	if got := APISites(1, 4); !strings.Contains(got, "1 of 4 call sites") || !strings.Contains(got, "(25.0%)") {
		t.Errorf("1 of 4 is %q", got)
	}
	if got := APISites(0, 0); strings.Contains(got, "%") {
		t.Errorf("no sites are %q", got)
	}
	if got := PathCost(0.05, 1_000_000, 0); strings.Contains(got, "up to") || !strings.Contains(got, "5.0% of the 1ms") {
		t.Errorf("no time outside: %q", got)
	}
	if got := PathCost(0.05, 1_000_000, 2_000); !strings.Contains(got, "up to 2µs") {
		t.Errorf("2 µs outside: %q", got)
	}
}
