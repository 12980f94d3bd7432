package fleet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// hideRare removes the apps that fewer than MinGroup clients ran, and counts them. Later stages do
// not read these apps. The first stage does the same if it reads all clients.
func (f *Fleet) hideRare() { hideRareIn(f.Sums) }

// hideRareIn removes the rare apps of a table, and counts them.
func hideRareIn(t *sums.Table) {
	ran, hidden := map[string]bool{}, int64(0)
	t.EachUnsorted("ran", func(rest []string, r *sums.Row) {
		if r[0].Int64() < MinGroup {
			hidden++
		} else {
			ran[rest[0]] = true
		}
	})
	if hidden == 0 {
		return
	}
	t.Add(sums.Key("hidden", ""), hidden)
	for _, kind := range appKinds {
		rename(t, kind, func(rest []string, _ *sums.Row) []string {
			if rest[0] != "" && !ran[rest[0]] {
				return nil
			}
			return rest
		})
	}
}

// appKinds are the kinds of rows, such as "ran", that have sums of a single app.
var appKinds = []string{"ran", "app", "dist"}

// commonApps returns a function that reports whether at least MinGroup clients ran an app.
func (f *Fleet) commonApps(set *samples.Set) func(app uint32) bool {
	if f.common.names != set.Names {
		f.common = commonApps{names: set.Names}
		f.Sums.EachUnsorted("ran", func(rest []string, _ *sums.Row) { f.common.apps.set(set.Names.ID(rest[0]), true) })
	}
	return f.common.apps.get
}

// commonApps has the apps that at least MinGroup clients ran.
type commonApps struct {
	names *samples.Names
	apps  byName[bool]
}

// hide removes sums that later results do not need and that files should not contain. For example,
// it removes versions that few clients ran, and models with too few clients for a cohort.
func (f *Fleet) hide() {
	for _, kind := range []string{"effect", "follow", "prior", "value"} {
		f.Sums.Take(kind, func([]string, *sums.Row) {})
	}
	f.hideVersions()
	f.hideOwn()
	if !f.HasFeature(samples.Model) {
		return
	}
	clients := map[string]int{}
	f.Sums.Each("client", func(rest []string, _ *sums.Row) { clients[rest[1]]++ })
	rename(f.Sums, "client", func(rest []string, _ *sums.Row) []string {
		if clients[rest[1]] < minScored {
			return []string{rest[0], ""}
		}
		return rest
	})
}

// leastClients returns the minimum number of clients that a value of the feature needs to be
// stored.
func leastClients(feature string) int64 {
	if feature == samples.Model {
		return minScored
	}
	return MinGroup
}

// hideVersions replaces the versions that fewer than MinGroup clients ran by otherValue.
func (f *Fleet) hideVersions() {
	few := map[[2]string]bool{}
	f.Sums.Take("version", func(rest []string, r *sums.Row) {
		if r[0].Int64() < MinGroup {
			few[[2]string{rest[0], rest[1]}] = true
		}
	})
	if len(few) == 0 {
		return
	}
	cells := map[string]sums.Row{}
	f.Sums.Take("cell", func(rest []string, r *sums.Row) {
		app, versions := rest[0], strings.Split(rest[2], "|")
		for i, v := range versions {
			if few[[2]string{app, v}] {
				versions[i] = otherValue
			}
		}
		slices.Sort(versions)
		key := sums.Key("cell", app, rest[1], strings.Join(slices.Compact(versions), "|"))
		row := cells[key]
		for i := range row {
			row[i].Plus(r[i])
		}
		cells[key] = row
	})
	for key, row := range cells {
		*f.Sums.Row(key) = row
	}
}

// hideOwn removes rare values from the rows about single clients. Versions, networks and systems
// need MinGroup clients. Models need minScored clients.
func (f *Fleet) hideOwn() {
	clients := map[[3]string]map[string]bool{}
	key := func(rest []string, i int) [3]string {
		if i > 2 {
			return [3]string{strconv.Itoa(i), rest[i]}
		}
		return [3]string{strconv.Itoa(i), rest[i], rest[1]} // Two apps may have equal version names.
	}
	f.Sums.Each("own", func(rest []string, _ *sums.Row) {
		for i := 2; i < len(rest); i++ {
			if clients[key(rest, i)] == nil {
				clients[key(rest, i)] = map[string]bool{}
			}
			clients[key(rest, i)][rest[0]] = true
		}
	})
	var all []string
	var rows []sums.Row
	f.Sums.Take("own", func(rest []string, r *sums.Row) {
		made := append([]string{"own"}, rest...)
		for i := 2; i < len(rest); i++ {
			if int64(len(clients[key(rest, i)])) < leastClients(ownFeatures[min(i-2, len(ownFeatures)-1)]) {
				made[i+1] = ""
			}
		}
		all, rows = append(all, sums.Key(made...)), append(rows, *r)
	})
	for i, key := range all {
		row := f.Sums.Row(key)
		for n := range row {
			row[n].Plus(rows[i][n])
		}
	}
}

// rename calls a function for the key of each row of a kind, and stores the row under the key that
// it returns. If the result is nil, the row is removed.
func rename(t *sums.Table, kind string, key func(rest []string, r *sums.Row) []string) {
	t.Take(kind, func(rest []string, r *sums.Row) {
		if made := key(rest, r); made != nil {
			*t.Row(sums.Key(append([]string{kind}, made...)...)) = *r
		}
	})
}
