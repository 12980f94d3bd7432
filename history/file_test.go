package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTotals reads the totals of a history with two scenarios. Only the entries in the scenario of
// both runs count.
func TestTotals(t *testing.T) {
	s, path := create(t, 1, 3)
	add(t, s, commit(2), numbered(20), numbered(21))
	other := commit(2)
	other.Scenario = "startup"
	add(t, s, other, numbered(7))
	device := commit(4)
	device.Device = "Pixel 4"
	add(t, s, device, numbered(8))
	stored := func(ref string) string { return "history:" + ref }
	got, ok := File(path).Totals(t.Context(), stored("#1"), stored("#2"))
	if want := [][]float64{{1}, {20, 21}, {3}}; !ok || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("totals %v %v, want %v", got, ok, want)
	}
	if got, ok := File(path).Totals(t.Context(), stored("#4"), stored("#4")); !ok || len(got) != 1 || got[0][0] != 7 {
		t.Errorf("the scenario has the totals %v %v", got, ok)
	}
	for _, pair := range [][2]string{{"#1", "#4"}, {"#4", "#1"}, {"#1", "#5"}, {"#1", "#99"}, {"#99", "#1"}} {
		if got, ok := File(path).Totals(t.Context(), stored(pair[0]), stored(pair[1])); ok || got != nil {
			t.Errorf("%v have the totals %v", pair, got)
		}
	}
	if _, ok := File(path).Totals(t.Context(), stored("#1"), "run.folded"); ok {
		t.Error("a file has a history")
	}
	if _, ok := File(path).Totals(t.Context(), "run.folded", stored("#1")); ok {
		t.Error("a file has a history")
	}
}

// TestPath makes a repository with folders. The history is in its root.
func TestPath(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "app", "src")
	if err := os.MkdirAll(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	if got, want := Path(inner), filepath.Join(inner, ".diffprof", "history.db"); got != want {
		t.Errorf("without a repository: %s, want %s", got, want)
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{root, inner} {
		if got, want := Path(folder), filepath.Join(root, ".diffprof", "history.db"); got != want {
			t.Errorf("%s has %s, want %s", folder, got, want)
		}
	}
}
