package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/report/words"
)

// HistorySensitivity is how much growth the next entries of a history series can detect.
type HistorySensitivity struct {
	App      string `json:"app"`
	Device   string `json:"device"`
	Scenario string `json:"scenario"`
	Entries  int    `json:"entries"`
	// Runs is the typical number of runs per entry.
	Runs int `json:"runs"`
	// Next is the smallest growth that the next entry alone detects, such as 0.05 for 5 %. Lasting
	// is the smallest growth that the next four entries together detect. They are null if not even
	// a doubling is detected.
	Next    *float64 `json:"next"`
	Lasting *float64 `json:"lasting"`
	// Alike is set if the largest step may be a slow drift of conditions, such as temperature.
	Alike   bool   `json:"alike"`
	Message string `json:"message"`
}

// The codes of troubles of a history.
const (
	HistoryUnreadable = "history-unreadable"
	HistoryFew        = "history-few-entries"
	HistoryOneRun     = "history-one-run"
	HistoryAlike      = "history-alike"
)

// growths are the candidates for Next and Lasting, in order.
var growths = []float64{0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1}

// lasting is the number of entries for HistorySensitivity.Lasting.
const lasting = 4

// HistoryTroubles checks each series of a history: one app on one device in one scenario. entries
// are sorted by commit.
func HistoryTroubles(entries []history.Entry) (shows []HistorySensitivity, found []Trouble) {
	type key struct{ app, device, scenario string }
	var keys []key
	series := make(map[key][][]float64)
	for i := range entries {
		e := &entries[i]
		k := key{e.App, e.Device, e.Scenario}
		if _, ok := series[k]; !ok {
			keys = append(keys, k)
		}
		var runs []float64
		for _, r := range e.Runs {
			runs = append(runs, float64(r.Energy))
		}
		series[k] = append(series[k], runs)
	}
	for _, k := range keys {
		h := newHistorySensitivity(series[k])
		h.App, h.Device, h.Scenario = k.app, k.device, k.scenario
		names := slices.DeleteFunc([]string{k.app, k.device, k.scenario}, func(s string) bool { return s == "" })
		name := "the history"
		if len(names) > 0 {
			name += " of " + strings.Join(names, ", ")
		}
		h.Message = words.HistoryShown(name, h.Entries, h.Runs, h.Next, h.Lasting)
		shows = append(shows, h)
		caution := func(code, format string, args ...any) {
			found = append(found, Trouble{code, false, name + " " + fmt.Sprintf(format, args...)})
		}
		switch {
		case h.Entries < minEntries:
			caution(HistoryFew, "has %s: with fewer than %d, a difference between days looks like a change", words.Entries(h.Entries), minEntries)
		case h.Alike:
			caution(HistoryAlike, "has entries that may depend on their neighbors, so small growth shows late; to be sure, record two commits in turn and compare them")
		}
		if h.Runs < 2 {
			caution(HistoryOneRun, "has one run per entry, so the latest entry alone never shows a change; add three runs or more per entry")
		}
	}
	return shows, found
}

// minEntries is the smallest number of entries for which package change tests the conditions.
const minEntries = 4

// newHistorySensitivity computes the growth that the next entries can detect. points has one list
// of run energies per entry.
func newHistorySensitivity(points [][]float64) HistorySensitivity {
	h := HistorySensitivity{Entries: len(points)}
	var counts []int
	for _, runs := range points {
		counts = append(counts, len(runs))
	}
	slices.Sort(counts)
	h.Runs = counts[len(counts)/2]
	found := change.Find(points)
	h.Alike = found.Confounded
	level := 0
	if n := len(found.Changes); n > 0 {
		level = found.Changes[n-1].At
	}
	runs := slices.Sorted(slices.Values(slices.Concat(points[level:]...)))
	if len(runs) == 0 {
		return h
	}
	least := func(entries int) *float64 {
		for _, growth := range growths {
			more := slices.Clone(points)
			for range entries {
				var grown []float64
				for k := range h.Runs {
					grown = append(grown, (1+growth)*runs[(2*k+1)*len(runs)/(2*h.Runs)])
				}
				more = append(more, grown)
			}
			if slices.ContainsFunc(change.Find(more).Changes, func(c change.Change) bool { return c.At == len(points) && c.Costlier() }) {
				return &growth
			}
		}
		return nil
	}
	h.Next, h.Lasting = least(1), least(lasting)
	return h
}
