package energy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// TestRealTails charges the radio of a real recording under four models, and compares the figures
// with the table in docs/energy.md.
func TestRealTails(t *testing.T) {
	const path = "../../shared/data/art/likaci-cpu_trace.trace"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no recording: ", err)
	}
	doc, err := os.ReadFile("../docs/energy.md")
	if err != nil {
		t.Fatal(err)
	}
	triggers, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct{ name, radio string }{{"lte", "cellular"}, {"wifi", "wifi"}, {"5g", "cellular"}, {"passion", "cellular"}} {
		device, err := model.Ready(m.name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ingest.Open(t.Context(), path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run := energy.Meter(f, energy.Options{CPU: units.Watt, Device: device, Triggers: triggers, Policy: machine.LastTrigger})
		if _, err := run.Scan(t.Context(), tails{}); err != nil {
			t.Fatal(err)
		}
		f.Close()
		for _, c := range run.Components() {
			if c.Name != m.radio {
				continue
			}
			joules := func(e units.Energy) string { return fmt.Sprintf("%.3g", float64(e)/1e9) }
			row := fmt.Sprintf("| `%s` | %d | %s | %s | – | – |\n", m.name, c.Operations, joules(c.Use), joules(c.Tail))
			if r := c.Range; r != nil {
				least, most := r.Parts[trace.Tail], r.Parts[trace.Tail]
				for _, one := range r.Cases {
					least, most = min(least, one[trace.Tail]), max(most, one[trace.Tail])
				}
				row = fmt.Sprintf("| `%s` | %d | %s | %s | %s to %s | %s to %s |\n", m.name, c.Operations, joules(c.Use), joules(c.Tail),
					joules(least), joules(most), joules(r.Least), joules(r.Most))
			}
			if !strings.Contains(string(doc), row) {
				t.Errorf("docs/energy.md lacks the row\n%s", row)
			}
		}
	}
}

// tails is a sink that drops a recording.
type tails struct{}

func (tails) Events([]trace.Event) error   { return nil }
func (tails) Samples([]trace.Sample) error { return nil }
