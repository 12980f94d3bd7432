package within

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// A switching has the sums over pairs of one client from which Switching computes an excess. The
// presence of the app in a pair is 0, 1/2 or 1.
type switching struct {
	// clock is the time of the pairs, or their drop if samples are taken when the level falls by a
	// step. with is the sum of clock times presence. squares is the sum of clock times the squared
	// presence.
	clock, with, squares float64
	// drop is the drop of the pairs without the part of hogs, and time is their time. dropWith and
	// timeWith are the same sums, weighted by the presence.
	drop, dropWith, time, timeWith float64
}

// add adds the sums o, multiplied by n.
func (s *switching) add(o *switching, n float64) {
	s.clock, s.with, s.squares = s.clock+n*o.clock, s.with+n*o.with, s.squares+n*o.squares
	s.drop, s.dropWith, s.time, s.timeWith = s.drop+n*o.drop, s.dropWith+n*o.dropWith, s.time+n*o.time, s.timeWith+n*o.timeWith
}

// excess returns the excess of the app, and a weight for means. If the clock is regular, the
// presence at the ends of pairs is an unbiased estimate of how long the app ran. Drop and time with
// the app follow by regression on the presence. Samples show too small a slope, so it is divided by
// seen (seenOf).
func (s *switching) excess(seen float64) (excess, weight float64) {
	const same = 1e-9
	d := s.squares - s.with*s.with/s.clock
	if !(d > same*s.clock) {
		return 0, 0
	}
	share := s.with / s.clock
	parts := func(sum, sumWith float64) (with, without float64) {
		slope, mean := (sumWith-s.with*sum/s.clock)/d/seen, sum/s.clock
		return (mean + (1-share)*slope) * s.with, (mean - share*slope) * (s.clock - s.with)
	}
	drop, dropWithout := parts(s.drop, s.dropWith)
	time, timeWithout := parts(s.time, s.timeWith)
	// By chance, one of the times may be near zero or negative.
	if least := s.time / 50; time < least || timeWithout < least {
		return 0, 0
	}
	return drop/time - dropWithout/timeWithout, time * timeWithout / (time + timeWithout)
}

// mean returns the mean excess of the strata, by weight.
func mean(strata []switching, seen float64) float64 {
	var sum, weights float64
	for i := range strata {
		if excess, weight := strata[i].excess(seen); weight > 0 {
			sum, weights = sum+weight*excess, weights+weight
		}
	}
	return sum / weights
}

// Switching estimates the excess of an app on one client, like Alone. It corrects for an app that
// starts and stops between samples. It assumes that the app does so at a constant rate, and so more
// often in longer pairs.
//
// If samples are taken at each per cent, a pair may instead be longer because the app did not run.
// The estimate is then too large, and the truth is between Alone and Switching.
//
// The error is from a jackknife over rounds (minRound).
func Switching(w *pairs.Work, app int, drains []float64, begins func(p *pairs.Pair) int64) Estimate {
	all, present := make([]switching, len(w.Pairs)), make([]float64, len(w.Pairs))
	whole, clock := make([]switching, w.Bases), clockOf(w.Pairs)
	for i := range w.Pairs {
		p, own := &w.Pairs[i], &all[i]
		own.clock, own.drop, own.time = clock(p), float64(p.Drop), float64(p.Time)
		ends := w.Ends(i)
		for n, a := range w.Running(i) {
			own.drop -= drains[a] / scale * own.time * float64(ends[n]) / 2
			if int(a) == app {
				present[i] = float64(ends[n]) / 2
			}
		}
		x := present[i]
		own.with, own.squares, own.dropWith, own.timeWith = own.clock*x, own.clock*x*x, own.drop*x, own.time*x
		whole[p.Base].add(own, 1)
	}
	seen := seenOf(w.Pairs, present)
	e := Estimate{Excess: mean(whole, seen) * scale}
	var rounds, weights, squares, sum, variance float64
	without := slices.Clone(whole)
	first := 0 // first is the first pair of the round.
	end := func(next int) {
		weight := 0.0
		for i := first; i < next; i++ {
			without[w.Pairs[i].Base].add(&all[i], -1)
			weight += all[i].squares
		}
		off := mean(without, seen)*scale - e.Excess
		copy(without, whole)
		first = next
		rounds, weights, squares = rounds+1, weights+weight, squares+weight*weight
		sum, variance = sum+off, variance+off*off
	}
	for i := range w.Pairs {
		if i > 0 && present[i] > 0 && present[i-1] == 0 && begins(&w.Pairs[i])-begins(&w.Pairs[first]) >= minRound {
			end(i)
		}
	}
	end(len(w.Pairs))
	e.Error, e.Freedom = math.Sqrt((rounds-1)/rounds*(variance-sum*sum/rounds)), weights*weights/squares-1
	return e
}

// clockOf returns the quantity that varies less between pairs, drop or time. Samples are probably
// taken at regular steps of it.
func clockOf(all []pairs.Pair) func(p *pairs.Pair) float64 {
	drop := func(p *pairs.Pair) float64 { return float64(p.Drop) }
	time := func(p *pairs.Pair) float64 { return float64(p.Time) }
	variation := func(value func(p *pairs.Pair) float64) float64 {
		var sum, squares float64
		for i := range all {
			v := value(&all[i])
			sum, squares = sum+v, squares+v*v
		}
		return squares / sum / sum
	}
	if variation(drop) < variation(time) {
		return drop
	}
	return time
}

// seenOf returns how much of an app's effect samples show if the app starts and stops between them.
// For example, 0.8 means that they show 80 % of it. present is the app's presence at the ends of
// each pair: 0, 1/2 or 1.
//
//  1. The app runs for the share p of the time. It starts and stops at constant rates.
//  2. In a pair of time t, it is at exactly one end with the probability 2p(1 − p)(1 − exp(−at)).
//     The number of such pairs gives a.
//  3. The presence at the ends has the variance p(1 − p)(1 + exp(−at))/2.
//  4. Its covariance with the part of the pair in which the app ran is p(1 − p)(1 − exp(−at))/(at).
//  5. The result is the covariance divided by the variance. Each is summed over the pairs,
//     weighted by time.
func seenOf(all []pairs.Pair, present []float64) float64 {
	const least, enough, rounds = 0.5, 1e-6, 20
	var time, with, one float64
	for i := range all {
		t := float64(all[i].Time)
		time, with = time+t, with+present[i]*t
		if present[i] == 0.5 {
			one++
		}
	}
	if one == 0 {
		return 1
	}
	p := with / time
	// Solve for a by Newton's method, from below. The expected number is concave in a.
	a := one / (2 * p * (1 - p) * time)
	for range rounds {
		var expected, slope float64
		for i := range all {
			t := float64(all[i].Time)
			stays := math.Exp(-a * t)
			expected, slope = expected+1-stays, slope+t*stays
		}
		step := (one/(2*p*(1-p)) - expected) / slope
		if !(step > enough*a) || math.IsInf(step, 0) {
			break
		}
		a += step
	}
	var shown, whole float64
	for i := range all {
		t := float64(all[i].Time)
		stays := math.Exp(-a * t)
		shown, whole = shown+(1-stays)/a, whole+t*(1+stays)/2
	}
	return max(least, shown/whole)
}
