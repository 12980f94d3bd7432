package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/units"
)

// samples are recordings of all kinds, and those of real apps where they are at hand.
func samples(t testing.TB) []string {
	var files []string
	for _, folder := range []string{"../../testdata", "../../../shared/data"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // there is no such folder
			}
			if info, err := entry.Info(); err == nil && entry.Type().IsRegular() && info.Size() < 64<<20 {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// read reads a file as a run with the components of a device; nil if it is none.
func read(path string, powerModel string) []analysis.Kept {
	unit, _ := units.ParseValueUnit("mJ")
	kept, err := analysis.ReadKept(context.Background(), analysis.Options{
		Subject: path, PowerModel: powerModel, Ingest: ingest.Options{Partial: true, Unit: unit}, MaxMemory: -1,
	})
	if err != nil {
		return nil
	}
	return kept
}

// TestPackKeepsRuns packs every recording at hand and makes it again: nothing may differ.
func TestPackKeepsRuns(t *testing.T) {
	n := 0
	for _, path := range samples(t) {
		for _, model := range []string{"", "passion"} {
			for _, k := range read(path, model) {
				packed, err := Pack(&k)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				again, err := Unpack(packed)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				n++
				if testing.Verbose() {
					t.Logf("%9d bytes, %7d contexts, %9d packed: %s", k.Input.Size, len(k.Tree.Nodes), len(packed), filepath.Base(path))
				}
				k.Input.Path = ""
				k.Input.Trace.Methods = k.Tree.Methods
				if !reflect.DeepEqual(k.Tree, again.Tree) {
					t.Errorf("%s: the tree differs", path)
				}
				if got, want := show(t, again), show(t, &k); got != want {
					t.Errorf("%s: what is known of the run is now\n%s\nand was\n%s", path, got, want)
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("%d recordings were read, which is hardly all", n)
	}
}

// show writes what is known of a run beside its tree.
func show(t *testing.T, k *analysis.Kept) string {
	t.Helper()
	text, err := json.Marshal(k.Input)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %q %q %q %x", text, k.Packages, k.Process, k.SampleType, k.Content)
}
