// Package samples reads the battery samples of a fleet of devices.
//
// A client is one installation on one device. A sample is a client's report at one time. It has the
// level and state of the battery, the running apps, and features of the device such as its model
// and network (Carat, SenSys 2013, §2.3 and §3.1). The samples may be in any order, in many layouts
// (columns.go) and formats (package table). The result has one Client for each client, with all of
// its samples, sorted by time.
//
// The following laws hold:
//
//   - The name of a client is hashed with a key when it is read. It is not stored.
//   - Daemons are left out, and so are listed processes that do not run (§3.2).
//   - Memory is bounded: samples that do not fit in memory are sorted on disk.
//   - A fault that affects a whole file is an error. A faulty sample is counted and left out (Counts).
//   - Several goroutines may read different parts of a Set.
package samples

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// An ID is the keyed hash of a client's name.
type ID uint64

// PublicKey is the default key for the clients' hashes. With this key, anyone who knows the names
// of clients can compute their hashes.
const PublicKey = "diffprof"

// MarkOf returns a fingerprint of a key for clients' hashes. It does not reveal the key.
func MarkOf(key []byte) ID { return HashClient(key, "mark of the key") }

// A State is the state of the battery.
type State uint8

// The states. A sample without a state is Unknown.
const (
	Unknown State = iota
	Discharging
	Charging
)

// A Trigger is the reason why a sample was taken.
type Trigger uint8

// The triggers. If the trigger is LevelChanged, the level is exact (§2.3).
const (
	Other Trigger = iota
	LevelChanged
	Restarted
)

// Percent is 1 % of a full battery, in the unit of levels.
const Percent = 1_000_000

// A Client has all samples of one client, the earliest first.
type Client struct {
	ID ID
	// Times are in milliseconds since 1970.
	Times []int64
	// Levels are in millionths of a per cent of a full battery.
	Levels []int32
	// Steps are the steps in which levels were read, in the same unit. 0 means that the level is
	// exact.
	Steps    []int32
	States   []State
	Triggers []Trigger
	// Features has the values of the Set's features, as numbers from Names: Features[f][i] is
	// feature f of sample i. 0 means that the value is missing.
	Features [][]uint32
	// Rates is set if the input has rates instead of levels. It has the rate of each row, in 10⁻⁹ %
	// per second. Times, Levels and Steps are then empty.
	Rates []int64
	// Entries are the apps that the client ran, with one entry for each version of an app.
	Entries []Entry

	starts []int32          // starts has, for each sample, the index of its first app in ran.
	ran    []uint32         // ran has indices in Entries.
	first  []int32          // first maps the ID of an app to its first index in Entries, plus 1.
	others map[Entry]uint32 // others maps an entry to its index in Entries, for later versions of an app.
}

// An Entry is one version of an app. App and Version are IDs from Names.
type Entry struct {
	App, Version uint32
	// First is the index of the app's first entry in the client's Entries.
	First int32
}

// Len returns the number of samples.
func (c *Client) Len() int { return len(c.starts) }

// Ran returns the apps of sample i, as indices in Entries. Each app is listed once.
func (c *Client) Ran(i int) []uint32 {
	from, to := c.starts[i], int32(len(c.ran))
	if i+1 < len(c.starts) {
		to = c.starts[i+1]
	}
	return c.ran[from:to]
}

