package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// entriesOf returns entries of an app. Each run differs from its entry's level by at most 2 %.
func entriesOf(app string, runs int, levels ...float64) []history.Entry {
	random := rand.New(rand.NewPCG(1, uint64(runs)))
	var entries []history.Entry
	for _, level := range levels {
		e := history.Entry{App: app}
		for range runs {
			e.Runs = append(e.Runs, history.Run{Energy: units.Energy(level * (0.98 + 0.04*random.Float64()))})
		}
		entries = append(entries, e)
	}
	return entries
}

// TestHistoryTroubles checks the growth that a history shows and its troubles, for series of
// entries of different lengths.
func TestHistoryTroubles(t *testing.T) {
	const e = 1e9
	var got strings.Builder
	show := func(name string, entries []history.Entry) {
		shows, troubles := report.HistoryTroubles(entries)
		for _, h := range shows {
			grow := func(g *float64) string {
				if g == nil {
					return "none"
				}
				return fmt.Sprint(*g)
			}
			fmt.Fprintf(&got, "%s: %s: %d entries, %d runs, next %s, lasting %s, alike %v\n", name, h.App, h.Entries, h.Runs, grow(h.Next), grow(h.Lasting), h.Alike)
		}
		for _, x := range troubles {
			fmt.Fprintf(&got, "  %s: %s\n", x.Code, x.Message)
		}
	}
	show("none", nil)
	show("steady", entriesOf("a", 4, e, e, e, e, e, e))
	show("three entries", entriesOf("a", 3, e, e, e))
	show("one run", entriesOf("a", 1, e, e, e, e, e, e, e, e))
	show("without runs", []history.Entry{{App: "a"}, {App: "a"}})
	show("stepped", entriesOf("a", 4, e, e, e, e, 2*e, 2*e, 2*e, 2*e))
	show("drifting", entriesOf("a", 3, e, 1.1*e, 1.2*e, 1.3*e, 1.4*e, 1.5*e, 1.6*e, 1.7*e))
	show("two apps", append(entriesOf("a", 4, e, e, e, e), entriesOf("b", 2, e, e, e, e, e)...))
	const want = `steady: a: 6 entries, 4 runs, next 0.05, lasting 0.03, alike false
three entries: a: 3 entries, 3 runs, next 0.03, lasting 0.02, alike false
  history-few-entries: the history of a has 3 entries: with fewer than 4, a difference between days looks like a change
one run: a: 8 entries, 1 runs, next none, lasting 0.01, alike false
  history-one-run: the history of a has one run per entry, so the latest entry alone never shows a change; add three runs or more per entry
without runs: a: 2 entries, 0 runs, next none, lasting none, alike false
  history-few-entries: the history of a has 2 entries: with fewer than 4, a difference between days looks like a change
  history-one-run: the history of a has one run per entry, so the latest entry alone never shows a change; add three runs or more per entry
stepped: a: 8 entries, 4 runs, next 0.03, lasting 0.03, alike false
drifting: a: 8 entries, 3 runs, next none, lasting none, alike true
  history-alike: the history of a has entries that may depend on their neighbors, so small growth shows late; to be sure, record two commits in turn and compare them
two apps: a: 4 entries, 4 runs, next 0.05, lasting 0.03, alike false
two apps: b: 5 entries, 2 runs, next none, lasting 0.03, alike false
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestShownGrowthIsFound adds entries that cost more by the growth that the history shows. A
// change must be found at the first of them, and none with a much smaller growth.
func TestShownGrowthIsFound(t *testing.T) {
	const e = 1e9
	for _, levels := range [][]float64{{e, e, e, e, e, e}, {e, e, e, e, 2 * e, 2 * e, 2 * e, 2 * e}} {
		entries := entriesOf("a", 4, levels...)
		shows, _ := report.HistoryTroubles(entries)
		last := levels[len(levels)-1]
		for n, growth := range map[int]*float64{1: shows[0].Next, 4: shows[0].Lasting} {
			if growth == nil {
				t.Errorf("%v: no growth of %d entries", levels, n)
				continue
			}
			for factor, found := range map[float64]bool{1.5: true, 0.1: false} {
				var points [][]float64
				for _, entry := range entries {
					var runs []float64
					for _, r := range entry.Runs {
						runs = append(runs, float64(r.Energy))
					}
					points = append(points, runs)
				}
				grown := (1 + *growth*factor) * last
				for range n {
					points = append(points, []float64{0.985 * grown, 0.995 * grown, 1.005 * grown, 1.015 * grown})
				}
				at := false
				for _, c := range change.Find(points).Changes {
					at = at || c.At == len(levels) && c.Costlier()
				}
				if at != found {
					t.Errorf("%v: a growth by %v in %d entries is found: %v", levels, *growth*factor, n, at)
				}
			}
		}
	}
}
