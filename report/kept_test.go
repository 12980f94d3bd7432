package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/report"
)

// TestKeptRunsCompareAsTheirRecordings compares pairs of recordings, and the same pairs from a
// history: except for the names of the inputs, the reports are equal byte by byte.
func TestKeptRunsCompareAsTheirRecordings(t *testing.T) {
	tries := []analysis.Options{
		{Subject: analysis.Side{Path: "../testdata/eprof/upload.trace.gz"}, Reference: analysis.Side{Path: "../testdata/eprof/upload-later.trace.gz"}, PowerModel: "passion", Bundles: true},
		{Subject: analysis.Side{Path: "../testdata/eprof/facebook.trace.gz"}, Reference: analysis.Side{Path: "../testdata/eprof/browser.trace.gz"}, PowerModel: "lte"},
	}
	for _, folder := range []string{"kaspersky-avg", "textnow-whatsapp", "dfndr-turbo", "kohls-letgo"} {
		o := analysis.Options{Alpha: analysis.AutoAlpha, PowerProfile: "../testdata/cases/power_profile.xml"}
		for name, to := range map[string]*string{"subject.trace*": &o.Subject.Path, "reference.trace*": &o.Reference.Path, "subject.mapping.txt": &o.Subject.Mapping} {
			if found, _ := filepath.Glob(filepath.Join("../testdata/cases", folder, name)); len(found) > 0 {
				*to = found[0]
			}
		}
		tries = append(tries, o)
	}
	repeats := analysis.Options{
		PowerModel: "lte",
		Subject:    analysis.Side{Path: "../testdata/eprof/upload.trace.gz", Repeats: []string{"../testdata/eprof/cnn.trace.gz"}},
		Reference:  analysis.Side{Path: "../testdata/eprof/upload-later.trace.gz", Repeats: []string{"../testdata/eprof/pup.trace.gz"}},
	}
	path := filepath.Join(t.TempDir(), "history.db")
	store, err := history.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for i, o := range append(tries, repeats) {
		// keep adds the recording of a side to the history, and returns its name there.
		keep := func(side, subject, mapping string, more []string) string {
			only := o
			only.Subject.Path, only.Subject.Repeats, only.Subject.Mapping = subject, more, mapping
			kept, err := analysis.ReadForStore(t.Context(), only)
			if err != nil {
				t.Fatal(err)
			}
			version := fmt.Sprint(i, side)
			for k := range kept {
				kept[k].Content[0] ^= byte(i + 1) // Some recordings are in several pairs, so their hashes are changed.
			}
			if _, err := store.Add(t.Context(), history.Entry{Version: version}, kept...); err != nil {
				t.Fatal(err)
			}
			return analysis.StoredPrefix + version
		}
		kept := o
		kept.Subject.Path, kept.Subject.Repeats = keep("s", o.Subject.Path, o.Subject.Mapping, o.Subject.Repeats), nil
		kept.Reference.Path, kept.Reference.Repeats = keep("r", o.Reference.Path, o.Reference.Mapping, o.Reference.Repeats), nil
		kept.Subject.Mapping, kept.Store = "", history.File(path)
		got, want := compared(t, kept), compared(t, o)
		if got != want {
			t.Errorf("%s against %s: kept, they say something else; see %s", o.Subject.Path, o.Reference.Path, differing(t, got, want))
		}
	}
}

// compared returns the report of a comparison without the names of its inputs.
func compared(t *testing.T, o analysis.Options) string {
	t.Helper()
	r, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []*analysis.Input{&r.Subject, &r.Reference} {
		in.Path = "run.trace"
		for k := range in.Runs {
			in.Runs[k].Path = fmt.Sprint("run-", k)
		}
	}
	var b bytes.Buffer
	if err := report.New(finding.New(r), "test", 0).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// differing returns the first line in which two texts differ.
func differing(t *testing.T, got, want string) string {
	t.Helper()
	a, b := bytes.Split([]byte(got), []byte("\n")), bytes.Split([]byte(want), []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d:\n%s\n%s", i+1, a[i], b[i])
		}
	}
	return "their lengths"
}
