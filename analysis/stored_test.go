package analysis_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/trace"
)

// signals is the log of a phone. It has operations and no calls.
const signals = `1700000000.500  1438  1440 I CameraService: CameraService::connect call (PID 9 "com.mine", camera ID 0)
1700000002.500  1438  1440 I CameraService: disconnect
`

// written writes files into a folder and returns it.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestReadKept reads runs for storage. Each must have its own tree and the hash of its recording.
func TestReadKept(t *testing.T) {
	files := map[string]string{"a.folded": "p.A.a();p.B.b() 5\n", "b.folded": "p.A.a();p.B.b() 7\np.C.c() 11\n", "c.log": signals}
	folder := written(t, files)
	kept, err := analysis.ReadForStore(t.Context(), analysis.Options{
		Subject: analysis.Side{Path: filepath.Join(folder, "a.folded"), Repeats: []string{filepath.Join(folder, "b.folded")}},
	})
	if err != nil || len(kept) != 2 {
		t.Fatalf("%d runs are kept: %v", len(kept), err)
	}
	for i, want := range []struct {
		file  string
		total int64
	}{{"a.folded", 5}, {"b.folded", 18}} {
		k := kept[i]
		if filepath.Base(k.Input.Path) != want.file || int64(k.Tree.Energy.Total()) != want.total || k.Content != sha256.Sum256([]byte(files[want.file])) {
			t.Errorf("run %d is %s with %d: want %s with %d", i, k.Input.Path, k.Tree.Energy.Total(), want.file, want.total)
		}
	}
	for _, refused := range []string{filepath.Join(folder, "c.log"), analysis.StoredPrefix + "4f2c1a"} {
		if kept, err := analysis.ReadForStore(t.Context(), analysis.Options{Subject: analysis.Side{Path: refused}}); err == nil {
			t.Errorf("%s is kept as %d runs", refused, len(kept))
		}
	}
}

// TestSignalsAlone checks that a recording without calls can be read by itself, with a warning. It
// cannot be compared.
func TestSignalsAlone(t *testing.T) {
	folder := written(t, map[string]string{"a.folded": "p.A.a();p.B.b() 5\n", "c.log": signals})
	for file, want := range map[string]bool{"a.folded": false, "c.log": true} {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: filepath.Join(folder, file)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(in.Trace.Warnings, func(w trace.Warning) bool { return w.Code == "signals-alone" }); got != want {
			t.Errorf("%s: warned %v, want %v", file, got, want)
		}
	}
	o := analysis.Options{Subject: analysis.Side{Path: filepath.Join(folder, "a.folded")}, Reference: analysis.Side{Path: filepath.Join(folder, "c.log")}}
	if _, err := analysis.Compare(t.Context(), o); err == nil {
		t.Error("a recording without calls is compared")
	}
}
