package crowd

import (
	"context"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// TestAnswersKeepTheSchema validates all answers against docs/fleet.schema.json: of both methods, and
// of fleets with much and with little data. It also checks that the texts have no meaningless figures.
func TestAnswersKeepTheSchema(t *testing.T) {
	compiled, err := jsonschema.NewCompiler().Compile("../../docs/fleet.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []simulation.Options{
		{Seed: 1, Clients: 60, Apps: 50, Hogs: 4, Innocent: 8, Bugs: 8, Days: 3, Named: &simulation.Named{Name: "com.mine", Version: "2", Before: "1", Mobile: true}},
		{Seed: 2, Clients: 3, Apps: 5, Days: 1},
	} {
		for _, method := range []fleet.Method{fleet.Within, fleet.Paper} {
			judged := fleet.Defaults()
			judged.Method = method
			if o.Clients < 60 {
				judged.Within = nil // This is the result without a screen column.
			}
			key := []byte("key")
			f, err := fleet.Analyze(context.Background(), simulation.New(o).Set(key, 2), judged, nil)
			if err != nil {
				t.Fatal(err)
			}
			var all []*Document
			add := func(d *Document, known bool, err error) {
				if err != nil {
					t.Fatal(err)
				}
				if known {
					all = append(all, d)
				}
			}
			d, err := Hogs(f, "1.0")
			add(d, true, err)
			d, err = Bugs(f, "1.0")
			add(d, true, err)
			add(Scores(f, 0, "1.0"), true, nil)
			d, known, err := Actions(f, samples.HashClient(key, simulation.ClientName(1)), "1.0")
			add(d, known, err)
			for _, app := range []string{"com.mine", "com.example.app0001", "com.example.app0003"} {
				d, known, err := Explain(f, app, "1.0")
				add(d, known, err)
				d, known, err = Suggest(f, "fleet.dp", app, []string{"com.example.app0002"}, "1.0")
				add(d, known, err)
			}
			if len(all) < 4 {
				t.Errorf("%d answers of %d clients", len(all), o.Clients)
			}
			for _, d := range all {
				doc, err := jsonschema.UnmarshalJSON(strings.NewReader(rendered(t, d, "json")))
				if err != nil {
					t.Fatal(err)
				}
				if err := compiled.Validate(doc); err != nil {
					t.Errorf("%s, method %s: %v", d.view, method, err)
				}
				rendered(t, d, "html")
				for format, text := range map[string]string{"text": rendered(t, d, "text"), "html": drawn(t, d)} {
					for _, wrong := range []string{"NaN", "Inf", "%!"} {
						if strings.Contains(text, wrong) {
							t.Errorf("%s, method %s, as %s says %s", d.view, method, format, wrong)
						}
					}
				}
			}
		}
	}
}
