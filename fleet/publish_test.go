package fleet

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet/noise"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// clientsOf returns all clients of a set.
func clientsOf(t *testing.T, made *simulation.Fleet) (*samples.Set, []*samples.Client) {
	t.Helper()
	set := made.Set(nil, made.Clients)
	var all []*samples.Client
	for part := range set.Parts() {
		if err := set.Each(context.Background(), part, func(c *samples.Client) error {
			all = append(all, c)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return set, all
}

// TestOneClientChangesLittle removes each client of a fleet. The change of the sums, over all apps,
// must be at most the limit for which the noise is scaled. Some clients reach the limit, so it is
// not too large.
func TestOneClientChangesLittle(t *testing.T) {
	const most = 4
	made := simulation.New(simulation.Options{Seed: 2, Clients: 25, Apps: 40, Hogs: 6, Bugs: 10, Days: 9})
	set, all := clientsOf(t, made)
	f, err := New(Defaults(), set.Features)
	if err != nil {
		t.Fatal(err)
	}
	sumsOf := func(clients []*samples.Client) map[uint32]*publicSums {
		s, err := f.publicSums(context.Background(), samples.InMemory(set.Names, set.Features, clients, 3), most)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	whole := sumsOf(all)
	var largest [3]float64
	for i := range all {
		without := sumsOf(slices.Delete(slices.Clone(all), i, i+1))
		var change [3]float64
		for app, s := range whole {
			o := without[app]
			if o == nil {
				o = &publicSums{}
			}
			change[0] += math.Abs(float64(s.clients - o.clients))
			for g := range s.n {
				change[1] += math.Abs(float64(s.n[g] - o.n[g]))
				change[2] += math.Abs(float64(s.d[g] - o.d[g]))
			}
		}
		for k, limit := range []float64{1, maxDrop, maxWeight} {
			if change[k] > most*limit {
				t.Errorf("client %d changes sums of kind %d by %.0f, more than %.0f", i, k, change[k], most*limit)
			}
			largest[k] = max(largest[k], change[k]/(most*limit))
		}
	}
	t.Logf("the largest changes are %.2f of their limits", largest)
	if largest[0] != 1 || largest[2] < 0.5 {
		t.Errorf("the largest changes are %.2f of their limits", largest)
	}
}

// TestExtremeClients adds clients with any n and d. No client changes a sum by more than the limit
// of the sum.
func TestExtremeClients(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		n, d := int64(r.Uint64())>>r.IntN(64), int64(r.Uint64())>>r.IntN(64)
		var s publicSums
		s.add(samples.ID(r.Uint64()), n, d)
		for g := range s.n {
			if s.n[g] > maxDrop || s.n[g] < -maxDrop || s.d[g] > maxWeight || s.d[g] < 0 {
				t.Fatalf("n %d and d %d change the sums to %v and %v", n, d, s.n, s.d)
			}
		}
	}
}

// TestPublish publishes a fleet. The intervals contain the true excesses, rare apps are not listed,
// and noise from the system differs each time.
func TestPublish(t *testing.T) {
	p := Privacy{Epsilon: 20, Delta: 1e-6, Apps: 8, Source: noise.From(rand.NewChaCha8([32]byte{3}))}
	shown, hold := 0, 0
	for seed := range uint64(3) {
		made := simulation.New(simulation.Options{Seed: seed + 50, Clients: 150, Apps: 12, Hogs: 3, Days: 6, Alike: true})
		set, all := clientsOf(t, made)
		rare := set.Names.ID("org.rare")
		for _, c := range all[:4] {
			for i := range 20 {
				time := c.Times[c.Len()-1] + int64(i+1)*600_000
				features := make([]uint32, len(set.Features))
				for f := range features {
					features[f] = c.Features[f][0] // Without the state of the screen, there are no pairs.
				}
				c.Add(&samples.Sample{Time: time, Level: int32(90-i) * samples.Percent, Apps: []uint32{rare}, Features: features})
			}
		}
		got, err := Publish(context.Background(), samples.InMemory(set.Names, set.Features, all, 4), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Apps) < 6 {
			t.Errorf("%d apps are listed", len(got.Apps))
		}
		for _, a := range got.Apps {
			if a.Clients < got.Least || a.App == "org.rare" {
				t.Errorf("%s of %d clients is listed", a.App, a.Clients)
			}
			i := slices.IndexFunc(made.Apps, func(m simulation.App) bool { return m.Name == a.App })
			if i < 0 || math.IsNaN(a.Excess) {
				continue
			}
			shown++
			if math.Abs(a.Excess-made.Apps[i].Drain) <= a.Half {
				hold++
			} else {
				t.Logf("%s: %.2f ± %.2f %%/h, in truth %.2f", a.App, 3600*a.Excess, 3600*a.Half, 3600*made.Apps[i].Drain)
			}
		}
	}
	t.Logf("%d of %d intervals hold", hold, shown)
	if shown < 15 || 10*hold < 9*shown {
		t.Errorf("%d of %d intervals hold", hold, shown)
	}
	made := simulation.New(simulation.Options{Seed: 1, Clients: 80, Apps: 8, Hogs: 1, Days: 2})
	p.Source = nil
	set, _ := clientsOf(t, made)
	a, err1 := Publish(context.Background(), made.Set(nil, 2), p)
	b, err2 := Publish(context.Background(), made.Set(nil, 2), p)
	if err1 != nil || err2 != nil || len(a.Apps) == 0 || len(b.Apps) == 0 || set.Parts() == 0 {
		t.Fatal(err1, err2, len(a.Apps), len(b.Apps))
	}
	if a.Apps[0] == b.Apps[0] {
		t.Errorf("two publications are equal: %+v", a.Apps[0])
	}
}

// TestPrivacyOptions refuses options that protect nothing or need too much noise.
func TestPrivacyOptions(t *testing.T) {
	for _, p := range []Privacy{
		{Epsilon: 0, Delta: 1e-6, Apps: 1}, {Epsilon: math.NaN(), Delta: 1e-6, Apps: 1}, {Epsilon: 30, Delta: 1e-6, Apps: 1},
		{Epsilon: 1, Delta: 0, Apps: 1}, {Epsilon: 1, Delta: 0.5, Apps: 1}, {Epsilon: 1, Delta: 1e-6}, {Epsilon: 1, Delta: 1e-6, Apps: 2000},
	} {
		if p.Check() == nil {
			t.Errorf("%+v is allowed", p)
		}
	}
	p := Privacy{Epsilon: 0.01, Delta: 1e-9, Apps: 1000}
	if s := p.scale(maxDrop, dropShare); s > noise.MaxScale {
		t.Errorf("a scale of %d is too large", s)
	}
}