// entry returns the index of a version of an app. It adds the entry if necessary.
func (c *Client) entry(app, version uint32) uint32 {
	if IsRare(app) {
		return c.rareEntry(app, version)
	}
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

// rareEntry returns the index of a version of a rare app. Rare apps are not in Client.first,
// because their numbers are large.
func (c *Client) rareEntry(app, version uint32) uint32 {
	e := Entry{App: app, Version: version, First: -1}
	at, ok := c.others[e]
	if !ok {
		if c.others == nil {
			c.others = map[Entry]uint32{}
		}
		at = uint32(len(c.Entries))
		c.others[e] = at
		c.Entries = append(c.Entries, Entry{App: app, Version: version, First: int32(at)})
	}
	return at
}

// reset removes all samples from the client. features is the number of features.
func (c *Client) reset(id ID, features int) {
	c.ID = id
	c.Times, c.Levels, c.Steps = c.Times[:0], c.Levels[:0], c.Steps[:0]
	c.States, c.Triggers, c.Rates = c.States[:0], c.Triggers[:0], c.Rates[:0]
	for _, e := range c.Entries {
		if !IsRare(e.App) {
			c.first[e.App] = 0
		}
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

// A row is a sample before it is added to a client. Its slices are valid until the next row.
type row struct {
	client         ID
	time           int64
	level          float64 // level is in the unit of the input: in per cent, or a fraction.
	step           float64 // step is in per cent. It is 0 if the input has none.
	rate           float64 // rate is in % per second. It is NaN if the row has levels.
	state          State
	trigger        Trigger
	apps, versions []uint32
	features       []uint32
}

// These limits make a client fit in memory. They allow one sample per minute for two years, with 16
// apps each.
const (
	maxSamples = 1 << 20
	maxEntries = 1 << 24
)

// tooMany is the description of a fault.
const tooMany = "samples beyond the first million of a client"

// add adds a sample. It returns false if the client has reached its limit.
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

// run adds the apps of the next sample. versions may be shorter than apps.
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

// finish completes a client after its last sample. It converts levels to per cent, finds their
// steps, and sorts the samples by time.
func (c *Client) finish(r *reader) {
	if len(c.Times) == 0 {
		return
	}
	names := r.Names
	c.inPercent(r.unit)
	c.findSteps()
	for i := 1; i < len(c.Times); i++ {
		if c.Times[i] < c.Times[i-1] || c.Times[i] == c.Times[i-1] && c.compare(i-1, i, names) > 0 {
			c.sort(names)
			break
		}
	}
	for code, n := range c.resolveStates(r.platform) {
		r.set.counts.addMany(unknownState(strconv.Itoa(int(code-code0))), n)
	}
}

// inPercent converts levels to per cent. A client's levels are fractions if all of them are at most
// 1 and some are between 0 and 1.
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

// findSteps guesses the step of levels for a client that does not report it. If at least minLevels
// different levels occur and all are multiples of 10 or 5 %, that is the step (§5.1). Otherwise it
// is 1 %.
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
			// A fraction such as 0.35 is not exactly 35 %, so it is rounded.
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

// compare orders samples by time, then by falling level. All other values follow, so that the order
// of the input does not matter.
func (c *Client) compare(i, j int, names *Names) int {
	if order := cmp.Or(
		cmp.Compare(c.Times[i], c.Times[j]), cmp.Compare(c.Levels[j], c.Levels[i]), cmp.Compare(c.Steps[i], c.Steps[j]),
		cmp.Compare(c.States[i], c.States[j]), cmp.Compare(c.Triggers[i], c.Triggers[j]),
	); order != 0 {
		return order
	}
	hashes := func(i int) []uint32 {
		var all []uint32
		for _, values := range c.Features {
			all = append(all, names.hash(values[i]))
		}
		slices.Sort(all) // Features may be in any order.
		for _, at := range c.Ran(i) {
			all = append(all, names.hash(c.Entries[at].App), names.hash(c.Entries[at].Version))
		}
		return all
	}
	return slices.Compare(hashes(i), hashes(j))
}

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

// A part reads a part of a set's clients.
type part func(ctx context.Context, f func(*Client) error) error

// A Set has the samples of a fleet, in parts that can be read concurrently.
type Set struct {
	// Names has the texts of apps, versions and values.
	Names *Names
	// Features are the names of the features, in the same order as in Client.Features.
	Features []string
	// Mark is a fingerprint of the key for the clients' hashes. It does not reveal the key.
	Mark ID
	// Unused has the columns of the input that are not used. Map.Features can turn them into
	// features.
	Unused []string
	// Layouts show how the files are read. They are empty unless Options.Show is set.
	Layouts []Layout
	// RareApps is the approximate number of apps that Options.Common left out.
	RareApps int64
	parts    []part
	counts   *counts
	close    func()
}

// Parts returns the number of parts.
func (s *Set) Parts() int { return len(s.parts) }

// Each calls f for each client of a part. The client is valid until f returns. Each call of Each
// visits the same clients in the same order.
func (s *Set) Each(ctx context.Context, part int, f func(*Client) error) error {
	return s.parts[part](ctx, f)
}

// EachParallel reads each client once, with several goroutines. If workers is 0, there is one per
// processor.
//
// It first calls worker once for each goroutine, one call after the other. The goroutine then
// passes its clients to the function that worker returned. A client is valid until that function
// returns.
//
// progress gets the number of parts read and their total. It may be called from any goroutine, and
// may be nil. EachParallel returns the first error of reading.
func (s *Set) EachParallel(ctx context.Context, workers int, worker func() func(*Client), progress func(done, total int)) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var group sync.WaitGroup
	for range max(1, min(workers, s.Parts())) {
		f := worker()
		group.Go(func() {
			for part := int(next.Add(1)) - 1; part < s.Parts(); part = int(next.Add(1)) - 1 {
				err := s.Each(ctx, part, func(c *Client) error {
					f(c)
					return nil
				})
				if err != nil {
					cancel(err)
					return
				}
				if n := int(done.Add(1)); progress != nil {
					progress(n, s.Parts())
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// Feature returns the index of a feature, or -1.
func (s *Set) Feature(name string) int { return slices.Index(s.Features, name) }

// Counts returns the number of samples that were left out or repaired, for each kind of fault.
func (s *Set) Counts() map[string]int64 { return s.counts.numbers() }

// Faults returns the kinds of faults, the most frequent first.
func (s *Set) Faults() []Fault { return s.counts.faults() }

// Close removes the set's temporary files.
func (s *Set) Close() {
	if s.close != nil {
		s.close()
	}
}
