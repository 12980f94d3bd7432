// Package pairs computes discharge rates from a client's samples (Carat, SenSys 2013, §2.3).
//
// A pair is two consecutive samples of one client while the battery discharges. The device is not
// charging at either end, the level does not rise, and the device did not restart in between. The
// rate of a pair is the drop of the level divided by the time. An app ran in a pair if either
// sample lists it. The features of a pair are the features of both samples.
//
// A level is read in steps. With steps of 5 %, a reading of 95 % may be any level in (90, 95]. A
// reading is exact if it was made because the level changed. The drop of a pair therefore has a
// lower and an upper bound.
//
// [Work.Ends] returns whether an app ran at one or both ends of a pair. Comparisons of rates should
// give half the weight to an app at only one end. Otherwise, long pairs would have too much weight,
// because they more often have the app at one end, and long pairs have low rates.
//
// The following laws hold. The drops and times of pairs are whole numbers, as in the samples.
// Samples that are in no pair are counted by cause. Only one goroutine may use a Work.
package pairs

import (
	"bytes"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/samples"
)

// A Pair is two consecutive samples of a client.
type Pair struct {
	// From and To are the indices of the two samples in the client. If the input has rates, both
	// are the index of the rate.
	From, To int
	// Drop is the fall of the battery level, in millionths of a per cent. Least and Most are the
	// lower and upper bound of Drop.
	Drop, Least, Most int64
	// Time is in milliseconds. It is above 0.
	Time int64
	// Stratum is the number of the pair's stratum. Pairs of a client with equal conditions have the
	// same stratum. Base is the same with only the conditions in Options.Within.
	Stratum, Base int
}

// Exact reports whether the levels at both ends of the pair are exact.
func (p *Pair) Exact() bool { return p.Least == p.Most }

// Rate returns a drop divided by the pair's time, in 10⁻⁹ % per second.
func (p *Pair) Rate(drop int64) int64 { return (drop*2_000_000 + p.Time) / (2 * p.Time) }

// These are the reasons why two samples are not a pair.
const (
	Charging = iota
	Rising
	Restarted
	SameMoment
	Rounded
	LongGap
	OtherDevice
	TooFast
	ManyStrata
	Leaping
	Full
	NoValue
	causes
)

// Causes describes the counts of Work.Unpaired.
var Causes = [causes]string{
	Charging:    "pairs of samples at which the device charged",
	Rising:      "pairs of samples between which the level rose",
	Restarted:   "pairs of samples between which the device restarted",
	SameMoment:  "samples of the same client at the same time",
	Rounded:     "samples of the same client at the same time with another level; the times may be rounded",
	LongGap:     "pairs of samples more than a day apart",
	OtherDevice: "pairs of samples of one client on two device models",
	TooFast:     "pairs of samples that would empty a full battery within half an hour",
	ManyStrata:  "pairs of samples in too many combinations of conditions for one client",
	Full:        "pairs of samples at a full battery with an unknown charging state",
	NoValue:     "pairs of samples that do not state whether the screen was on",
	Leaping:     "clients whose battery level often rises faster than a battery charges: perhaps two devices have the same name",
}

const (
	// maxGap is the maximum time between samples, in milliseconds. In a longer time, a device may
	// have been charged and discharged again.
	maxGap = 24 * 60 * 60 * 1000
	// maxRate is the rate that empties a full battery in half an hour, in 10⁻⁹ % per second. No
	// phone discharges so fast. At a higher rate, the clock jumped, or the battery is broken. The
	// level may fall by a step at any time, so a step is subtracted before the comparison.
	maxRate = 55_555_556
	// maxStrata is the maximum number of strata of a client.
	maxStrata = 1 << 10
	// Two devices may have the same client name. The samples of such a client are useless. Their
	// level leaps: it rises by at least minLeap, and faster than maxCharge (100 % in a quarter of
	// an hour). A client has two devices if it has at least minLeaps leaps, and at least one per
	// samplesOfLeap samples.
	minLeap, maxCharge      = 2 * samples.Percent, 111_111_111
	minLeaps, samplesOfLeap = 3, 10
)

// Options divide pairs into strata. Only pairs of the same stratum are compared with each other.
type Options struct {
	// Within has the indices of features in the Set. All pairs of a stratum have the same values of
	// these features at both ends.
	Within []int
	// Known has the indices of features that must be known at both ends of a pair. For example, if
	// the screen is unknown, normal use looks like waste.
	Known []int
	// Others has the indices of further features, the most important first. They are held constant
	// as long as strata have enough pairs. Clock does the same for the hour, the level, the
	// charging phase and the date.
	Others []int
	Clock  bool
	// Number parses a value of a feature. It returns NaN if the value is not a number. Number may
	// be nil.
	Number func(value uint32) float64
	// Model is the index of the feature with the device's model, or -1.
	Model int
	// OnlyWithin ignores Others and Clock.
	OnlyWithin bool
}

