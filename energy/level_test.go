package energy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// lit is a device whose screen draws 300 mW plus 10 mW per percent of brightness.
func lit() *model.Device {
	screen := onOff("screen", 300_000, trace.OpStart, trace.OpStop)
	screen.States[1].PerLevel = 10_000
	return &model.Device{Name: "phone", Components: []model.Component{screen}}
}

// beneath adds a battery history to a run of the given length. It returns the screen component and
// the trace.
func beneath(t *testing.T, path string, length time.Duration) (energy.Component, *trace.Trace) {
	t.Helper()
	side, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer side.Close()
	shift := time.Duration(0)
	run, err := align.Join(t.Context(), newTape(fmt.Sprintf("0 main +app.A.run\n%v main -app.A.run", length.Seconds())),
		[]align.Side{{Name: path, Recording: side}}, align.Alignment{Shift: &shift})
	if err != nil {
		t.Fatal(err)
	}
	metered := energy.Meter(run, energy.Options{Device: lit()})
	tree, tr, err := cct.Build(t.Context(), metered, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := metered.Components()[0]
	if c.Use+c.Tail != 0 || tree.Energy.Total() != c.Rest {
		t.Errorf("%s: the run drained %d nJ, of it the screen %d for nobody", path, tree.Energy.Total(), c.Rest)
	}
	return c, tr
}

// TestLevels checks that the power of a state follows the level over time, and that an unknown
// level gives a warning.
func TestLevels(t *testing.T) {
	const head = "Battery History (0% used, 1 used of 256KB, 1 strings using 1):\n 0 (9) RESET:TIME: 2026-01-01-00-00-00\n"
	for _, c := range []struct {
		name, history string
		millijoules   units.Energy
		warning       string
	}{
		{"bright, then dark", " 0 (2) 100 +screen brightness=bright\n +10s000ms (2) 100 brightness=dark\n +20s000ms (2) 100 -screen\n +30s000ms (2) 100 brightness=dim\n", 10*1200 + 10*400, ""},
		{"known before it is on", " 0 (2) 100 brightness=medium\n +5s000ms (2) 100 +screen\n +15s000ms (2) 100 -screen\n", 10 * 800, ""},
		{"known late", " 0 (2) 100 +screen\n +4s000ms (2) 100 brightness=dim\n +8s000ms (2) 100 -screen\n", 4*300 + 4*600,
			"screen: its power depends on its level, which the recording states only later, for 4s; it counts with its power at level 0, so its energy is too low"},
		{"never known", " 0 (2) 100 +screen\n +8s000ms (2) 100 -screen\n", 8 * 300,
			"screen: its power depends on its level, which the recording does not state, for 8s; it counts with its power at level 0, so its energy is too low"},
	} {
		path := filepath.Join(t.TempDir(), "battery.txt")
		if err := os.WriteFile(path, []byte(head+c.history), 0o666); err != nil {
			t.Fatal(err)
		}
		got, tr := beneath(t, path, 40*time.Second)
		if want := c.millijoules * units.Millijoule; got.Energy() != want {
			t.Errorf("%s: %d nJ, want %d", c.name, got.Energy(), want)
		}
		message := ""
		for _, w := range tr.Warnings {
			if w.Code == "unknown-level" {
				message = w.Message
			}
		}
		if message != c.warning {
			t.Errorf("%s: %q, want %q", c.name, message, c.warning)
		}
	}
}

// TestRealBrightness compares the screen energy of real histories with a sum over the lines of the
// history.
func TestRealBrightness(t *testing.T) {
	paths, err := filepath.Glob("../../shared/data/batterystats/emanafa-*.log")
	if err != nil || len(paths) == 0 {
		t.Skip("no real histories: ../shared is not here")
	}
	line := regexp.MustCompile(`^ *(0|\+\S+) \(\d+\) (.*)$`)
	steps := map[string]int64{"dark": 10, "dim": 30, "medium": 50, "light": 70, "bright": 90}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var on, known bool
		var last, now time.Duration
		var level int64
		want := int64(0) // in µW·ms, which are nJ
		for text := range strings.Lines(strings.ReplaceAll(string(data), "\r", "")) {
			m := line.FindStringSubmatch(strings.TrimRight(text, "\n"))
			if m == nil {
				if known && strings.TrimSpace(text) == "" {
					break
				}
				continue
			}
			if now = 0; m[1] != "0" {
				if now, err = time.ParseDuration(m[1][1:]); err != nil {
					t.Fatal(path, err)
				}
			}
			if now < last {
				continue
			}
			if on {
				want += (now - last).Milliseconds() * (300_000 + 10_000*level)
			}
			last, known = now, true
			for _, w := range strings.Fields(m[2]) {
				switch {
				case w == "+screen":
					on = true
				case w == "-screen":
					on = false
				case strings.HasPrefix(w, "brightness="):
					level = steps[w[len("brightness="):]]
				}
			}
		}
		got, _ := beneath(t, path, last)
		t.Logf("%s: the screen drains %v J in %v", filepath.Base(path), float64(got.Energy())/1e9, last)
		if int64(got.Energy()) != want || want == 0 {
			t.Errorf("%s: the screen drains %d nJ, its lines say %d", path, got.Energy(), want)
		}
	}
}
