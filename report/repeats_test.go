package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestRepeatsKeepTheirSchemas validates the reports of repeated runs and of their noise against the
// schemas in docs. The runs include runs that do not vary, and runs that vary too much for any
// result.
func TestRepeatsKeepTheirSchemas(t *testing.T) {
	schemas := compileSchemas(t)
	const stack = "android.view.View.performClick;com.mine.Main.onClick;"
	for name, figures := range map[string][2][]int{
		"a difference":  {{150, 160, 155, 158}, {100, 104, 98, 101}},
		"noise":         {{10, 2000, 400}, {1500, 3, 90}},
		"no noise":      {{150, 150}, {100, 100}},
		"equal":         {{150, 150}, {150, 150}},
		"nothing there": {{150, 160}, {0, 0}},
	} {
		folder := t.TempDir()
		for side, runs := range figures {
			for i, x := range runs {
				text := fmt.Sprintf("%sandroid.util.Log.d %d\n%sjava.io.File.exists %d\n%s 40\n", stack, x, stack, 50+i, stack[:len(stack)-1])
				if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d-%d.folded", side, i)), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		o := analysis.Options{Subject: analysis.Side{Path: filepath.Join(folder, "0-*")}, Reference: analysis.Side{Path: filepath.Join(folder, "1-*")}, Alpha: analysis.AutoAlpha}
		r, err := analysis.Compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		made := report.New(finding.New(r), "test", 0)
		if made.Repeats == nil || len(made.Repeats.Subject) != len(figures[0]) {
			t.Fatalf("%s: %+v", name, made.Repeats)
		}
		var b bytes.Buffer
		if err := made.WriteJSON(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		validate(t, schemas["report"], b.Bytes())
		in, err := analysis.Read(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := report.NewNoise(in, "test", 0.1, 0, 0).WriteJSON(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		validate(t, schemas["noise"], b.Bytes())
		b.Reset()
		entries := []history.Entry{{App: "a"}, {App: "a"}, {App: "b"}}
		for i := range entries {
			entries[i].Runs = []history.Run{{Energy: units.Energy(100 + i)}, {Energy: units.Energy(101 - i)}}
		}
		set := finding.New(r)
		shows, troubles := report.HistoryTroubles(entries)
		if err := report.NewDoctor(set, "test", append(report.Troubles(finding.Gate{}, set), troubles...), shows).WriteJSON(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		validate(t, schemas["doctor"], b.Bytes())
	}
}
