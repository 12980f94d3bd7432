package joularjx_test

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/ingest/joularjx"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A source is a file, or a folder if files is set.
type source struct {
	format.Source
	path, text string
	files      fstest.MapFS
}

func (s source) Path() string { return s.path }
func (s source) Head() []byte { return []byte(s.text) }

func (s source) Folder() fs.FS {
	if s.files == nil {
		return nil
	}
	return s.files
}

func (s source) File(path string) (fs.File, error) { return s.files.Open(path) }

func (s source) Stream(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s.text)), nil
}

// An adder is a sink that adds up energies.
type adder struct{ sum units.Energy }

func (a *adder) Events(batch []trace.Event) error {
	for _, e := range batch {
		a.sum += e.Energy
	}
	return nil
}

func (a *adder) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		a.sum += s.Energy
	}
	return nil
}

// TestDecode reads a file and a folder. A power file has the same text and gets a warning.
func TestDecode(t *testing.T) {
	const text = "app.Main.main;app.Feed.load,1.5000\napp.Main.main,0.2500\n"
	for _, c := range []struct {
		name    string
		source  source
		warning string
		fault   string
	}{
		{name: "energies", source: source{path: "joularJX-1-all-call-trees-energy.csv", text: text}},
		{name: "powers", source: source{path: "joularJX-1-all-call-trees-power.csv", text: text}, warning: "powers"},
		{name: "folder", source: source{path: "run", files: fstest.MapFS{
			"total/joularJX-1-all-call-trees-energy.csv": &fstest.MapFile{Data: []byte(text)},
			"total/joularJX-1-all-methods-energy.csv":    &fstest.MapFile{Data: []byte("app.Main.main,9.0000\n")},
		}}},
		{name: "no energy", source: source{path: "x.csv", text: "app.Main.main,much\n"}, fault: "line 1"},
		{name: "two runs", source: source{path: "runs", files: fstest.MapFS{
			"a/joularJX-1-all-methods-energy.csv": &fstest.MapFile{Data: []byte(text)},
			"b/joularJX-2-all-methods-energy.csv": &fstest.MapFile{Data: []byte(text)},
		}}, fault: "the folder has 2 runs of JoularJX"},
	} {
		if got := joularjx.Format.Sniff(c.source); got != (c.name != "no energy") {
			t.Errorf("%s: recognized %v", c.name, got)
		}
		var a adder
		tr, err := joularjx.Format.Decode(t.Context(), c.source, &a, format.Options{})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %s", c.name, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want := 1750 * units.Millijoule; a.sum != want || tr.Format != "joularjx" {
			t.Errorf("%s: %d nJ of %s, want %d nJ", c.name, a.sum, tr.Format, want)
		}
		var codes []string
		for _, w := range tr.Warnings {
			codes = append(codes, w.Code)
		}
		if got := strings.Join(codes, " "); got != c.warning {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.warning)
		}
	}
}
