package calls_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/calls"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// parts returns the map and the process of the sample.
func parts(t *testing.T) (mapped, process []byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/workload.calls")
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte(calls.Magic))
	if data[8] != 'M' || data[at+8] != 'P' {
		t.Fatal("the sample is not a map and a process")
	}
	return data[:at], data[at:]
}

// folder writes files to a folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFolder reads a folder as adb pull copies it: one recording with the processes of a run.
func TestFolder(t *testing.T) {
	mapped, process := parts(t)
	for _, files := range []map[string][]byte{
		{"0123.calls-map": mapped, "com.mine-1-5.calls": process, "com.mine_sync-2-6.calls": process, "com.mine-1-5.calls.7.part": nil},
		{"pulled/files/0123.calls-map": mapped, "pulled/files/a.calls": process, "pulled/files/b.calls": process},
	} {
		f, err := ingest.Open(t.Context(), folder(t, files), ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := tracetest.Check(t.Context(), f); err != nil {
			t.Error(err)
		}
		tr, err := f.Scan(t.Context(), tracetest.Discard{})
		if err != nil || len(tr.Processes) != 2 || f.Format().Name != "calls" {
			t.Error(f.Format().Name, tr, err)
		}
	}
}

// TestRuns reads a folder of several runs, each with the map. They are repeated runs, not the
// processes of one run.
func TestRuns(t *testing.T) {
	mapped, process := parts(t)
	whole := append(bytes.Clone(mapped), process...)
	dir := folder(t, map[string][]byte{"run-1.calls": whole, "run-2.calls": whole, "record.json": []byte("{}")})
	runs, err := ingest.Runs(t.Context(), dir)
	if err != nil || len(runs) != 2 {
		t.Error(runs, err)
	}
}

func TestFolderErrors(t *testing.T) {
	mapped, process := parts(t)
	for _, c := range []struct {
		files map[string][]byte
		want  string
	}{
		{map[string][]byte{"a.calls-map": mapped}, "no process: the app has not written a recording"},
		{map[string][]byte{"a.calls-map": mapped, "b.calls": process[:50]}, "b.calls: offset 0: recording of an instrumented app: the block"},
		{map[string][]byte{"a.calls-map.json": []byte("{"), "b.calls": process}, "a.calls-map.json: recording of an instrumented app: the map:"},
	} {
		f, err := ingest.Open(t.Context(), folder(t, c.files), ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Scan(t.Context(), tracetest.Discard{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
