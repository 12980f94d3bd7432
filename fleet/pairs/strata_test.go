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

// TestRefine checks the laws of strata in the three orders. Strata are numbered without gaps. All pairs
// of a stratum have the same screen. The first order holds the network, and the second the hour: a
// stratum has two values only if one of them has fewer than minStratum pairs under the conditions before.
func TestRefine(t *testing.T) {
	c := dayOf(12)
	w := &Work{Options: Options{Within: []int{0}, Others: []int{1}, Clock: true, Model: -1}}
	w.Load(c)
	type order struct {
		name    string
		strata  int
		stratum func(p *Pair) int
		first   func(p *Pair) [2]uint32
		ordered bool // ordered means that a screen that goes on differs from one that goes off.
	}
	dayPart := func(p *Pair) [2]uint32 { return [2]uint32{uint32(dayPartOf(c, p))} }
	half := func(p *Pair) [2]uint32 { return [2]uint32{uint32(halfOf(c, p))} }
	for _, o := range []order{
		{"recorded conditions", w.Strata, func(p *Pair) int { return p.Stratum }, func(p *Pair) [2]uint32 { return ends(c, 1, p) }, true},
		{"time of day", w.Clocks, func(p *Pair) int { return p.Clock }, dayPart, false},
		{"date", w.Dates, func(p *Pair) int { return p.Date }, nil, false},
	} {
		sizes := make([]int, o.strata)
		screens, firsts := make([][2]uint32, o.strata), make([][][2]uint32, o.strata)
		for i := range w.Pairs {
			p := &w.Pairs[i]
			s := o.stratum(p)
			screen := ends(c, 0, p)
			if o.ordered {
				screen = [2]uint32{c.Features[0][p.From], c.Features[0][p.To]}
			}
			if sizes[s] > 0 && screens[s] != screen {
				t.Fatalf("%s: stratum %d has the screens %v and %v", o.name, s, screens[s], screen)
			}
			sizes[s]++
			screens[s] = screen
			if o.first != nil && !slices.Contains(firsts[s], o.first(p)) {
				firsts[s] = append(firsts[s], o.first(p))
			}
		}
		if slices.Contains(sizes, 0) || o.strata < 20 {
			t.Errorf("%s: the strata have %v pairs", o.name, sizes)
		}
		mixed := 0
		for _, all := range firsts {
			if len(all) > 1 {
				mixed++
			}
		}
		// Only the rare values of the network are pooled, once for each screen at both ends.
		if mixed > 4 {
			t.Errorf("%s: %d of %d strata mix values of the first condition", o.name, mixed, o.strata)
		}
	}
	halves := map[int]map[[2]uint32]bool{}
	mixed := 0
	for i := range w.Pairs {
		p := &w.Pairs[i]
		if halves[p.Date] == nil {
			halves[p.Date] = map[[2]uint32]bool{}
		}
		if halves[p.Date][half(p)] = true; len(halves[p.Date]) == 2 {
			mixed++
		}
	}
	if mixed*4 > len(w.Pairs) {
		t.Errorf("the strata by date mix both halves of the record for %d of %d pairs", mixed, len(w.Pairs))
	}
}

// TestOrders checks which orders are split, and that Swap and SwapDate exchange them.
func TestOrders(t *testing.T) {
	c := dayOf(6)
	load := func(orders Orders) *Work {
		w := &Work{Options: Options{Within: []int{0}, Others: []int{1}, Clock: true, Model: -1, Orders: orders}}
		w.Load(c)
		return w
	}
	all, first, none := load(AllOrders), load(FirstOrder), load(NoOrder)
	if none.Strata != none.Bases || none.Bases != 4 || none.Clocks != 4 || none.Dates != 4 {
		t.Errorf("without orders there are %d, %d, %d and %d strata, want 4", none.Strata, none.Clocks, none.Dates, none.Bases)
	}
	if first.Strata != all.Strata || first.Clocks != first.Bases || first.Dates != first.Bases {
		t.Errorf("with the first order there are %d strata, want %d; clock %d and date %d, want %d", first.Strata, all.Strata, first.Clocks, first.Dates, first.Bases)
	}
	for i := range all.Pairs {
		a, f, n := all.Pairs[i], first.Pairs[i], none.Pairs[i]
		if a.Stratum != f.Stratum || f.Clock != f.Base || f.Date != f.Base || n.Stratum != n.Base || a.Base != n.Base {
			t.Fatalf("pair %d is in the strata %+v, %+v and %+v", i, a, f, n)
		}
	}
	before := slices.Clone(all.Pairs)
	for name, swap := range map[string]struct {
		swap  func()
		other func(p *Pair) int
	}{
		"the clock": {all.Swap, func(p *Pair) int { return p.Clock }},
		"the date":  {all.SwapDate, func(p *Pair) int { return p.Date }},
	} {
		strata := all.Strata
		swap.swap()
		most := 0
		for i := range all.Pairs {
			if all.Pairs[i].Stratum != swap.other(&before[i]) {
				t.Fatalf("with %s first, pair %d is in stratum %d", name, i, all.Pairs[i].Stratum)
			}
			most = max(most, all.Pairs[i].Stratum)
		}
		if all.Strata != most+1 {
			t.Errorf("with %s first, there are %d strata, want %d", name, all.Strata, most+1)
		}
		if swap.swap(); all.Strata != strata || !slices.Equal(all.Pairs, before) {
			t.Errorf("%s swapped twice changes the strata", name)
		}
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
	w.refiner.ofPhase(w.Pairs, c)
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
	if w.Load(leaping); len(w.Pairs) != 0 || w.Left[Leaping] != 1 {
		t.Errorf("a client that is two devices has %d pairs", len(w.Pairs))
	}
	if w.Load(unknown); len(w.Pairs) != 0 || w.Left[NoValue] != 39 {
		t.Errorf("%d pairs, and %d without a value, want 39", len(w.Pairs), w.Left[NoValue])
	}
	if w.Load(varied); w.Bases != maxStrata || w.Left[ManyStrata] != 9 {
		t.Errorf("%d strata, and %d pairs left out, want 9", w.Bases, w.Left[ManyStrata])
	}
}
