package history

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
)

var update = flag.Bool("update", false, "make the file of this version, if there is none, and write what it says")

// TestOldFiles checks that histories of all released versions keep their content. testdata has a
// file for each version. It was written by a program of that version, and must never be replaced.
func TestOldFiles(t *testing.T) {
	const now = "testdata/v1.db"
	if _, err := os.Stat(now); err != nil && *update {
		makeOld(t, now)
	}
	files, err := filepath.Glob("testdata/v*.db")
	if err != nil || len(files) < len(migrations) {
		t.Fatalf("there are files %q, and %d versions", files, len(migrations))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "old.db")
		if err := os.WriteFile(copied, data, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), copied)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got := contentOf(t, s)
		golden := strings.TrimSuffix(file, ".db") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is read as\n%s\nand was read as\n%s", file, got, want)
		}
	}
}

// makeOld writes a history of the current version.
func makeOld(t *testing.T, path string) {
	s, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, sample := range []string{"eprof/pup.trace.gz", "eprof/facebook.trace.gz", "cases/kaspersky-avg/subject.trace"} {
		runs, err := analysis.ReadForStore(t.Context(), analysis.Options{Subject: analysis.Side{Path: "../testdata/" + sample}, PowerModel: []string{"passion", "passion", ""}[i]})
		if err != nil {
			t.Fatal(err)
		}
		e := commit(i / 2)
		e.Parents, e.Version, e.Device, e.Scenario, e.App = []string{commit(9).Commit, commit(8).Commit}, "1.2", "Pixel 4", "startup", "app"
		e.Time = time.Date(2026, 11, 22, 15, 0, i/2, 0, time.UTC)
		add(t, s, e, runs...)
	}
}

// contentOf returns all data of a history as text.
func contentOf(t *testing.T, s *Store) string {
	var b strings.Builder
	for _, e := range list(t, s, Filter{}) {
		fmt.Fprintf(&b, "%v %s %q %s\n", &e, e.Commit, e.Parents, e.Time.UTC())
		for _, r := range e.Runs {
			fmt.Fprintf(&b, "  %s %x %s %s %t %s\n  %d nJ %v %v %d contexts %d bytes\n", r.Name, r.Content, r.Format, r.Provenance, r.Unstated, r.Power,
				int64(r.Energy), r.CPU, r.Elapsed, r.Contexts, r.Recorded)
			k, err := s.Load(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			in, tr := k.Input, k.Input.Trace
			fmt.Fprintf(&b, "  %s %s %s %s %s %s %d events %d threads %v\n", tr.Format, tr.Clock, tr.Technique, tr.Calls, tr.Energy, tr.VM, tr.Events, len(tr.Threads), tr.Warnings)
			for _, a := range tr.Accounts {
				fmt.Fprintf(&b, "  account %s %s %s\n", a.Component, a.Part, a.Provenance)
			}
			for _, c := range in.Components {
				fmt.Fprintf(&b, "  component %s %s %d %d %d\n", c.Name, c.Provenance, int64(c.Use), int64(c.Tail), int64(c.Rest))
				for _, state := range c.States {
					fmt.Fprintf(&b, "    %s %v %v %d\n", state.Name, state.Kind, state.Time, int64(state.Energy))
				}
			}
			for _, key := range k.Tree.Keys() {
				fmt.Fprintf(&b, "  column %v:", key)
				for i := range k.Tree.Nodes[:min(len(k.Tree.Nodes), 40)] {
					fmt.Fprintf(&b, " %d", k.Tree.Self(int32(i), key))
				}
				fmt.Fprintf(&b, ", all %d\n", k.Tree.All(cct.Root, key))
			}
			for i := range k.Tree.Nodes[:min(len(k.Tree.Nodes), 40)] {
				n := k.Tree.Nodes[i]
				fmt.Fprintf(&b, "  %d %d %v %s", n.Parent, n.End, k.Tree.Threads(int32(i)), k.Tree.Label(int32(i)))
				if n.Method >= 0 {
					m := k.Tree.Methods[n.Method]
					fmt.Fprintf(&b, " %s %s", m.Lang, m.Place())
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
