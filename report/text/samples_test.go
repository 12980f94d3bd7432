package text

import (
	"flag"
	"io"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/reporttest"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// sections has the functions that write the sections of a golden file.
type sections map[string]func(w io.Writer) error

// TestLines renders the lines of runs with and without a meter. A wide page has more columns.
func TestLines(t *testing.T) {
	all := sections{}
	for what, l := range reporttest.Lines() {
		all[what] = func(w io.Writer) error { return Lines(w, l, report.Options{}) }
		switch what {
		case "one run", "two runs", "measured", "two measured runs", "executions":
			all[what+", wide"] = func(w io.Writer) error { return Lines(w, l, report.Options{Width: 160, Color: true}) }
		}
	}
	reporttest.Hold(t, "lines.txtar", *update, all)
}

// TestAPITables describes tables of API costs. Lists that are too long are cut.
func TestAPITables(t *testing.T) {
	all := sections{}
	for what, table := range reporttest.APITables(53) {
		all[what] = func(w io.Writer) error { return APITable(w, table, report.Options{}) }
	}
	const long = "a table, a run and an app"
	all[long+", short"] = func(w io.Writer) error { return APITable(w, reporttest.APITables(10)[long], report.Options{}) }
	reporttest.Hold(t, "apitables.txtar", *update, all)
}

// TestProfileParts renders parts of profiles that need other inputs: costs of APIs, Android's
// estimate, and measured power over time.
func TestProfileParts(t *testing.T) {
	all := sections{}
	for what, p := range reporttest.ProfileParts(13) {
		all[what] = func(w io.Writer) error { return Profile(w, p, report.Options{}) }
	}
	for _, what := range []string{"API costs with guesses", "battery use", "rails"} {
		all[what+", short"] = func(w io.Writer) error { return Profile(w, reporttest.ProfileParts(10)[what], report.Options{}) }
	}
	reporttest.Hold(t, "profileparts.txtar", *update, all)
}

// TestBundlePairs renders the active periods of components in two runs.
func TestBundlePairs(t *testing.T) {
	all := sections{}
	for what, n := range map[string]int{"all pairs": 15, "the first pairs": 17} {
		all[what] = func(w io.Writer) error {
			p := newPage(report.Options{}, 100*units.Millijoule, report.Input{Unit: "nJ"})
			p.methods = reporttest.Methods()
			p.bundlePairs(reporttest.BundlePairs(n))
			return p.flush(w)
		}
	}
	reporttest.Hold(t, "bundlepairs.txtar", *update, all)
}

// TestDoctors renders what keeps a gate from working.
func TestDoctors(t *testing.T) {
	all := sections{}
	for what, d := range reporttest.Doctors() {
		all[what] = func(w io.Writer) error { return Doctor(w, d, report.Options{}) }
	}
	reporttest.Hold(t, "doctors.txtar", *update, all)
}
