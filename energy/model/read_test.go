package model

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/internal/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func checkGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", file, got)
	}
}

// faults returns the models of testdata/faults.txtar.
func faults(t testing.TB) *txtar.Archive {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/faults.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return ar
}

func TestFaults(t *testing.T) {
	ar := faults(t)
	out := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		name, ok := strings.CutSuffix(f.Name, ".yaml")
		if !ok {
			continue
		}
		text := "nothing\n"
		_, err := Read(bytes.NewReader(f.Data))
		var problems table.Problems
		if errors.As(err, &problems) {
			text = ""
			for _, p := range problems {
				text += p.Error() + "\n"
			}
		} else if err != nil {
			t.Errorf("%s: %v is no list of problems", f.Name, err)
		}
		out.Files = append(out.Files, f, txtar.File{Name: name, Data: []byte(text)})
	}
	checkGolden(t, "testdata/faults.txtar", txtar.Format(out))
}

// TestReady reads each built-in model, and checks that each figure has a source.
func TestReady(t *testing.T) {
	entries, err := files.ReadDir("ready")
	if err != nil || len(entries) != len(ready) {
		t.Errorf("%d files for %d ready models, %v", len(entries), len(ready), err)
	}
	for _, name := range ReadyNames() {
		d, err := Ready(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if d.Name != name || d.Title == "" || d.Source == "" || d.Battery == 0 {
			t.Errorf("%s: name %q, title %q, source %q, battery %d", name, d.Name, d.Title, d.Source, d.Battery)
		}
		if d.Serving("network") == nil {
			t.Errorf("%s: no component answers to network", name)
		}
		for _, c := range d.Components {
			for _, s := range c.States {
				if s.Kind != Base && s.Source == "" && c.Source == "" {
					t.Errorf("%s: line %d: %s.%s has no source", name, s.Line, c.Name, s.Name)
				}
			}
			for _, tr := range c.Transitions {
				if tr.After > 0 && tr.Source == "" && c.Source == "" {
					t.Errorf("%s: line %d: a time of %s has no source", name, tr.Line, c.Name)
				}
			}
			for _, w := range c.Work {
				if w.Source == "" && c.Source == "" {
					t.Errorf("%s: line %d: work of %s has no source", name, w.Line, c.Name)
				}
			}
		}
	}
	if _, err := Ready("pasion"); err == nil || err.Error() != `unknown power model "pasion"; did you mean passion?` {
		t.Errorf("error %v", err)
	}
}

// TestExtends reads a model that changes one component of a built-in model.
func TestExtends(t *testing.T) {
	passion, err := Ready("passion")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(strings.NewReader(`
extends: passion
components:
  gps:
    states: {none: {kind: base}, lit: {kind: "on", draw: 1 mA}}
    transitions: [{from: none, to: lit, on: start}, {from: lit, to: none, when: idle}]
  lamp:
    states: {none: {kind: base}, lit: {kind: "on", draw: 1 mA}}
    transitions: [{from: none, to: lit, on: start}, {from: lit, to: none, when: idle}]
serves: {network: wifi, torch: lamp}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Components) != len(passion.Components)+1 || d.Component("gps").States[1].Power != 3700 || d.Battery != passion.Battery {
		t.Errorf("extended: %+v", d)
	}
	if !reflect.DeepEqual(d.Component("cellular"), passion.Component("cellular")) || !reflect.DeepEqual(d.CPU, passion.CPU) {
		t.Error("what is not written is not as it was")
	}
	if d.Serving("network").Name != "wifi" || d.Serving("torch").Name != "lamp" || d.Serving("gps").Name != "gps" || d.Serving("disc") != nil {
		t.Error("components answer to other names")
	}
	if passion.Serving("network").Name != "cellular" {
		t.Error("the ready model changed")
	}
}

// FuzzRead checks Read on any file: it returns one-line problems with a position in the file,
// or a device that is equal after writing and reading and satisfies the laws of the package.
func FuzzRead(f *testing.F) {
	for _, file := range faults(f).Files {
		f.Add(file.Data)
	}
	for _, name := range ready {
		data, err := files.ReadFile("ready/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(bytes.NewReader(data))
		if err != nil {
			var problems table.Problems
			if !errors.As(err, &problems) || len(problems) > 100 {
				t.Fatalf("error %v", err)
			}
			for _, p := range problems {
				if strings.Contains(p.Error(), "\n") || p.Line < 1 || p.Line > bytes.Count(data, []byte("\n"))+1 && d != nil {
					t.Errorf("problem %q", p)
				}
			}
			return
		}
		checkLaws(t, d)
	})
}

// checkLaws checks the promises of the types' comments.
func checkLaws(t *testing.T, d *Device) {
	t.Helper()
	for _, c := range d.Components {
		for i, s := range c.States {
			if (s.Kind == Base) != (i == 0) || s.Power < 0 || s.PerLevel < 0 || s.Kind == Base && s.Power > 0 {
				t.Errorf("%s: state %d is %+v", c.Name, i, s)
			}
		}
		for _, tr := range c.Transitions {
			if tr.From < 0 || tr.To < 0 || tr.From >= len(c.States) || tr.To >= len(c.States) || tr.After < 0 || tr.MinBytes < 0 {
				t.Errorf("%s: transition %+v", c.Name, tr)
			}
		}
	}
	for _, s := range d.Services {
		if d.Component(s.Component) == nil {
			t.Errorf("%s serves %s, and is no component", s.Component, s.Name)
		}
	}
}
