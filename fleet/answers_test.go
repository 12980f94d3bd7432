package fleet_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

var update = flag.Bool("update", false, "rewrite testdata/answers.txt")

// say writes a value. Numbers have three digits, because their last digits depend on the processor.
func say(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		return fmt.Sprintf("%.3g", v.Float())
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return say(v.Elem())
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, say(v.Index(i)))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case reflect.Struct:
		var all []string
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "Sums" && !f.IsZero() {
				all = append(all, v.Type().Field(i).Name+" "+say(f))
			}
		}
		return "{" + strings.Join(all, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// TestAnswersOfAFleet analyzes a generated fleet by both methods, and compares all answers with a
// golden file.
func TestAnswersOfAFleet(t *testing.T) {
	made := simulation.New(simulation.Options{Seed: 5, Clients: 110, Apps: 40, Hogs: 4, Innocent: 6, Bugs: 4, Days: 5, Named: &simulation.Named{Name: "com.mine", Version: "4.12", Before: "4.9", Mobile: true}})
	var got strings.Builder
	line := func(what string, values ...any) {
		fmt.Fprintf(&got, "%s:", what)
		for _, v := range values {
			if v == nil {
				got.WriteString(" nil")
				continue
			}
			fmt.Fprintf(&got, " %s", say(reflect.ValueOf(v)))
		}
		got.WriteString("\n")
	}
	for _, method := range []fleet.Method{fleet.Within, fleet.Paper} {
		o := fleet.Defaults()
		o.Method = method
		set := made.Set(nil, 4)
		f, err := fleet.Analyze(context.Background(), set, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "== %s\n", method)
		line("total", f.Total(), f.Hidden(), f.HiddenApproximate(), f.Public())
		line("features", f.HasFeature("network"), f.HasFeature("none"), f.HeldConditions(), f.UnreadColumns(), f.Explicit(), f.Unscreened(), f.Requirements())
		hogs, err := f.Hogs()
		line("hogs", hogs, err)
		judged, few, cleared := f.Judged()
		line("judged", judged, few, cleared, f.Doubtful(), f.PartialHogs())
		bugs, tested := f.Bugs()
		slices.SortFunc(bugs, func(a, b fleet.Bug) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		line("bugs", len(bugs), tested)
		half, most, ok := f.Detectable()
		line("detectable", half, most, ok)
		scores := f.Scores()
		line("scores", len(scores), scores[:min(len(scores), 4)])
		line("recall", f.Recall())
		trees := f.Trees()
		line("trees", slices.Sorted(maps.Keys(trees)))
		for _, app := range append([]string{"com.mine", "", "none"}, few[:min(len(few), 2)]...) {
			e, known := f.Evidence(app)
			ran, compared := f.ClientCounts(app)
			c, err := f.Claim(app)
			s, refused := f.Suggest(app, nil)
			root, remedies := f.Diagnose(app)
			fmt.Fprintf(&got, "-- %q\n", app)
			line("evidence", e, known)
			line("clients", ran, compared, f.Ran(app))
			line("claim", c, err)
			line("suggestion", s, refused)
			line("growth", f.Growth(app))
			line("rates", f.Rates(app))
			line("tree", f.Tree(app))
			line("remedies", root, remedies)
		}
		asked := 0
		if err := set.Each(t.Context(), 0, func(c *samples.Client) error {
			if asked++; asked <= 4 {
				actions, known, err := f.Actions(c.ID)
				line("actions", actions, known, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/answers.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s\nIf that is right, run go test ./fleet -update and read the diff.", got.String(), want)
	}
}
