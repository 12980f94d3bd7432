package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// Runs returns the recordings of a folder. It returns any other path unchanged.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	data := run(t, 10, artwrite.Form{Version: 3})
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("runs/run-2.trace", data)
	write("runs/run-10.trace.gz", gz(t, data))
	write("runs/readme.md", []byte("a;b 1\n"))
	write("two/a.trace", data)
	write("two/b.folded", []byte("a;b 1\n"))
	write("none/notes.txt", []byte("a;b 1\n"))
	write("joular/joularJX-1-all-methods-energy.csv", []byte("a.b,1.0\n"))
	for path, want := range map[string]string{
		"runs":                 "runs/run-2.trace runs/run-10.trace.gz",
		"runs/run-2.trace":     "runs/run-2.trace",
		"two":                  "error: two is a folder, not a recording: the folder holds recordings of 2 scenarios: name the recordings of one, such as a.trace, b.folded",
		"none":                 "none",
		"joular":               "joular",
		"missing":              "missing",
		"none/notes.txt":       "none/notes.txt",
		"runs/run-10.trace.gz": "runs/run-10.trace.gz",
	} {
		runs, err := ingest.Runs(t.Context(), filepath.Join(dir, filepath.FromSlash(path)))
		got := strings.Join(runs, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got = filepath.ToSlash(strings.ReplaceAll(got, dir+string(filepath.Separator), "")); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ingest.Runs(stopped, filepath.Join(dir, "runs")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFoldersWithoutRecordings checks the errors for empty folders and for folders with other
// files.
func TestFoldersWithoutRecordings(t *testing.T) {
	dir := t.TempDir()
	if err := failure(t, dir, ingest.Options{}); !strings.Contains(err.Error(), "the folder is empty") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("no trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := failure(t, dir, ingest.Options{}); !strings.Contains(err.Error(), "it is a folder without recordings") {
		t.Error(err)
	}
}
