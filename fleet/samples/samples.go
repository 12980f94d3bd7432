// Package samples reads the battery samples of a fleet of devices.
//
// A sample says what a client, one installation on one device, reported at one moment: the
// battery's level and state, which apps ran, and features of the device such as its model and
// network (Carat, SenSys 2013, §2.3 and §3.1). Samples come in any layout that columns.go
// knows, from files of any format that package table knows, and in any order; they leave as
// clients, each with all of its samples in the order of time.
//
// Laws. A client leaves once and whole. Its name is a keyed hash from the moment it is read, and
// appears nowhere. Entries of the process list that are no running apps, and daemons, are left
// out (§3.2). Memory is bounded: what does not fit is sorted on disk. What is wrong with a
// file as a whole is an error; what is wrong with a sample is counted (Counts) and the
// sample is left out. A Set may be used by several goroutines, each reading another part.
package samples

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// An ID is the keyed hash of a client's name.
type ID uint64

// PublicKey is the key of clients' hashes where nobody gave one. Whoever has the names of clients can
// find their hashes with it.
const PublicKey = "diffprof"

// MarkOf tells a key of clients' hashes from others, and does not tell the key.
func MarkOf(key []byte) ID { return HashClient(key, "mark of the key") }

// A State is what the battery does.
type State uint8

// The states. Unknown is that of samples that do not say it.
const (
	Unknown State = iota
	Discharging
	Charging
)

// A Trigger is why a sample was taken.
type Trigger uint8

// The triggers. A sample that was taken because the level changed knows the level exactly
// (§2.3).
const (
	Other Trigger = iota
	LevelChanged
	Restarted
)

// Percent is one per cent of a full battery, in the unit of levels.
const Percent = 1_000_000

// A Client has all samples of one client, the earliest first.
type Client struct {
	ID ID
	// Times are in milliseconds since 1970.
	Times []int64
	// Levels are in millionths of a per cent of a full battery.
	Levels []int32
	// Steps are the granularities of the levels; 0 if the level is exact.
	Steps    []int32
	States   []State
	Triggers []Trigger
	// Features has the values of each feature of the Set, as names: Features[f][i].
	// The name 0 is no value.
	Features [][]uint32
	// Rates is set for input that has rates instead of levels: the drain that a row has, in
	// 10⁻⁹ % a second. Then the other fields of time and level are empty.
	Rates []int64
	// Entries are what the client ran, each once.
	Entries []Entry

	starts []int32          // of each sample in ran
	ran    []uint32         // places in Entries
	first  []int32          // by the app's name: its first place in Entries, plus 1
	others map[Entry]uint32 // the places of those that are not the first of their app
}

// An Entry is an app in one version of it, both as names.
type Entry struct {
	App, Version uint32
	// First is the place in the client's Entries of the first one with the same app.
	First int32
}

// Len is the number of samples.
func (c *Client) Len() int { return len(c.starts) }

// Ran is what ran at a sample, each app once, as places in Entries.
func (c *Client) Ran(i int) []uint32 {
	from, to := c.starts[i], int32(len(c.ran))
	if i+1 < len(c.starts) {
		to = c.starts[i+1]
	}
	return c.ran[from:to]
}

// entry returns the place of an app in a version, which it makes if there is none.
func (c *Client) entry(app, version uint32) uint32 {
	if int(app) >= len(c.first) {
		c.first = append(c.first, make([]int32, int(app)+1-len(c.first))...)
	}
	at := int32(len(c.Entries))
	first := c.first[app] - 1
	switch {
	case first < 0:
		c.first[app], first = at+1, at
	case c.Entries[first].Version == version:
		return uint32(first)
	default:
		e := Entry{App: app, Version: version, First: first}
		if other, ok := c.others[e]; ok {
			return other
		}
		if c.others == nil {
			c.others = map[Entry]uint32{}
		}
		c.others[e] = uint32(at)
	}
	c.Entries = append(c.Entries, Entry{App: app, Version: version, First: first})
	return uint32(at)
}

// reset has the client begin anew, for features of the given number.
func (c *Client) reset(id ID, features int) {
	c.ID = id
	c.Times, c.Levels, c.Steps = c.Times[:0], c.Levels[:0], c.Steps[:0]
	c.States, c.Triggers, c.Rates = c.States[:0], c.Triggers[:0], c.Rates[:0]
	for _, e := range c.Entries {
		c.first[e.App] = 0
	}
	clear(c.others)
	c.starts, c.ran, c.Entries = c.starts[:0], c.ran[:0], c.Entries[:0]
	if c.Features == nil {
		c.Features = make([][]uint32, features)
	}
	for f := range c.Features {
		c.Features[f] = c.Features[f][:0]
	}
}

// A row is a sample on its way into a client. Its slices are valid until the next row.
type row struct {
	client         ID
	time           int64
	level          float64 // as it stands: in per cent, or a fraction of one
	step           float64 // in per cent; 0 if not said
	rate           float64 // in % a second; NaN if the row has levels
	state          State
	trigger        Trigger
	apps, versions []uint32
	features       []uint32
}

// What one client may have, so that it fits into memory: a sample a minute for two years, of 16 apps.
const (
	maxSamples = 1 << 20
	maxEntries = 1 << 24
)

// tooMany is counted for each sample that a client has beyond that.
const tooMany = "samples beyond the first million of a client"

