package pairs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet/samples"
)

// dayOf returns a client with samples every ten minutes for some days. Its features are the screen, 1
// or 2, and the network, 1 to 3. The network is 3 in two pairs only.
func dayOf(days int) *samples.Client {
	random := rand.New(rand.NewPCG(4, 2))
	c := samples.NewClient(1, 2)
	level := int32(100)
	for n := range days * 144 {
		if level--; level < 10 {
			level = 100
		}
		network := 1 + uint32(n/20%2)
		if n == 50 {
			network = 3
		}
		c.Add(&samples.Sample{
			Time: 1_700_000_000_000 + int64(n)*600_000, Level: level * samples.Percent, State: samples.Discharging,
			Features: []uint32{1 + random.Uint32N(2), network},
		})
	}
	return c
}

// ends returns the values of a feature at both ends of a pair, the smaller one first.
func ends(c *samples.Client, feature int, p *Pair) [2]uint32 {
	a, b := c.Features[feature][p.From], c.Features[feature][p.To]
	return [2]uint32{min(a, b), max(a, b)}
}

// TestRefine checks the laws of strata. Strata are numbered without gaps. All pairs of a stratum
// have the same state of the screen. The network comes first: a stratum has two networks only if
// one of them has fewer than minStratum pairs.
func TestRefine(t *testing.T) {
	c := dayOf(12)
	w := &Work{Options: Options{Within: []int{0}, Others: []int{1}, Clock: true, Model: -1}}
	w.Load(c)
	sizes := make([]int, w.Strata)
	screens, networks := make([][2]uint32, w.Strata), make([][][2]uint32, w.Strata)
	for i := range w.Pairs {
		p := &w.Pairs[i]
		s, screen := p.Stratum, [2]uint32{c.Features[0][p.From], c.Features[0][p.To]}
		if sizes[s] > 0 && screens[s] != screen {
			t.Fatalf("stratum %d has the screens %v and %v", s, screens[s], screen)
		}
		sizes[s]++
		screens[s] = screen
		if !slices.Contains(networks[s], ends(c, 1, p)) {
			networks[s] = append(networks[s], ends(c, 1, p))
		}
	}
	if slices.Contains(sizes, 0) || w.Strata < 20 {
		t.Errorf("the strata have %v pairs", sizes)
	}
	mixed := 0
	for _, all := range networks {
		if len(all) > 1 {
			mixed++
		}
	}
	// Only the rare values of the network are pooled, once for each screen at both ends.
	if mixed > 4 {
		t.Errorf("%d of %d strata mix networks", mixed, w.Strata)
	}
}

// TestOnlyWithin checks that no other condition divides the strata of Within.
func TestOnlyWithin(t *testing.T) {
	c := dayOf(6)
	load := func(only bool) *Work {
		w := &Work{Options: Options{Within: []int{0}, Others: []int{1}, Clock: true, Model: -1, OnlyWithin: only}}
		w.Load(c)
		return w
	}
	all, only := load(false), load(true)
	if only.Strata != 4 || only.Bases != 4 || all.Bases != 4 || all.Strata < 8 {
		t.Errorf("there are %d strata of %d, and %d of %d", only.Strata, only.Bases, all.Strata, all.Bases)
	}
	for i := range all.Pairs {
		if a, o := all.Pairs[i], only.Pairs[i]; o.Stratum != o.Base || a.Base != o.Base {
			t.Fatalf("pair %d is in the strata %+v and %+v", i, a, o)
		}
	}
}

// TestFactors checks the laws of factors. Each code has a pair. If there are few pairs, there are
// few codes. Coarse ranges come before finer ranges.
func TestFactors(t *testing.T) {
	before := 0
	for _, days := range []int{1, 2, 4, 8, 30} {
		c := dayOf(days)
		w := &Work{Options: Options{Within: []int{0}, Others: []int{1}, Clock: true, Model: -1}}
		w.Load(c)
		factors := w.Factors(c)
		widths := 0
		for n, f := range factors {
			count := make([]int, f.Width)
			for _, code := range f.Codes {
				count[code]++
			}
			rare := 0
			for _, n := range count {
				if n < minStratum {
					rare++
				}
			}
			if slices.Contains(count, 0) || n > 0 && rare > 1 {
				t.Errorf("%d days: the codes of factor %d have %v pairs", days, n, count)
			}
			widths += f.Width - 1
		}
		if widths*pairsOfCode > len(w.Pairs) || widths < before {
			t.Errorf("%d days: %d codes for %d pairs, and %d with fewer days", days, widths, len(w.Pairs), before)
		}
		before = widths
	}
	if before < 24+20+maxDates {
		t.Errorf("a long record has %d codes", before)
	}
}

// TestPhase checks that the first hour after charging has a code of its own.
func TestPhase(t *testing.T) {
	c := samples.NewClient(1, 0)
	for n := range 20 {
		state := samples.Discharging
		if n == 10 {
			state = samples.Charging
		}
		c.Add(&samples.Sample{Time: 1_700_000_000_000 + int64(n)*600_000, Level: int32(90-n) * samples.Percent, State: state})
	}
	w := &Work{Options: Options{Model: -1}}
	w.Load(c)
	w.refiner.ofPhase(w.Pairs, c, afterCharge)
	var want []int32
	for _, first := range []int{0, 11} { // An hour has six pairs.
		for i := first; i < 9+first && i < 19; i++ {
			code := int32(0)
			if i >= first+6 {
				code = 1
			}
			want = append(want, code)
		}
	}
	if !slices.Equal(w.refiner.codes, want) {
		t.Errorf("the phases are %v, want %v", w.refiner.codes, want)
	}
}

// TestOtherInput checks clients that are two devices, samples without the state of the screen, and
// clients with too many strata.
func TestOtherInput(t *testing.T) {
	leaping, unknown, varied := samples.NewClient(1, 1), samples.NewClient(2, 1), samples.NewClient(3, 1)
	for n := range 40 {
		leaping.Add(&samples.Sample{Time: int64(n) * 60_000, Level: int32(50+40*(n%2)) * samples.Percent, Features: []uint32{1}})
		unknown.Add(&samples.Sample{Time: int64(n) * 600_000, Level: int32(90-n) * samples.Percent, Features: []uint32{uint32(n % 2)}})
	}
	for n := range maxStrata + 10 {
		varied.Add(&samples.Sample{Time: int64(n) * 60_000, Level: 90 * samples.Percent, Features: []uint32{uint32(n + 1)}})
	}
	w := &Work{Options: Options{Model: -1, Within: []int{0}, Known: []int{0}}}
	if w.Load(leaping); len(w.Pairs) != 0 || w.Unpaired[Leaping] != 1 {
		t.Errorf("a client that is two devices has %d pairs", len(w.Pairs))
	}
	if w.Load(unknown); len(w.Pairs) != 0 || w.Unpaired[NoValue] != 39 {
		t.Errorf("%d pairs, and %d without a value, want 39", len(w.Pairs), w.Unpaired[NoValue])
	}
	if w.Load(varied); w.Bases != maxStrata || w.Unpaired[ManyStrata] != 9 {
		t.Errorf("%d strata, and %d pairs left out, want 9", w.Bases, w.Unpaired[ManyStrata])
	}
}
