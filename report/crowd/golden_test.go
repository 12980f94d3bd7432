package crowd

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// long matches numbers with many digits. Their last digits depend on the processor.
var long = regexp.MustCompile(`\d+\.\d{5,}(e-\d+)?`)

// TestAnswersAreRendered renders all answers about a small fleet as text, as JSON and as a page, for
// both methods.
func TestAnswersAreRendered(t *testing.T) {
	made := simulation.New(simulation.Options{Seed: 5, Clients: 110, Apps: 40, Hogs: 4, Innocent: 6, Bugs: 4, Days: 5, Named: &simulation.Named{Name: "com.mine", Version: "4.12", Before: "4.9", Mobile: true}})
	var got strings.Builder
	for _, method := range []fleet.Method{fleet.Within, fleet.Paper} {
		o := fleet.Defaults()
		o.Method = method
		set := made.Set(nil, 4)
		f, err := fleet.Analyze(context.Background(), set, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		var id samples.ID
		asked := 0
		if err := set.Each(t.Context(), 0, func(c *samples.Client) error {
			if asked++; asked == 1 {
				id = c.ID
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, answer := range []struct {
			name string
			ask  func() (*Document, any, error)
		}{
			{"hogs", func() (*Document, any, error) { d, err := Hogs(f, "test"); return d, nil, err }},
			{"bugs", func() (*Document, any, error) {
				d, err := Bugs(f, "test")
				if err == nil {
					d.Bugs = d.Bugs[:min(len(d.Bugs), 8)]
				}
				return d, nil, err
			}},
			{"conditions", func() (*Document, any, error) { d, ok := Conditions(f, "test"); return d, ok, nil }},
			{"explain com.mine", func() (*Document, any, error) { d, ok, err := Explain(f, "com.mine", "test"); return d, ok, err }},
			{"explain none", func() (*Document, any, error) { d, ok, err := Explain(f, "none", "test"); return d, ok, err }},
			{"suggest com.mine", func() (*Document, any, error) {
				d, ok, err := Suggest(f, "fleet.json", "com.mine", nil, "test")
				return d, ok, err
			}},
			{"suggest none", func() (*Document, any, error) {
				d, ok, err := Suggest(f, "fleet.json", "none", []string{"com.mine"}, "test")
				return d, ok, err
			}},
			{"actions", func() (*Document, any, error) { d, ok, err := Actions(f, id, "test"); return d, ok, err }},
			{"actions of another device", func() (*Document, any, error) { d, ok, err := Actions(f, 7, "test"); return d, ok, err }},
			{"score", func() (*Document, any, error) { return Scores(f, id, "test"), nil, nil }},
		} {
			d, ok, err := answer.ask()
			fmt.Fprintf(&got, "== %s, %s: %v, %v\n", method, answer.name, ok, err)
			if d == nil || err != nil || ok == false {
				continue
			}
			got.WriteString(rendered(t, d, "text"))
			for _, text := range []string{rendered(t, d, "json"), drawn(t, d)} {
				got.WriteString("--\n" + long.ReplaceAllStringFunc(text, func(s string) string {
					x, err := strconv.ParseFloat(s, 64)
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprintf("%.3g", x)
				}))
			}
		}
	}
	hold(t, "testdata/answers.txt", got.String())
}

// hold compares a text with a golden file.
func hold(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s\nIf that is right, run go test -update in this package and read the diff.", got, want)
	}
}

// TestPublicationIsRendered renders a publication with and without apps.
func TestPublicationIsRendered(t *testing.T) {
	p := &fleet.Publication{Least: 12}
	p.Epsilon, p.Delta, p.Privacy.Apps = 0.5, 1e-6, 3
	var got bytes.Buffer
	for _, apps := range [][]fleet.PublishedApp{nil, {{App: "com.mine", Clients: 4321, Excess: 0.0012, Half: 0.0003}, {App: "<b>", Clients: 40, Excess: math.NaN(), Half: math.NaN()}}} {
		p.Apps = apps
		for _, format := range []string{"text", "json"} {
			fmt.Fprintf(&got, "== %d apps as %s\n", len(apps), format)
			if err := Publication(&got, p, format, "test"); err != nil {
				t.Fatal(err)
			}
		}
	}
	hold(t, "testdata/publication.txt", got.String())
}
