package fleet

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// A Bug is an app that uses more energy on one client than on other clients.
type Bug struct {
	// Client is the hash of the client's name.
	Client, App string
	Drain
	P float64
	// Pairs is the number of pairs in which the client ran the app. Share is the share of the
	// client's time in which the app ran.
	Pairs int64
	Share float64
	// Runs reports whether the client's last sample has the app.
	Runs bool
	// Confounded lists apps that this client's data cannot distinguish from App. Rare means that
	// the data cannot distinguish App from another app that fewer than MinGroup clients ran.
	Confounded []string
	Rare       bool
}

// Bugs returns the bugs in apps that enough clients ran. The bug that costs the most battery life
// is first. tested is the number of tests. Each test is for one app on one client.
func (f *Fleet) Bugs() (bugs []Bug, tested int64) {
	row := f.Sums.Get(sums.Key("bugs", ""))
	if f.Unscreened() {
		return nil, 0
	}
	if f.Method == Paper {
		bugs = f.paperBugs()
	} else {
		bugs = f.withinBugs(int(row[0].Int64()))
	}
	// The search for bugs runs before the trees show that this app is a hog under some conditions.
	hogs := map[string]bool{}
	for _, h := range f.judge().hogs {
		hogs[h.App] = len(h.Conditions) > 0
	}
	bugs = slices.DeleteFunc(bugs, func(b Bug) bool { return hogs[b.App] || !f.Ran(b.App) })
	for i := range bugs {
		bugs[i].Confounded = slices.DeleteFunc(bugs[i].Confounded, func(app string) bool { return !f.Ran(app) })
	}
	slices.SortStableFunc(bugs, func(a, b Bug) int {
		x, _, _ := a.Minutes()
		y, _, _ := b.Minutes()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.App, b.App), cmp.Compare(a.Client, b.Client))
	})
	return bugs, row[1].Int64()
}

func (f *Fleet) paperBugs() (bugs []Bug) {
	f.Sums.Each("bug", func(rest []string, r *sums.Row) {
		own := distOf(*r)
		others := distOf(f.Sums.Get(sums.Key("dist", rest[1]))).Without(own)
		gap := paper.Compare(own, others, f.H)
		bugs = append(bugs, Bug{
			Client: rest[0], App: rest[1], P: math.NaN(), Pairs: own.N.Int64(), Runs: r[3].Int64() == 1,
			Drain: Drain{Excess: gap.Distance, Half: gap.Error, Reference: gap.Reference}, Share: r[4].Float() / r[5].Float(),
		})
	})
	return bugs
}

// withinBugs selects the significant bugs in two steps:
//
//  1. The procedure of Benjamini and Hochberg selects clients by their most significant bug.
//  2. On these clients, other bugs count if their p is at most the largest selected p.
func (f *Fleet) withinBugs(clients int) []Bug {
	var all []Bug
	var first []int
	f.Sums.Each("bug", func(rest []string, r *sums.Row) {
		b := Bug{
			Client: rest[0], App: rest[1], Confounded: rest[2:], P: r[0].Float() / 1e18, Pairs: r[7].Int64(), Runs: r[6].Int64()&1 == 1, Rare: r[6].Int64()&2 == 2,
			Drain: Drain{Excess: r[1].Float() / bugUnit, Half: r[2].Float() / bugUnit, Reference: r[3].Float() / bugUnit},
			Share: r[4].Float() / r[5].Float(),
		}
		if r[6].Int64() < 4 {
			first = append(first, len(all))
		}
		all = append(all, b)
	})
	p := make([]float64, len(first))
	for i, at := range first {
		p[i] = all[at].P
	}
	buggy, limit := map[string]bool{}, 0.0
	for i, rejected := range within.Reject(p, max(clients, len(p)), f.BugRate) {
		if rejected {
			buggy[all[first[i]].Client] = true
			limit = max(limit, p[i])
		}
	}
	return slices.DeleteFunc(all, func(b Bug) bool { return !buggy[b.Client] || b.P > limit })
}
