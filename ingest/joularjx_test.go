package ingest_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// TestJoularJX reads stacks with energies after a comma.
func TestJoularJX(t *testing.T) {
	const text = "app.Main.main;app.Main$$Lambda/0x0002b8.test,158.5732\napp.Main.main,1.8575\n"
	f := open(t, put(t, []byte(text)), ingest.Options{})
	c := &capture{}
	tr, err := f.Scan(t.Context(), c)
	if err != nil || tr.Format != "joularjx" || tr.Energy != trace.Given || tr.Unstated || tr.Events != 2 {
		t.Fatalf("%+v, %v", tr, err)
	}
	if want := units.Energy(160_430_700_000); c.energy != want {
		t.Errorf("%d nJ, want %d", c.energy, want)
	}
	if err := tracetest.Check(t.Context(), f); err != nil {
		t.Error(err)
	}
	bad := open(t, put(t, []byte(text+"app.Main.main;x\n")), ingest.Options{})
	if _, err := bad.Scan(t.Context(), &capture{}); err == nil || !strings.Contains(err.Error(), "line 3: ") {
		t.Errorf("a line without a value: %v", err)
	}
}

// TestJoularJXFolder reads the most detailed file of a folder.
func TestJoularJXFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("all/total/methods/joularJX-1-all-methods-energy.csv", "app.Main.run,3.5000\n")
	write("all/total/calltrees/joularJX-1-all-call-trees-energy.csv", "app.Main.main;app.Main.run,2.5000\napp.Main.run,1.0000\n")
	f := open(t, dir, ingest.Options{})
	c := &capture{}
	tr, err := f.Scan(t.Context(), c)
	if err != nil || tr.Format != "joularjx" || tr.Events != 2 || c.energy != 3_500_000_000 {
		t.Fatalf("%+v, %d nJ, %v", tr, c.energy, err)
	}
	if err := tracetest.Check(t.Context(), f); err != nil {
		t.Error(err)
	}
	if f.Size() != int64(len("app.Main.main;app.Main.run,2.5000\napp.Main.run,1.0000\n")) {
		t.Errorf("the file has %d bytes", f.Size())
	}
	write("all/runtime/joularJX-1-all-methods-power.csv", "app.Main.run,0.5000\n")
	power := open(t, filepath.Join(dir, "all/runtime/joularJX-1-all-methods-power.csv"), ingest.Options{})
	if tr, err := power.Scan(t.Context(), &capture{}); err != nil || len(tr.Warnings) != 1 || tr.Warnings[0].Code != "powers" {
		t.Errorf("a file of powers: %+v, %v", tr, err)
	}
	write("2/all/total/calltrees/joularJX-2-all-call-trees-energy.csv", "app.Main.main,1.0000\n")
	two := open(t, dir, ingest.Options{})
	if _, err := two.Scan(t.Context(), &capture{}); err == nil || !strings.HasPrefix(err.Error(), dir+": the folder has 2 runs of JoularJX: name one, such as ") {
		t.Error(err)
	}
}

// TestJoularJXTreesAddUp reads one run as call trees and as methods. The energy of each method must
// be the sum over the trees in which it is innermost.
func TestJoularJXTreesAddUp(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"joularJX-7-all-call-trees-energy.csv": "app.Main.main;app.Main.load,1.5000\napp.Main.main;app.Main.load;app.Cache.get,0.2500\r\napp.Main.main;app.Cache.get,0.1250\napp.Main.main,0.0625\n",
		"joularJX-7-all-methods-energy.csv":    "app.Main.load,1.5000\napp.Cache.get,0.3750\napp.Main.main,0.0625\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c := &tracetest.Collector{}
		tr, err := open(t, filepath.Join(dir, name), ingest.Options{}).Scan(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]units.Energy{}
		for _, s := range c.Kept {
			got[tr.Methods[s.Stack[len(s.Stack)-1]].Label()] += s.Energy
		}
		if want := map[string]units.Energy{"app.Main.load": 1.5e9, "app.Cache.get": 0.375e9, "app.Main.main": 0.0625e9}; !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestJoularJXReal compares the call trees of real runs, if present, with the energies per method
// that JoularJX itself summed.
func TestJoularJXReal(t *testing.T) {
	const dir = "../../shared/data/joularjx"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real energies of ../shared/data/joularjx are not here")
	}
	trees, err := filepath.Glob(dir + "/cs263/*-call-trees-energy.csv")
	if err != nil || len(trees) != 81 {
		t.Fatalf("%d runs, %v", len(trees), err)
	}
	self := func(path string) map[string]units.Energy {
		c := &tracetest.Collector{}
		tr, err := open(t, path, ingest.Options{}).Scan(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]units.Energy{}
		for _, s := range c.Kept {
			all[tr.Methods[s.Stack[len(s.Stack)-1]].Label()] += s.Energy
		}
		return all
	}
	for _, path := range trees {
		methods := self(strings.Replace(path, "call-trees", "methods", 1))
		for method, energy := range self(path) {
			// Values have four decimals, so each has a rounding error of up to half a unit of the
			// last decimal.
			if off := energy - methods[method]; max(off, -off) > 150_000 {
				t.Errorf("%s: %s has %d nJ in call trees and %d nJ among methods", path, method, energy, methods[method])
			}
		}
	}
}
