package fleet

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/noise"
	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/within"
)

// Privacy configures the noise of a publication. It protects all samples of a client together.
type Privacy struct {
	// Epsilon limits what a publication reveals about a client (differential privacy). Without the
	// client's samples, the probability of any result would change by at most the factor
	// exp(Epsilon). Delta is the probability that the list has an app that only one client ran.
	Epsilon, Delta float64
	// Apps is the maximum number of apps that count for one client. If the client ran more apps,
	// the choice depends only on the client.
	Apps int
	// Source draws the noise. If it is nil, the random numbers of the system are used.
	Source *noise.Source
}

// DefaultPrivacy returns usual options.
func DefaultPrivacy() Privacy { return Privacy{Epsilon: 1, Delta: 1e-6, Apps: 10} }

// A client can add at most these values to the sums of an app.
const (
	// maxWeight limits the weight d (package within). For example, a client reaches it if it ran
	// the app in every second pair of 48 hours.
	maxWeight = 48 * 3_600_000
	// maxRate limits the excess n/d of an app on one client, in %/h.
	maxRate = 10
	// maxDrop limits the numerator n. The unit of n/d is 10⁻³ % per second.
	maxDrop = maxWeight * maxRate * 1000 / 3600
)

// Epsilon is divided between three kinds of sums, in tenths.
const (
	countShare  = 2
	weightShare = 2
	dropShare   = 6
)

// Check returns an error for invalid options.
func (p *Privacy) Check() error {
	switch {
	case !(p.Epsilon >= 0.01 && p.Epsilon <= 20):
		return errors.New("epsilon must be from 0.01 to 20: a smaller epsilon needs more noise than whole numbers can hold, and a larger epsilon protects nothing")
	case !(p.Delta > 0 && p.Delta <= 0.001):
		return errors.New("delta must be above 0 and at most 0.001, and should be far smaller than 1/N for N devices")
	case p.Apps < 1 || p.Apps > 1000:
		return errors.New("the number of apps per client must be from 1 to 1000")
	}
	return nil
}

// scale returns the scale of the noise for sums to which a client adds at most limit per app. share
// is the share of Epsilon, in tenths.
func (p *Privacy) scale(limit float64, share int) uint64 {
	return uint64(math.Ceil(float64(p.Apps) * limit / (p.Epsilon * float64(share) / 10)))
}

// least returns the minimum number of clients of a listed app, including noise.
func (p *Privacy) least() int64 {
	return 1 + int64(math.Ceil(float64(p.scale(1, countShare))*math.Log(float64(p.Apps)/p.Delta)))
}

// A Publication has sums of a fleet with noise. All its figures from the samples have noise.
type Publication struct {
	Privacy
	// Least is the minimum number of clients of a listed app, including noise.
	Least int64
	Apps  []PublishedApp
}

// A PublishedApp is an app with its estimate from sums with noise.
type PublishedApp struct {
	App string
	// Clients is the number of clients for which the app counted, with noise.
	Clients int64
	// Excess is in % per second, or NaN if the noise hides it. Half is half the width of its 95 %
	// interval. The interval includes the noise and the differences between clients.
	Excess, Half float64
}

// publicSums has the sums of one app, by group of clients.
type publicSums struct {
	clients int64
	n, d    [within.Groups]int64
}

// add adds a client. It first limits d to maxWeight and n/d to maxRate.
func (s *publicSums) add(id samples.ID, n, d int64) {
	s.clients++
	if d <= 0 {
		return
	}
	if d > maxWeight {
		n, d = int64(float64(n)*(maxWeight/float64(d))), maxWeight
	}
	limit := int64(float64(d) * maxRate * 1000 / 3600)
	g := group(id)
	s.n[g], s.d[g] = s.n[g]+max(-limit, min(limit, n)), s.d[g]+d
}

