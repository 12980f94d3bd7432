package markdown

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestProfileHasTheColumnsThatItKnows checks that times, calls and components have a column each, and
// only if the run has them.
func TestProfileHasTheColumnsThatItKnows(t *testing.T) {
	calls := int64(1200)
	parts := []report.Component{{Name: "cpu", Use: 30 * units.Millijoule}, {Name: "wifi", Use: 6 * units.Millijoule, Tail: 4 * units.Millijoule}}
	row := report.ProfileRow{Method: "main", ProfileUse: report.ProfileUse{
		TopUse: report.TopUse{
			Exclusive: 25 * units.Millijoule, ExclusiveShare: 0.25, Inclusive: 40 * units.Millijoule, InclusiveShare: 0.4, Counts: report.Counts{Calls: &calls},
		},
		ExclusiveTime: 21_000_000, ExclusiveBy: parts[:1], InclusiveBy: parts,
	}}
	for _, c := range []struct {
		clock, counts string
		components    []report.Component
		want          string
	}{
		{"", "", nil, "| method | code | self | share | all | share | | `main` | – | 25.0 | 25.0% | 40.0 | 40.0% |"},
		{"cpu", "", nil, "| method | code | self | share | all | share | time | | `main` | – | 25.0 | 25.0% | 40.0 | 40.0% | 21 ms |"},
		{"", "calls", nil, "| method | code | self | share | all | share | calls | | `main` | – | 25.0 | 25.0% | 40.0 | 40.0% | 1,200 |"},
		{"", "", parts, "| method | code | self | share | all | share | all by component | | `main` | – | 25.0 | 25.0% | 40.0 | 40.0% | cpu 30.0, wifi 6.00 + 4.00 tail |"},
	} {
		r := &report.Profile{By: "method", Sort: "self", Clock: c.clock, Counts: c.counts, Components: c.components, Rows: []report.ProfileRow{row}, Total: 1,
			Input: report.Input{Energy: 100 * units.Millijoule}}
		p := &profilePage{Profile: r, scale: scaleOf(report.Options{}, r.Input, nil)}
		p.flat()
		var lines []string
		for line := range strings.Lines(p.String()) {
			if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|:") {
				lines = append(lines, strings.Fields(line)...)
			}
		}
		if got := strings.Join(lines, " "); got != c.want {
			t.Errorf("clock %q, counts %q, %d components:\n%s\nwant\n%s", c.clock, c.counts, len(c.components), got, c.want)
		}
	}
}

// TestThreadsEndWithTheirNumber checks that a long list of threads is cut, and that the others are
// counted.
func TestThreadsEndWithTheirNumber(t *testing.T) {
	threads := make([]report.ProfileRow, maxThreads+2)
	for i := range threads {
		threads[i].Method = "worker"
		threads[i].Exclusive = units.Millijoule
	}
	for n, want := range map[int]string{1: "", maxThreads: "", maxThreads + 1: "\n\n1 thread more.\n", maxThreads + 2: "\n\n2 threads more.\n"} {
		p := &profilePage{Profile: &report.Profile{Input: report.Input{Energy: units.Joule}}, scale: scaleOf(report.Options{}, report.Input{Energy: units.Joule}, nil)}
		p.rows("thread", threads[:n], func(u *report.ProfileUse) (units.Energy, []report.Component) { return u.Exclusive, nil })
		if rows := strings.Count(p.String(), "`worker`"); rows != min(n, maxThreads) {
			t.Errorf("%d rows of %d threads", rows, n)
		}
		if !strings.HasSuffix(p.String(), want) || strings.Contains(p.String(), "more") != (want != "") {
			t.Errorf("%d threads end with %q, want %q", n, p.String(), want)
		}
	}
}

// TestRowsHaveTheCategoryOfALibrary checks that a library has its purpose after its name.
func TestRowsHaveTheCategoryOfALibrary(t *testing.T) {
	list := []report.ProfileRow{{Method: "okhttp3", Category: "HTTP"}, {Method: "own"}}
	list[0].Inclusive, list[1].Inclusive = 30*units.Millijoule, 10*units.Millijoule
	in := report.Input{Energy: 100 * units.Millijoule}
	p := &profilePage{Profile: &report.Profile{Input: in}, scale: scaleOf(report.Options{}, in, nil)}
	p.rows("library", list, func(u *report.ProfileUse) (units.Energy, []report.Component) { return u.Inclusive, nil })
	for _, want := range []string{"`okhttp3` (HTTP) | 30.0 | 30.0% |", "`own` | 10.0 | 10.0% |"} {
		if shown := strings.Join(strings.Fields(p.String()), " "); !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, p.String())
		}
	}
}
