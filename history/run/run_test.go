package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// samples returns the smaller recordings of all formats, and recordings of real apps if there are
// any.
func samples(t testing.TB) []string {
	const most = 8 // Per folder.
	var files []string
	each := make(map[string]int)
	for _, folder := range []string{"../../testdata", "../../../shared/data"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // The folder does not exist.
			}
			at := filepath.Dir(path)
			if info, err := entry.Info(); err == nil && entry.Type().IsRegular() && info.Size() < 1<<20 && each[at] < most {
				each[at]++
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

// read reads a file as a run, with the components of the given power model. It returns nil if the
// file is not a run.
func read(path string, powerModel string) []analysis.StoredRun {
	unit, _ := units.ParseValueUnit("mJ")
	kept, err := analysis.ReadForStore(context.Background(), analysis.Options{
		Subject: analysis.Side{Path: path}, PowerModel: powerModel, Ingest: ingest.Options{Partial: true, Unit: unit}, MaxMemory: -1,
	})
	if err != nil {
		return nil
	}
	return kept
}

// TestPackKeepsRuns packs and unpacks every available recording. The results must be equal.
func TestPackKeepsRuns(t *testing.T) {
	files, n := samples(t), atomic.Int64{}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= len(files); i = int(next.Add(1)) {
				// Half of the recordings are read with a device of several components, the others
				// with only the processor.
				for _, k := range read(files[i-1], []string{"", "passion"}[i%2]) {
					again(t, files[i-1], &k)
					n.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n.Load() < 20 {
		t.Errorf("%d recordings were read, which is hardly all", n.Load())
	}
}

// again packs and unpacks a run, and compares the result with the run.
func again(t *testing.T, path string, k *analysis.StoredRun) {
	packed, err := Pack(k)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	got, err := Unpack(packed)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	k.Input.Path, k.Input.Trace.Methods = "", k.Tree.Methods
	if !reflect.DeepEqual(k.Tree, got.Tree) {
		t.Errorf("%s: the tree differs", path)
	}
	if got, want := show(t, got), show(t, k); got != want {
		t.Errorf("%s: what is known of the run is now\n%s\nand was\n%s", path, got, want)
	}
}

// show returns the data of a run, except for its tree, as text.
func show(t *testing.T, k *analysis.StoredRun) string {
	text, err := json.Marshal(k.Input)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("%s %q %q %q %x", text, k.Packages, k.Process, k.SampleType, k.Content)
}

// booked returns a run that has components, threads and hand-overs.
func booked(t testing.TB) *analysis.StoredRun {
	kept := read("../../testdata/eprof/facebook.trace.gz", "passion")
	if len(kept) != 1 {
		t.Fatal("the sample cannot be read")
	}
	return &kept[0]
}

// TestLines packs the lines of methods whose languages do not run on the JVM. Their labels do not
// consist of the method's parts.
func TestLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.folded")
	if err := os.WriteFile(file, []byte("<module> (app.py:3);load (app.py:12) 40\n<module> (app.py:3);load (app.py:13) 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	k := read(file, "")[0]
	packed, err := Pack(&k)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	lines := got.Input.StoredLines
	if !reflect.DeepEqual(lines, k.Input.StoredLines) || len(lines) != 2 || lines[0].Line != 12 || lines[0].Method.Short() != "load" || lines[0].Own <= lines[1].Own {
		t.Errorf("the lines are %+v, and were %+v", lines, k.Input.StoredLines)
	}
	k.Input.StoredLines[0].Line = 0
	if packed, err = Pack(&k); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(packed); err == nil {
		t.Error("line 0 is no line")
	}
}

// TestUnpackRejectsDamagedData cuts a packed run at every length, and changes each of its bytes.
// Unpacking must always fail.
func TestUnpackRejectsDamagedData(t *testing.T) {
	packed, err := Pack(booked(t))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range packed {
		if _, err := Unpack(packed[:cut]); err == nil {
			t.Fatalf("cut at %d of %d: no error", cut, len(packed))
		}
	}
	for at := range packed {
		changed := slices.Clone(packed)
		changed[at] ^= 1 << (at % 8)
		k, err := Unpack(changed)
		if err == nil && !reflect.DeepEqual(k.Tree, booked(t).Tree) {
			t.Fatalf("byte %d changed: another tree", at)
		}
	}
	newer := slices.Clone(packed)
	newer[len(magic)]++
	if _, err := Unpack(newer); err == nil || !strings.Contains(err.Error(), "version 2 of the layout, and this program reads version 1") {
		t.Errorf("a newer layout: %v", err)
	}
}

// TestExpandIsBounded expands frames that are larger than the maximum. Only some state their size
// in the header.
func TestExpandIsBounded(t *testing.T) {
	const limit = 16 << 20
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, size := range []int{limit, 2 * limit} {
		var silent bytes.Buffer
		z.Reset(&silent)
		if _, err := z.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		for _, frame := range [][]byte{silent.Bytes(), z.EncodeAll(make([]byte, size), nil)} {
			if out, err := expand(frame, limit); (err == nil) != (size == limit) || len(out) > limit+limit/16 {
				t.Errorf("%d bytes in a frame of %d: %d came out, %v", size, len(frame), len(out), err)
			}
		}
	}
}

// FuzzUnpack unpacks arbitrary frame content. The result must be an error, or a run that can be
// preprocessed.
func FuzzUnpack(f *testing.F) {
	small := filepath.Join(f.TempDir(), "small.folded")
	if err := os.WriteFile(small, []byte("app.Main.main;java.util.List.add 1\napp.Main.main 2\n"), 0o666); err != nil {
		f.Fatal(err)
	}
	inner, err := plain(&read(small, "")[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(inner)
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, inner []byte) {
		k, err := unpack(inner)
		if err != nil {
			return
		}
		if inner, err = plain(k); err != nil {
			t.Fatal(err)
		}
		again, err := unpack(inner)
		if err != nil || !reflect.DeepEqual(again.Tree, k.Tree) {
			t.Fatalf("packed again it differs: %v", err)
		}
		preprocess.One(k.Tree, preprocess.Options{Steps: preprocess.AllSteps(), Platform: known})
	})
}