// A Work has the pairs of one client. Its memory is used again for the next client.
type Work struct {
	Options
	// Only reports whether to read an app. If Only is nil, all apps are read.
	Only func(app uint32) bool
	// Pairs are the client's pairs, the earliest first.
	Pairs []Pair
	// Strata is the number of different values of Pair.Stratum. Bases is the same for Pair.Base.
	Strata, Bases int
	// Apps are the IDs of all apps that ran in a pair, each once.
	Apps []uint32
	// Unpaired counts the samples that made no pair, by cause, over all clients.
	Unpaired [causes]int64

	starts  []int
	running []uint32 // running has indices in Apps.
	ends    []uint8  // ends is parallel to running: the number of ends of the pair with the app.
	local   []uint32 // local maps an entry of the client to its index in Apps plus 1. It is 0 if not yet known, and other if not read.
	at      []int    // at is indexed like Apps. It is one past the app's last position in running.
	place   []uint32 // place caches the last result of places. placed is the index of its sample.
	placed  int
	strata  map[string]int
	key     []byte
	last    []byte // last is the key of the last pair.
	refiner refiner
}

// Running returns the apps that ran in a pair, as indices in Apps.
func (w *Work) Running(pair int) []uint32 {
	to := len(w.running)
	if pair+1 < len(w.starts) {
		to = w.starts[pair+1]
	}
	return w.running[w.starts[pair]:to]
}

// Ends returns the number of ends of the pair (1 or 2) at which each app of Running ran.
func (w *Work) Ends(pair int) []uint8 {
	from := w.starts[pair]
	return w.ends[from : from+len(w.Running(pair))]
}

// other is the value in Work.local for an app that is not read.
const other = math.MaxUint32

// Load computes the pairs of a client.
func (w *Work) Load(c *samples.Client) {
	w.local = slices.Grow(w.local[:0], len(c.Entries))[:len(c.Entries)]
	clear(w.local)
	for i := range c.Entries {
		switch e := &c.Entries[i]; {
		case w.Only == nil:
		case int(e.First) < i:
			w.local[i] = w.local[e.First]
		case !w.Only(e.App):
			w.local[i] = other
		}
	}
	w.Pairs, w.Apps, w.starts, w.running, w.at, w.Strata = w.Pairs[:0], w.Apps[:0], w.starts[:0], w.running[:0], w.at[:0], 0
	w.ends, w.placed = w.ends[:0], -1
	if w.strata == nil {
		w.strata = map[string]int{}
	}
	clear(w.strata)
	if len(c.Rates) > 0 {
		const seconds = 1000
		for i, rate := range c.Rates {
			w.add(c, Pair{From: i, To: i, Drop: rate, Least: rate, Most: rate, Time: 1000 * seconds})
		}
		w.refine(c)
		return
	}
	if w.hasLeaps(c) {
		w.Unpaired[Leaping]++
		return
	}
	known := slices.Contains(c.Triggers, samples.LevelChanged)
	first := 0 // first is the first sample with the same time as sample i-1.
	for i := 1; i < c.Len(); i++ {
		p := pairOf(c, i-1, i)
		cause, left := w.cause(c, &p)
		if from := first; !left && from < i-1 && !slices.Contains(c.States[from:i], samples.Charging) {
			// If times are rounded, several levels may have the same time. The drop between them
			// belongs to the time until the next sample.
			p = pairOf(c, from, i)
			cause, left = w.cause(c, &p)
		}
		if c.Times[i] != c.Times[i-1] {
			first = i
		}
		if left {
			w.Unpaired[cause]++
			continue
		}
		p.Least, p.Most = p.Drop, p.Drop
		// The true level may be less than the reading, by at most one step.
		if !exact(c, p.From, known) {
			p.Least = max(0, p.Drop-int64(c.Steps[p.From]))
		}
		if !exact(c, p.To, known) {
			p.Most += int64(c.Steps[p.To])
		}
		w.add(c, p)
	}
	w.refine(c)
}

// pairOf returns two samples as a pair, without the bounds of its drop.
func pairOf(c *samples.Client, from, to int) Pair {
	return Pair{From: from, To: to, Drop: int64(c.Levels[from]) - int64(c.Levels[to]), Time: c.Times[to] - c.Times[from]}
}

// hasLeaps reports whether a client's samples come from two devices of the same model.
func (w *Work) hasLeaps(c *samples.Client) bool {
	leaps := 0
	for i := 1; i < c.Len(); i++ {
		rise, time := int64(c.Levels[i])-int64(c.Levels[i-1]), c.Times[i]-c.Times[i-1]
		if rise >= minLeap && rise*1_000_000 > maxCharge*time && !w.otherDevice(c, i-1, i) {
			leaps++
		}
	}
	return leaps >= minLeaps && leaps*samplesOfLeap >= c.Len()
}

