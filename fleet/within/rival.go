package within

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// A Rivalry is how another app weakens the evidence for a bug. The other app ran in some of the
// same pairs.
type Rivalry int

// Explained means that the other app explains the excess. Indistinct means that the data cannot
// distinguish the two apps, because they run together.
const (
	None Rivalry = iota
	Indistinct
	Explained
)

// rivalP is the largest p-value of a significant effect when two apps are estimated together.
const rivalP = 0.05

// maxHidden limits the hidden apps of a client, because each two of them are combined. A hidden
// app is one that too few clients ran.
const maxHidden = 32

// Rivals compares the possible bugs of one client with its other apps.
type Rivals struct {
	series  *Series
	work    *pairs.Work
	follow  float64
	present [][]presence
	skip    func(app uint32) bool
	hidden  func(app uint32) bool
}

// Rivals prepares the comparison. The series must have loaded w, with all apps of the client.
// follow is the serial correlation of rates. skip reports whether an app is a hog: its excess is
// already subtracted. hidden reports whether too few clients ran an app for testing it.
func (s *Series) Rivals(w *pairs.Work, follow float64, skip, hidden func(app uint32) bool) *Rivals {
	return &Rivals{s, w, follow, s.presence(w), skip, hidden}
}

// Compare compares the app of a bug with each other app of the client, and with each two hidden
// apps combined. It fits the effects by least squares and returns the strongest rivalry. Only
// hidden apps can be Indistinct, because Bug.Confounded already lists the others. Compare then
// subtracts the effect of the bug, for the comparison of later bugs.
func (r *Rivals) Compare(b *Bug) Rivalry {
	s, at := r.series, slices.Index(r.work.Apps, b.App)
	if at < 0 {
		return None
	}
	s.load(r.present[at])
	t := rivalTest{tester: s.tester(r.follow), x: slices.Clone(s.x), xx: s.moments(r.present[at]).within(), xy: s.product(r.present[at], s.rates)}
	strongest := None
	var hidden [][]presence
	for other, in := range r.present {
		if other == at || len(in) == 0 || r.skip(r.work.Apps[other]) || !meet(r.present[at], in) {
			continue
		}
		v, isHidden := t.rivalry(in), r.hidden(r.work.Apps[other])
		if isHidden && len(hidden) < maxHidden {
			hidden = append(hidden, in)
		}
		if v == Explained || isHidden {
			strongest = max(strongest, v)
		}
	}
	// Two hidden apps may cause the excess at different times. Each of them alone then explains
	// only a part of it.
	for i, one := range hidden {
		for _, other := range hidden[:i] {
			strongest = max(strongest, t.rivalry(union(one, other)))
		}
	}
	for i := range s.rates {
		s.rates[i] -= b.Times * t.x[i]
	}
	return strongest
}

// union returns the pairs in which either of two apps ran. If each ran at one end of a pair, union
// assumes that the ends differ.
func union(a, b []presence) (all []presence) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].pair < b[0].pair:
			all, a = append(all, a[0]), a[1:]
		case a[0].pair > b[0].pair:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, presence{a[0].pair, min(2, a[0].ends+b[0].ends)})
			a, b = a[1:], b[1:]
		}
	}
	return slices.Concat(all, a, b)
}

// meet reports whether two apps ran in a pair together.
func meet(a, b []presence) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].pair == b[j].pair:
			return true
		case a[i].pair < b[j].pair:
			i++
		default:
			j++
		}
	}
	return false
}

// A rivalTest has what the comparisons of one bug with other apps have in common. x is how far the
// app with the bug was present in each pair. xx is Σx², and xy is Σx·rate.
type rivalTest struct {
	tester
	x      []float64
	xx, xy float64
}

// rivalry fits the effects of two apps together. other has the pairs with the other app.
func (t *rivalTest) rivalry(other []presence) Rivalry {
	const same = 1e-9
	s, xx, xy := t.s, t.xx, t.xy
	m := s.moments(other)
	oo, oy, xo := m.within(), s.product(other, s.rates), s.product(other, t.x)
	if xx == 0 || oo <= same*m.squares {
		return None
	}
	determinant := xx*oo - xo*xo
	if determinant <= same*xx*oo {
		return Indistinct
	}
	effect, otherEffect := (xy*oo-oy*xo)/determinant, (oy*xx-xy*xo)/determinant
	left, follow := t.left-1, t.follow
	free := left * (1 - follow) / (1 + follow)
	variance := (t.squares - effect*xy - otherEffect*oy) / left
	if !(variance > 0) || free < 1 {
		return None
	}
	// The serial correlation of rates leaves fewer independent pairs.
	variance *= (1 + follow) / (1 - follow)
	limit := s.limit(free)
	own, otherT := effect/math.Sqrt(variance*oo/determinant), otherEffect/math.Sqrt(variance*xx/determinant)
	switch {
	case own >= limit:
		return None
	case otherT >= limit:
		return Explained
	case otherT > 0 && xo > 0 && xo*xo >= maxCorrelation*maxCorrelation*xx*oo:
		return Indistinct
	}
	return None
}

// limit returns the smallest significant t (rivalP). It keeps the last result, because all
// comparisons of a client have the same degrees of freedom and a quantile takes long.
func (s *Series) limit(free float64) float64 {
	if s.limitFree != free {
		s.limitFree, s.limitT = free, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile(1-rivalP)
	}
	return s.limitT
}