// add adds a sample. It returns false if the client has too many.
func (c *Client) add(r *row) bool {
	if len(c.starts) >= maxSamples || len(c.ran)+len(r.apps) > maxEntries {
		return false
	}
	c.run(r.apps, r.versions)
	for f, v := range r.features {
		c.Features[f] = append(c.Features[f], v)
	}
	if r.rate >= 0 {
		c.Rates = append(c.Rates, int64(math.Round(r.rate*1e9)))
		return true
	}
	c.Times = append(c.Times, r.time)
	c.Levels = append(c.Levels, int32(math.Round(r.level*Percent)))
	c.Steps = append(c.Steps, int32(math.Round(r.step*Percent)))
	c.States = append(c.States, r.state)
	c.Triggers = append(c.Triggers, r.trigger)
	return true
}

// run adds what ran at the next sample. Versions may be fewer.
func (c *Client) run(apps, versions []uint32) {
	c.starts = append(c.starts, int32(len(c.ran)))
	for i, app := range apps {
		version := uint32(0)
		if i < len(versions) {
			version = versions[i]
		}
		c.ran = append(c.ran, c.entry(app, version))
	}
}

// finish makes the client's samples comparable: levels in per cent, steps known, in the order
// of time.
func (c *Client) finish(unit levelUnit, names *Names) {
	if len(c.Times) == 0 {
		return
	}
	c.inPercent(unit)
	c.findSteps()
	for i := 1; i < len(c.Times); i++ {
		if c.Times[i] < c.Times[i-1] || c.Times[i] == c.Times[i-1] && c.compare(i-1, i, names) > 0 {
			c.sort(names)
			return
		}
	}
}

// inPercent has levels in per cent. A client whose levels are all at most 1, some of them
// between 0 and 1, reports fractions.
func (c *Client) inPercent(unit levelUnit) {
	fraction := unit == unitFraction
	if unit == unitAuto {
		between := false
		for _, l := range c.Levels {
			between = between || l > 0 && l < Percent
		}
		fraction = between && slices.Max(c.Levels) <= Percent
	}
	if fraction {
		for i := range c.Levels {
			c.Levels[i] *= 100
		}
	}
}

// findSteps finds the granularity of a client that does not say it: 10 or 5 % if all of at least
// minLevels different levels are multiples of it (§5.1), else 1 %.
func (c *Client) findSteps() {
	const minLevels = 4
	if slices.Max(c.Steps) > 0 {
		return
	}
	levels := slices.Clone(c.Levels)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	step := int32(Percent)
	for _, coarse := range []int32{5 * Percent, 10 * Percent} {
		all := len(levels) >= minLevels
		for _, l := range levels {
			// A fraction such as 0.35 is not exactly 35 %.
			off := (l + Percent/2) / Percent * Percent
			all = all && off%coarse == 0
		}
		if all {
			step = coarse
		}
	}
	for i := range c.Steps {
		c.Steps[i] = step
	}
}

// compare puts samples in the order of time, those of one moment by falling level, then by all that
// they say, so that the order of the input does not matter.
func (c *Client) compare(i, j int, names *Names) int {
	if order := cmp.Or(
		cmp.Compare(c.Times[i], c.Times[j]), cmp.Compare(c.Levels[j], c.Levels[i]), cmp.Compare(c.Steps[i], c.Steps[j]),
		cmp.Compare(c.States[i], c.States[j]), cmp.Compare(c.Triggers[i], c.Triggers[j]),
	); order != 0 {
		return order
	}
	texts := func(i int) []string {
		var all []string
		for _, values := range c.Features {
			all = append(all, names.Text(values[i]))
		}
		slices.Sort(all) // features stand in any order
		for _, at := range c.Ran(i) {
			all = append(all, names.Text(c.Entries[at].App), names.Text(c.Entries[at].Version))
		}
		return all
	}
	return slices.Compare(texts(i), texts(j))
}

// sort puts the samples in order.
func (c *Client) sort(names *Names) {
	order := make([]int, c.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return c.compare(i, j, names) })
	old := *c
	*c = Client{ID: old.ID, Features: make([][]uint32, len(old.Features)), Entries: old.Entries, first: old.first, others: old.others}
	for _, i := range order {
		c.starts = append(c.starts, int32(len(c.ran)))
		c.ran = append(c.ran, old.Ran(i)...)
		for f := range c.Features {
			c.Features[f] = append(c.Features[f], old.Features[f][i])
		}
		c.Times = append(c.Times, old.Times[i])
		c.Levels = append(c.Levels, old.Levels[i])
		c.Steps = append(c.Steps, old.Steps[i])
		c.States = append(c.States, old.States[i])
		c.Triggers = append(c.Triggers, old.Triggers[i])
	}
}

// A part is a share of a set's clients.
type part func(ctx context.Context, f func(*Client) error) error

// A Set is the samples of a fleet, in parts that can be read at the same time.
type Set struct {
	// Names has the texts of apps, versions and values.
	Names *Names
	// Features are the names of the features, in the order of Client.Features.
	Features []string
	// Mark tells the key of the clients' hashes from others, and does not tell the key.
	Mark ID
	// Unused are columns of the input that are no feature; Options.Features takes them in.
	Unused []string
	parts  []part
	counts *counts
	close  func()
}

// Parts is the number of parts.
func (s *Set) Parts() int { return len(s.parts) }

// Each calls f for each client of a part. The client is valid until f returns. It may be called
// again, for the same clients in the same order.
func (s *Set) Each(ctx context.Context, part int, f func(*Client) error) error {
	return s.parts[part](ctx, f)
}

// Feature returns the index of a feature, or -1.
func (s *Set) Feature(name string) int { return slices.Index(s.Features, name) }

// Counts says how many samples were left out or repaired, by what was wrong with them.
func (s *Set) Counts() map[string]int64 { return s.counts.all() }

// Close removes what the set keeps on disk.
func (s *Set) Close() {
	if s.close != nil {
		s.close()
	}
}
