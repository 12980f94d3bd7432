package energy

import (
	"math/big"
	"testing"

	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestSeriesIsBounded adds more readings of a constant power than a series stores. The energy between
// any two moments must not change.
func TestSeriesIsBounded(t *testing.T) {
	for _, n := range []int64{1, 2, 100, maxReadings, maxReadings + 1, maxReadings + 2, 2*maxReadings + 5, 3*maxReadings - 1} {
		var s series
		for i := range n {
			s.add(reading{time: 1000 + 10*i, drained: 7 + 30*i})
		}
		s.finish()
		if len(s.readings) > maxReadings+1 || int64(len(s.readings)) < min(n, maxReadings/2) {
			t.Errorf("%d readings are stored as %d", n, len(s.readings))
		}
		if want := units.Energy(30 * (n - 1)); s.energy() != want {
			t.Errorf("%d readings have %d nJ, want %d", n, s.energy(), want)
		}
		for _, at := range []int64{0, 1, n / 3, n/2 + 1, n - 2, n - 1} {
			if at = min(max(at, 0), n-1); s.drained(1000+10*at) != 30*at {
				t.Errorf("%d readings: %d nJ up to reading %d, want %d", n, s.drained(1000+10*at), at, 30*at)
			}
		}
		if s.drained(-5) != 0 || s.drained(1<<60) != 30*(n-1) {
			t.Errorf("%d readings: %d nJ before, %d in all", n, s.drained(-5), s.drained(1<<60))
		}
	}
}

// TestSeriesNeverFalls adds readings that fall, as after a reset of a meter. Between readings, the
// energy is interpolated.
func TestSeriesNeverFalls(t *testing.T) {
	var s series
	for _, r := range []reading{{0, 100}, {10, 140}, {20, 20}, {30, 150}} {
		s.add(r)
	}
	s.finish()
	for at, want := range map[int64]int64{-1: 0, 0: 0, 5: 20, 10: 40, 15: 40, 20: 40, 25: 45, 30: 50, 31: 50} {
		if got := s.drained(at); got != want {
			t.Errorf("%d nJ up to %d, want %d", got, at, want)
		}
	}
	r := newRail("both", false, []*series{&s, {readings: []reading{{5, 0}, {30, 25}}, last: reading{30, 25}}})
	var sum units.Energy
	for i, p := range r.spans {
		if p.begin >= p.end || i > 0 && p.begin != r.spans[i-1].end {
			t.Errorf("span %d is %+v", i, p)
		}
		sum += p.measured
	}
	if len(r.spans) != 4 || sum != 75 || r.spans[0].measured != 20 || r.spans[1].measured != 25 {
		t.Errorf("two tracks have the spans %+v", r.spans)
	}
}

// TestSpentIsExact adds energies and compares their sum with big integers.
func TestSpentIsExact(t *testing.T) {
	var s spent
	var sum, whole uint64
	for _, c := range []struct {
		power units.Power
		ns    int64
	}{{1, 1}, {1, 998}, {1, 1}, {999, 999}, {0, 1 << 60}, {1_000_000, 1_000_000_000}, {7, 3}} {
		sum += uint64(c.power) * uint64(c.ns)
		whole += s.add(c.power, c.ns)
		if s.whole != sum/1000 || whole != sum/1000 || s.rest != sum%1000 {
			t.Errorf("after %d µW for %d ns: %d pJ (%d) and %d, want %d", c.power, c.ns, s.whole, whole, s.rest, sum)
		}
	}
	// A kilowatt for centuries does not fit into 64 bits of µW·ns.
	got := new(big.Int).SetUint64(new(spent).add(1_000_000_000, 1<<36))
	if want := new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1_000_000_000), 36), big.NewInt(1000)); got.Cmp(want) != 0 {
		t.Errorf("a large energy is %v pJ, want %v", got, want)
	}
}

// TestMarksOfTheRecording makes marks with the same number again. The number of the older owner is
// reused.
func TestMarksOfTheRecording(t *testing.T) {
	var o owners
	first := o.mark(2, 5, bundle.Unknown)
	for own, want := range map[trace.Ref]int32{2: first, 0: nobody, 1: nobody, 3: nobody, -1: nobody, 99: nobody} {
		if got := o.marked(own); got != want {
			t.Errorf("mark %d has the owner %d, want %d", own, got, want)
		}
	}
	if w := o.list[first]; w.thread != 5 || w.part != -1 || w.mark != first || w.stack != trace.NoStack && w.stack != 0 {
		t.Errorf("the owner is %+v", w)
	}
	for range 100 {
		o.mark(2, 6, bundle.Unknown)
	}
	if len(o.list) > 2 || o.list[o.marked(2)].thread != 6 {
		t.Errorf("there are %d owners, and the mark has %+v", len(o.list), o.list[o.marked(2)])
	}
	// An owner to which a component still charges keeps its number.
	kept := o.marked(2)
	asked := o.asked(kept, 1)
	if next := o.mark(2, 7, bundle.Unknown); next == kept || o.list[asked].mark != kept || o.list[asked].thread != 6 {
		t.Errorf("the mark gets the number %d of an owner in use", next)
	}
	o.drop(kept)
	if n, _ := o.take(); n != kept {
		t.Errorf("the number %d is not reused, but %d", kept, n)
	}
}

// TestOwnersOfStacks asks for owners of equal and of different stacks and components.
func TestOwnersOfStacks(t *testing.T) {
	var o owners
	none := func() bundle.Context { return bundle.Unknown }
	a := o.stack(3, 1, 0, none)
	if b := o.stack(3, 1, 0, none); a != b {
		t.Errorf("one stack has the owners %d and %d", a, b)
	}
	if b, c := o.stack(3, 1, 1, none), o.stack(4, 1, 0, none); b == a || c == a || b == c {
		t.Errorf("different stacks have the owners %d, %d and %d", a, b, c)
	}
	if w := o.list[a]; w.mark != nobody || w.stack != 3 || w.thread != 1 || w.uses != 1 {
		t.Errorf("the owner is %+v", w)
	}
}
