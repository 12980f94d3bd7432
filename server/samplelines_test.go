package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
)

// TestSampleWithLines compares testdata/lines with the output of writeLineSample, which makes it.
// The tests of the plug-ins for editors show this sample.
func TestSampleWithLines(t *testing.T) {
	const home = "../testdata/lines"
	if *update {
		writeLineSample(t, home)
		return
	}
	folder := t.TempDir()
	writeLineSample(t, folder)
	for _, name := range []string{"subject.pprof", "reference.pprof"} {
		got, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		// Versions of the compressor may differ, so the contents are compared.
		if a, b := rowsOf(t, got), rowsOf(t, want); len(a) != len(b) {
			t.Errorf("%s has %d lines, and the program writes %d: run go test ./server -run SampleWithLines -update", name, len(a), len(b))
		} else {
			for i := range a {
				if a[i] != b[i] {
					t.Errorf("%s: %+v, want %+v: run go test ./server -run SampleWithLines -update", name, a[i], b[i])
				}
			}
		}
	}
}

// rowsOf returns the lines of a recording with their numbers of samples.
func rowsOf(t *testing.T, data []byte) (rows []frameAt) {
	t.Helper()
	path := write(t, t.TempDir(), "run.pprof", string(data))
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range in.Lines().Rows {
		rows = append(rows, frameAt{r.Method.OnLine(int32(r.Line)).Label(), int64(r.Samples)<<32 | int64(r.AllSamples)})
	}
	return rows
}

// writeLineSample writes two recordings of a search in notes. The subject computes the distance of each
// pair of words with a table. The reference first checks whether the words are equal.
func writeLineSample(t *testing.T, folder string) {
	main := frameAt{"android.os.Looper.loop", 0}
	query := func(line int64) frameAt { return frameAt{"com.example.notes.SearchActivity.onQuery", line} }
	at := func(method string, line int64) frameAt { return frameAt{"com.example.notes.Search." + method, line} }
	under := func(n int64, frames ...frameAt) lineUseOf { return lineUseOf{n, append([]frameAt{main}, frames...)} }
	create, find, distance := query(22), query(23), at("find", 20)
	split := frameAt{"java.lang.String.split", 0}
	titles := []lineUseOf{
		under(60, create, at("<init>", 12), frameAt{"java.util.HashMap.put", 0}),
		under(18, create, at("<init>", 12)),
		under(90, query(24), frameAt{"android.widget.TextView.setText", 0}),
	}
	writeLines(t, filepath.Join(folder, "subject.pprof"), append(titles,
		under(940, find, distance, at("distance", 41)),
		under(310, find, distance, at("distance", 40)),
		under(120, find, distance, at("distance", 39)),
		under(46, find, distance, at("distance", 38)),
		under(230, find, at("find", 19), split),
		under(34, find, at("find", 19)),
		under(7, find, at("find", 18)),
	)...)
	writeLines(t, filepath.Join(folder, "reference.pprof"), append(titles,
		under(210, find, distance, at("distance", 41)),
		under(60, find, distance, at("distance", 40)),
		under(225, find, at("find", 19), split),
		under(30, find, at("find", 19)),
	)...)
}
