package batterystats_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest/batterystats"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// printed formats an estimate.
func printed(u *batterystats.Usage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "capacity %s, computed %s, actual %s, unaccounted %s, overcounted %s, sections %d\n", u.Capacity, u.Computed, u.Actual(), u.Unaccounted, u.Overcounted, u.Sections)
	list := func(prefix string, components []batterystats.Component) {
		for _, c := range components {
			fmt.Fprintf(&b, "%s%s %s", prefix, c.Name, c.Charge)
			if c.Apps >= 0 {
				fmt.Fprintf(&b, ", apps %s", c.Apps)
			}
			b.WriteByte('\n')
		}
	}
	list("", u.Components)
	for _, user := range u.Users {
		fmt.Fprintf(&b, "uid %s %s %s", user.UID, user.Package, user.Charge)
		if user.Smeared > 0 {
			fmt.Fprintf(&b, ", smeared %s", user.Smeared)
		}
		b.WriteByte('\n')
		list("  ", user.Components)
	}
	for _, w := range u.Warnings() {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

// TestReadUsage reads estimates in the forms of several Android versions.
func TestReadUsage(t *testing.T) {
	files, err := filepath.Glob("testdata/usage/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, ar.Files[0].Data)
		if *update {
			ar.Files = append(ar.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
			if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want := string(ar.Files[1].Data); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", path, got, want)
		}
	}
}

// read returns an estimate as text, or the error.
func read(t *testing.T, data []byte) string {
	u, err := batterystats.ReadUsage(t.Context(), bytes.NewReader(data))
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return printed(u)
}

// TestUsageNamesItsLine checks that an error states the number of its line, counted from 1.
func TestUsageNamesItsLine(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
	}{
		{"Estimated power use (mAh):\n    Capacity: 3000, Computed drain: 9999999999999999, actual drain: 0\n", 2},
		{"\n\nEstimated power use (mAh):\n    Capacity: 3000, Computed drain: 9999999999999999, actual drain: 0\n", 4},
		{"Battery History\n" + strings.Repeat("x", 2<<20) + "\n", 2},
	} {
		_, err := batterystats.ReadUsage(t.Context(), strings.NewReader(c.text))
		var wrong *syntax.Error
		if !errors.As(err, &wrong) || wrong.Line != c.line {
			t.Errorf("%.60q: %v, want an error in line %d", c.text, err, c.line)
		}
	}
}

// TestReadRealUsage reads the estimates in three real dumps. The first has rows without components,
// and has the estimate twice. The second has rows by component. The third is from an emulator.
func TestReadRealUsage(t *testing.T) {
	for name, want := range map[string]struct {
		computed, actual, first, most string
		users, sections               int
		codes                         string
	}{
		"petra-batterystats_example.txt": {"3.99 mAh", "0 mAh", "uid u0a122 1.24 mAh", "screen 1.83 mAh", 15, 2, ""},
		"dailyproject-batterystats.txt":  {"1.3 mAh", "0 mAh", "uid u0a376 0.386 mAh", "cpu 0.661475 mAh", 14, 1, ""},
		"ioanamarin-batterystats.txt":    {"208 mAh", "750 to 760 mAh", "uid 1000 180 mAh", "sensors 180.247 mAh", 22, 1, "power-estimate-emulator power-estimate-drain power-estimate-component"},
	} {
		data, err := os.ReadFile("../../../shared/data/batterystats/" + name)
		if err != nil {
			t.Skip("no real data in ../../../shared/data/batterystats")
		}
		u, err := batterystats.ReadUsage(t.Context(), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, w := range u.Warnings() {
			codes = append(codes, w.Code)
		}
		var sum units.Charge
		for _, c := range u.Components {
			sum += c.Charge
		}
		if off := float64(sum)/float64(u.Computed) - 1; off < -0.02 || off > 0.02 {
			t.Errorf("%s: components add up to %s, and %s are computed", name, sum, u.Computed)
		}
		first, most := fmt.Sprintf("uid %s %s", u.Users[0].UID, u.Users[0].Charge), fmt.Sprintf("%s %s", u.Components[0].Name, u.Components[0].Charge)
		if u.Computed.String() != want.computed || u.Actual() != want.actual || first != want.first || most != want.most || len(u.Users) != want.users ||
			u.Sections != want.sections || u.Differ || u.Odd > 0 || strings.Join(codes, " ") != want.codes {
			t.Errorf("%s: %s, %s, %s, %s, %d users, %d sections, %v; %d odd", name, u.Computed, u.Actual(), first, most, len(u.Users), u.Sections, codes, u.Odd)
		}
	}
}

// TestReadCutUsage truncates an estimate at every offset. The result is an error, or an estimate
// whose numbers are all in the text.
func TestReadCutUsage(t *testing.T) {
	files, _ := filepath.Glob("testdata/usage/*.txtar")
	for _, path := range files {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data := ar.Files[0].Data
		for n := range data {
			_, _ = batterystats.ReadUsage(t.Context(), bytes.NewReader(data[:n]))
		}
	}
}

func FuzzReadUsage(f *testing.F) {
	files, _ := filepath.Glob("testdata/usage/*.txtar")
	for _, path := range files {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(ar.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := batterystats.ReadUsage(t.Context(), bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, c := range u.Components {
			if c.Charge < 0 || c.Name == "" && c.Charge < 0 {
				t.Errorf("%+v", c)
			}
		}
		u.Warnings()
	})
}