// Publish adds up samples and returns the sums with noise. It uses the strata of the default
// method. set must be opened without the option Common, which depends on all clients.
func Publish(ctx context.Context, set *samples.Set, p Privacy) (*Publication, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	f, err := New(Defaults(), set.Features)
	if err != nil {
		return nil, err
	}
	all, err := f.publicSums(ctx, set, p.Apps)
	if err != nil {
		return nil, err
	}
	if p.Source == nil {
		p.Source = noise.New()
	}
	names := map[string]*publicSums{}
	for app, s := range all {
		names[set.Names.Text(app)] = s
	}
	out := &Publication{Privacy: p, Least: p.least()}
	for _, app := range slices.Sorted(maps.Keys(names)) {
		published, err := out.noisy(names[app])
		if err != nil {
			return nil, err
		}
		if published.App = app; published.Clients >= out.Least {
			out.Apps = append(out.Apps, published)
		}
	}
	slices.SortFunc(out.Apps, func(a, b PublishedApp) int {
		return cmp.Or(cmp.Compare(b.leastExcess(), a.leastExcess()), cmp.Compare(a.App, b.App))
	})
	return out, nil
}

// leastExcess returns the lower end of the interval.
func (a *PublishedApp) leastExcess() float64 {
	if math.IsNaN(a.Excess) {
		return math.Inf(-1)
	}
	return a.Excess - a.Half
}

// publicSums adds up the sums of all apps. For each client, at most the given number of apps count.
func (f *Fleet) publicSums(ctx context.Context, set *samples.Set, apps int) (map[uint32]*publicSums, error) {
	all := map[uint32]*publicSums{}
	var mu sync.Mutex
	err := set.EachParallel(ctx, 0, func() func(*samples.Client) {
		w := &pairs.Work{Options: f.strata(set)}
		var times within.Times
		var places []int
		var own [][2]int64 // own has n and d, parallel to places.
		return func(c *samples.Client) {
			w.Load(c)
			times.Load(w)
			places, own = chosen(places[:0], set, c.ID, w.Apps, apps), own[:0]
			for _, at := range places {
				n, d, _, _ := times.Contrast(at)
				own = append(own, [2]int64{n, d})
			}
			mu.Lock()
			defer mu.Unlock()
			for i, at := range places {
				s := all[w.Apps[at]]
				if s == nil {
					s = &publicSums{}
					all[w.Apps[at]] = s
				}
				s.add(c.ID, own[i][0], own[i][1])
			}
		}
	}, nil)
	return all, err
}

// chosen selects the apps of a client that count. The choice depends only on the hash of the client
// and the names of its apps.
func chosen(places []int, set *samples.Set, id samples.ID, names []uint32, most int) []int {
	keys := make([]samples.ID, len(names))
	for at, name := range names {
		if keys[at] = 0; len(names) > most {
			keys[at] = samples.HashClient(binary.LittleEndian.AppendUint64(nil, uint64(id)), set.Names.Text(name))
		}
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return places[:min(most, len(places))]
}

// noisy adds noise to the sums of an app, and estimates the excess.
func (p *Publication) noisy(s *publicSums) (a PublishedApp, err error) {
	add := func(sum int64, limit float64, share int) int64 {
		x, e := p.Source.Laplace(p.scale(limit, share))
		err = errors.Join(err, e)
		return sum + x
	}
	a.Clients = add(s.clients, 1, countShare)
	var n, d [within.Groups]float64
	var wholeN, wholeD float64
	for g := range within.Groups {
		n[g], d[g] = float64(add(s.n[g], maxDrop, dropShare)), float64(add(s.d[g], maxWeight, weightShare))
		wholeN, wholeD = wholeN+n[g], wholeD+d[g]
	}
	// If the relative error of the weights is large, the quotient n/d is useless.
	const certain = 4
	spread := math.Sqrt(2*within.Groups) * float64(p.scale(maxWeight, weightShare))
	if a.Excess, a.Half = math.NaN(), math.NaN(); wholeD < certain*spread {
		return a, err
	}
	rate := wholeN / wholeD
	var squares float64
	for g := range within.Groups {
		off := n[g] - rate*d[g]
		squares += off * off
	}
	const freedom = within.Groups - 1
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
	a.Excess, a.Half = rate*1e-3, t*math.Sqrt(squares*within.Groups/freedom)/wholeD*1e-3
	return a, err
}

// String describes the protection in one sentence.
func (p *Publication) String() string {
	return fmt.Sprintf("Each sum has noise (discrete Laplace): with or without any one device, no result is more likely by more than a factor of %.4g, except with a probability of %g.",
		math.Exp(p.Epsilon), p.Delta)
}