// exact reports whether the level of sample i is exact. known means that the client reports
// triggers. A level is then exact if the trigger is LevelChanged. Otherwise, steps of at most 1 %
// count as exact, as in the paper for Android.
func exact(c *samples.Client, i int, known bool) bool {
	if known {
		return c.Triggers[i] == samples.LevelChanged || c.Steps[i] == 0
	}
	return c.Steps[i] <= samples.Percent
}

// cause returns why two samples are not a pair. It returns false if they are a pair.
func (w *Work) cause(c *samples.Client, p *Pair) (int, bool) {
	i, j := p.From, p.To
	switch {
	case p.Time <= 0 && p.Drop > 0:
		return Rounded, true
	case p.Time <= 0:
		return SameMoment, true
	case w.otherDevice(c, i, j):
		return OtherDevice, true
	case c.States[i] == samples.Charging || c.States[j] == samples.Charging:
		return Charging, true
	case p.Drop < 0:
		return Rising, true
	case c.Triggers[j] == samples.Restarted:
		return Restarted, true
	case p.Time > maxGap:
		return LongGap, true
	case p.Rate(max(0, p.Drop-int64(max(samples.Percent, c.Steps[i], c.Steps[j])))) > maxRate:
		return TooFast, true
	case c.States[i] == samples.Unknown && c.States[j] == samples.Unknown && p.Drop == 0 && c.Levels[i] >= 100*samples.Percent:
		return Full, true
	}
	for _, f := range w.Known {
		if c.Features[f][i] == 0 || c.Features[f][j] == 0 {
			return NoValue, true
		}
	}
	return 0, false
}

// otherDevice reports whether two samples have different models.
func (w *Work) otherDevice(c *samples.Client, i, j int) bool {
	return w.Model >= 0 && c.Features[w.Model][i] != c.Features[w.Model][j]
}

// add adds a pair with the apps of both of its ends.
func (w *Work) add(c *samples.Client, p Pair) {
	w.key = w.key[:0]
	for _, f := range w.Within {
		for _, end := range []int{p.From, p.To} {
			v := c.Features[f][end]
			w.key = append(w.key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	// The conditions are often the same as in the previous pair.
	if n := len(w.Pairs); n > 0 && bytes.Equal(w.key, w.last) {
		p.Stratum = w.Pairs[n-1].Stratum
		w.Pairs = append(w.Pairs, p)
		w.run(c, p.From, p.To)
		return
	}
	stratum, ok := w.strata[string(w.key)]
	if !ok && w.Strata == maxStrata {
		w.Unpaired[ManyStrata]++
		return
	}
	if !ok {
		stratum = w.Strata
		w.strata[string(w.key)] = stratum
		w.Strata++
	}
	p.Stratum = stratum
	w.last = append(w.last[:0], w.key...)
	w.Pairs = append(w.Pairs, p)
	w.run(c, p.From, p.To)
}

// run adds the apps of two samples to the last pair.
func (w *Work) run(c *samples.Client, from, to int) {
	start := len(w.running)
	w.starts = append(w.starts, start)
	first := w.places(c, from)
	most := len(first) + len(c.Ran(to))
	w.running, w.ends = slices.Grow(w.running, most), slices.Grow(w.ends, most)
	running, ends := w.running[start:start+most], w.ends[start:start+most]
	n := copy(running, first)
	for i, at := range running[:n] {
		w.at[at], ends[i] = start+i+1, 1
	}
	for _, at := range w.places(c, to) {
		if in := w.at[at]; in > start {
			ends[in-start-1] = 2
			continue
		}
		running[n], ends[n] = at, 1
		n++
		w.at[at] = start + n
	}
	w.running, w.ends = w.running[:start+n], w.ends[:start+n]
}

// places returns the apps of a sample as indices in Apps. The result is cached, because the end of
// a pair is usually the start of the next pair.
func (w *Work) places(c *samples.Client, sample int) []uint32 {
	if sample == w.placed {
		return w.place
	}
	ran, n := c.Ran(sample), 0
	w.place, w.placed = slices.Grow(w.place[:0], len(ran))[:len(ran)], sample
	for _, entry := range ran {
		at := w.local[entry]
		if at == other {
			continue
		}
		if at == 0 {
			at = w.newPlace(c, entry)
		}
		w.place[n] = at - 1
		n++
	}
	w.place = w.place[:n]
	return w.place
}

// newPlace returns the index in Apps of the app of an entry, plus 1. It adds the app if necessary.
func (w *Work) newPlace(c *samples.Client, entry uint32) uint32 {
	e := &c.Entries[entry]
	at := w.local[e.First]
	if at == 0 {
		w.Apps = append(w.Apps, e.App)
		w.at = append(w.at, 0)
		at = uint32(len(w.Apps))
	}
	w.local[e.First], w.local[entry] = at, at
	return at
}
