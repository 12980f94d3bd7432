package joularjx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/ingest/joularjx"
)

func TestFind(t *testing.T) {
	const run = "39456-1758131891246/"
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"call trees of all", []string{
			run + "app/total/calltrees/joularJX-39456-filtered-call-trees-energy.csv", run + "all/total/methods/joularJX-39456-all-methods-energy.csv",
			run + "all/total/calltrees/joularJX-39456-all-call-trees-energy.csv", run + "all/runtime/calltrees/joularJX-39456-all-call-trees-power.csv",
		}, run + "all/total/calltrees/joularJX-39456-all-call-trees-energy.csv"},
		{"methods", []string{"joularJX-1-filtered-methods-energy.csv", "joularJX-1-all-methods-energy.csv"}, "joularJX-1-all-methods-energy.csv"},
		{"the app's methods", []string{"total/joularJX-1-filtered-methods-energy.csv"}, "total/joularJX-1-filtered-methods-energy.csv"},
		{"two runs", []string{"a/joularJX-1-all-methods-energy.csv", "b/joularJX-2-all-methods-energy.csv"},
			"error: the folder has 2 runs of JoularJX: name one, such as a/joularJX-1-all-methods-energy.csv, b/joularJX-2-all-methods-energy.csv"},
		{"powers", []string{"joularJX-1-all-call-trees-power.csv"}, "error: the folder has no energies of JoularJX"},
		{"too deep", []string{"1/2/3/4/5/6/7/joularJX-1-all-methods-energy.csv"}, "error: the folder has no energies of JoularJX"},
		{"other files", []string{"a.trace", "x-all-methods-energy.csv"}, "error: the folder has no energies of JoularJX"},
	} {
		folder := fstest.MapFS{}
		for _, f := range c.files {
			folder[f] = &fstest.MapFile{}
		}
		got, err := joularjx.Find(folder)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if holds := joularjx.Holds(folder); holds == strings.Contains(c.want, "no energies") {
			t.Errorf("%s: holds %v", c.name, holds)
		}
	}
	if _, err := joularjx.Find(os.DirFS(filepath.Join(t.TempDir(), "none"))); err == nil {
		t.Error("a folder that is not there: no error")
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"app.Main.main;app.Main$$Lambda/0x0002b8.test,158.5732\n": true,
		"app.Main.<init>,0.0000\r\n":                              true,
		"a;b,12\n":                                                false,
		"a;b 12.5\n":                                              false,
		"":                                                        false,
	} {
		if got := joularjx.Sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
