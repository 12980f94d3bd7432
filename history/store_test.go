package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/units"
)

// sample returns a run of three contexts that uses one nanojoule.
var sample = sync.OnceValue(func() analysis.StoredRun {
	folder, err := os.MkdirTemp("", "history")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "run.folded")
	if err := os.WriteFile(path, []byte("app.Main.main;java.util.List.add 1\n"), 0o666); err != nil {
		panic(err)
	}
	unit, err := units.ParseValueUnit("nJ")
	if err != nil {
		panic(err)
	}
	kept, err := analysis.ReadForStore(context.Background(), analysis.Options{Subject: analysis.Side{Path: path}, Ingest: ingest.Options{Unit: unit}})
	if err != nil {
		panic(err)
	}
	return kept[0]
})

// numbered returns a run that uses n nanojoules.
func numbered(n int) analysis.StoredRun {
	k := sample()
	k.Tree = k.Tree.Scaled(int64(n), 1)
	k.Input.Energy = k.Tree.Energy.Total()
	k.Content = sha256.Sum256(fmt.Append(nil, n))
	return k
}

// commit returns the entry of commit number n.
func commit(n int) Entry {
	return Entry{Commit: fmt.Sprintf("%040x", sha256.Sum256(fmt.Append(nil, n)))[:40], Time: time.Unix(int64(n), 0)}
}

// create makes a history with the commits of the given numbers.
func create(t *testing.T, numbers ...int) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	s, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, n := range numbers {
		add(t, s, commit(n), numbered(n))
	}
	return s, path
}

func add(t *testing.T, s *Store, e Entry, runs ...analysis.StoredRun) *Added {
	t.Helper()
	added, err := s.Add(t.Context(), e, runs...)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func list(t *testing.T, s *Store, f Filter) []Entry {
	t.Helper()
	entries, err := s.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// whole checks that a history has exactly the runs of the given numbers, each with its own tree.
func whole(t *testing.T, s *Store, numbers ...int) {
	t.Helper()
	var result string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		t.Errorf("the file is not whole: %s %v", result, err)
	}
	runs := make(map[[32]byte]Run)
	for _, e := range list(t, s, Filter{}) {
		if len(e.Runs) == 0 {
			t.Errorf("%v has no runs", &e)
		}
		for _, r := range e.Runs {
			runs[r.Content] = r
		}
	}
	for _, n := range numbers {
		want := numbered(n)
		r, ok := runs[want.Content]
		if !ok {
			t.Errorf("run %d is lost", n)
			continue
		}
		k, err := s.Load(t.Context(), r)
		if err != nil {
			t.Error(err)
			continue
		}
		if k.Tree.Energy.Total() != units.Energy(n) || r.Energy != units.Energy(n) || !bytes.Equal(k.Tree.Pack(), want.Tree.Pack()) {
			t.Errorf("run %d has another tree", n)
		}
	}
}

func TestAddKeepsRepeatsTogether(t *testing.T) {
	s, _ := create(t, 2, 1)
	more := add(t, s, commit(1), numbered(10), numbered(11))
	if more.New != 2 || len(more.Entry.Runs) != 3 || more.Entry.Runs[2].Name != "run.folded#3" {
		t.Errorf("two more runs of an entry: %+v", more)
	}
	other := commit(1)
	other.Device = "Pixel 4"
	add(t, s, other, numbered(12))
	again := add(t, s, commit(3), numbered(11), numbered(11), numbered(13))
	if again.New != 1 || len(again.Known) != 2 || again.Known[0].Entry.Commit != commit(1).Commit || again.Known[0].Run.Energy != 11 {
		t.Errorf("a recording that is kept: %+v", again)
	}
	if none := add(t, s, commit(4), numbered(13)); none.New != 0 || none.Entry.ID != 0 {
		t.Errorf("nothing new: %+v", none)
	}
	var got []string
	for _, e := range list(t, s, Filter{}) {
		got = append(got, fmt.Sprintf("%d%s %d", e.Time.Unix(), e.Device, len(e.Runs)))
	}
	if want := []string{"1 3", "1Pixel 4 1", "2 1", "3 1"}; !slices.Equal(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
	whole(t, s, 1, 2, 10, 11, 12, 13)
	if found := list(t, s, Filter{Device: "Pixel 4", Commit: commit(1).Commit[:5]}); len(found) != 1 {
		t.Errorf("a filter finds %v", found)
	}
}

func TestAddStoresTheVersionOnce(t *testing.T) {
	s, _ := create(t, 1)
	e := commit(1)
	e.Version = "1.2"
	add(t, s, e, numbered(2))
	if got := list(t, s, Filter{}); len(got) != 1 || got[0].Version != "1.2" {
		t.Errorf("a version that was not known: %+v", got)
	}
	e.Version = "1.3"
	if _, err := s.Add(t.Context(), e, numbered(3)); err == nil || !strings.Contains(err.Error(), "version 1.2, not 1.3") {
		t.Errorf("another version: %v", err)
	}
	for _, bad := range []Entry{{}, {Commit: "main"}, {Version: "#1"}, {Version: "1\n2"}, {Commit: commit(1).Commit, Device: strings.Repeat("x", 501)}} {
		if _, err := s.Add(t.Context(), bad, numbered(4)); err == nil {
			t.Errorf("%+v is no entry", bad)
		}
	}
}

func TestAddIsAllOrNothing(t *testing.T) {
	s, _ := create(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Add(ctx, commit(2), numbered(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.db.Exec("CREATE TRIGGER no BEFORE INSERT ON packed WHEN new.run = 3 BEGIN SELECT RAISE(ABORT, 'no'); END"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), commit(2), numbered(2), numbered(3)); err == nil {
		t.Error("the second run cannot be added")
	}
	if got := list(t, s, Filter{}); len(got) != 1 {
		t.Errorf("half of it was added: %+v", got)
	}
}

func TestRemove(t *testing.T) {
	s, _ := create(t, 1, 2)
	if err := s.Remove(t.Context(), 1, 7); err != nil {
		t.Fatal(err)
	}
	whole(t, s, 2)
	if got := add(t, s, commit(1), numbered(1)); got.New != 1 || got.Entry.ID != 3 {
		t.Errorf("what was removed is added again: %+v", got)
	}
	whole(t, s, 1, 2)
}

func TestFind(t *testing.T) {
	s, _ := create(t, 1, 2)
	e := commit(1)
	e.Scenario, e.Version = "startup", "v1/beta@2"
	add(t, s, e, numbered(3), numbered(4))
	one, two := commit(1).Commit, commit(2).Commit
	for ref, want := range map[string]string{
		"#1": "#1", "#2": "#2", two[:4]: "#2", strings.ToUpper(two): "#2", "v1/beta@2": "#3", "v1/beta@2/run.folded": "#3 4",
		one[:6] + "@startup": "#3", one + "@startup/run.folded#2": "#3 4", two + "/run.folded": "#2",
		one: "matches 2 entries", one + "@warm": "matches no entry", two[:3]: "matches no entry", "#9": "matches no entry", "": "matches no entry",
		two + "/other": "matches no entry", "v2": "matches no entry",
	} {
		got, err := s.Find(t.Context(), ref)
		var bad *RefError
		switch {
		case err == nil:
			if found := got.Ref(); !strings.HasPrefix(want, found) || strings.Contains(ref, "/run") && len(got.Runs) != 1 {
				t.Errorf("%q finds %s, want %s", ref, found, want)
			}
		case !errors.As(err, &bad) || !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %s", ref, err, want)
		}
	}
	_, err := s.Find(t.Context(), one)
	if want := fmt.Sprintf(`"%s" matches 2 entries; choose one: #1 (%.7s), #3 (%.7s, v1/beta@2, startup)`, one, one, one); err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

func TestFileIsAKeep(t *testing.T) {
	_, path := create(t, 1, 2)
	ref := analysis.StoredPrefix + commit(2).Commit[:8]
	runs, err := File(path).Runs(t.Context(), ref)
	if err != nil || len(runs) != 1 || runs[0] != ref {
		t.Fatalf("runs %q %v", runs, err)
	}
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: ref}, Store: File(path)})
	if err != nil || in.Energy != 2 || in.Path != ref {
		t.Errorf("%+v %v", in, err)
	}
	sums := make(map[string]string)
	for _, ref := range []string{ref, "history:#2", "history:#1"} {
		sum, err := File(path).Sum(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		sums[ref] = string(sum)
	}
	if sums[ref] != sums["history:#2"] || sums[ref] == sums["history:#1"] {
		t.Errorf("hashes of runs are %x", sums)
	}
	if _, err := File(path).Sum(t.Context(), "history:feed"); err == nil {
		t.Error("there is no such entry to hash")
	}
	if _, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: "history:feed"}, Store: File(path)}); err == nil {
		t.Error("there is no such entry")
	}
	if _, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: ref, Mapping: "mapping.txt"}, Store: File(path)}); err == nil {
		t.Error("what is kept has its names")
	}
	if _, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: ref}}); err == nil {
		t.Error("nothing is kept")
	}
}

// TestOpenRejectsOtherFiles checks that opening files that are not histories fails and does not
// change them.
func TestOpenRejectsOtherFiles(t *testing.T) {
	folder := t.TempDir()
	if _, err := Open(t.Context(), filepath.Join(folder, "none.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(t.Context(), folder); err == nil {
		t.Error("a folder is no history")
	}
	other := filepath.Join(folder, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE a (b)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	text := filepath.Join(folder, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("This is no database.\n", 999)), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{other: "a database of another program", text: "it is not a history"} {
		before, _ := os.ReadFile(path)
		_, err := Create(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s was written to", path)
		}
	}
	empty := filepath.Join(folder, "empty.db")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Create(t.Context(), empty) // The file is as left by a program that was killed immediately after creating it.
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// TestOpenReportsVersions opens files of versions that the program does not support.
func TestOpenReportsVersions(t *testing.T) {
	s, path := create(t, 1)
	s.Close()
	next := append(slices.Clone(migrations), "ALTER TABLE entry ADD COLUMN note TEXT NOT NULL DEFAULT 'none'")
	broken := append(slices.Clone(migrations), "ALTER TABLE entry ADD COLUMN note TEXT; DELETE FROM run; NONSENSE")
	if _, err := open(t.Context(), path, "rw", broken); err == nil {
		t.Fatal("the migration is nonsense")
	}
	s, err := open(t.Context(), path, "rw", migrations)
	if err != nil {
		t.Fatalf("half a migration was left: %v", err)
	}
	whole(t, s, 1)
	s.Close()
	if s, err = open(t.Context(), path, "rw", next); err != nil {
		t.Fatal(err)
	}
	var note string
	if err := s.db.QueryRow("SELECT note FROM entry").Scan(&note); err != nil || note != "none" {
		t.Errorf("the migration: %q %v", note, err)
	}
	whole(t, s, 1)
	s.Close()
	before, _ := os.ReadFile(path)
	_, err = Create(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "it has version 2, and this program reads versions up to 1") {
		t.Errorf("a newer version: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a newer file was written to")
	}
}

// TestDamagedFiles cuts a history at many lengths, and changes bytes in it. Opening a cut file must
// fail, and no run may have the tree of another.
func TestDamagedFiles(t *testing.T) {
	s, path := create(t, 1, 2, 3, 4, 5, 6, 7, 8)
	s.Close()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	try := func(what string, data []byte, mayHold bool) {
		if err := os.WriteFile(copied, data, 0o666); err != nil {
			t.Fatal(err)
		}
		os.Remove(copied + "-journal")
		s, err := Open(t.Context(), copied)
		if err != nil {
			return
		}
		defer s.Close()
		entries, err := s.List(t.Context(), Filter{})
		if err != nil {
			return
		}
		bad := false
		for i, e := range entries {
			for _, r := range e.Runs {
				k, err := s.Load(t.Context(), r)
				if err != nil {
					bad = true
				} else if k.Tree.Energy.Total() != units.Energy(i+1) {
					t.Errorf("%s: a wrong answer", what)
				}
			}
		}
		if !mayHold && !bad && len(data) > 0 {
			t.Errorf("%s: no error", what)
		}
	}
	for cut := 0; cut < len(file); cut += 509 {
		try(fmt.Sprintf("cut at %d", cut), file[:cut], false)
	}
	for at := 0; at < len(file); at += 331 {
		changed := slices.Clone(file)
		changed[at] ^= 0x55
		try(fmt.Sprintf("byte %d changed", at), changed, true)
	}
}

// TestWritersWaitForEachOther adds to the same file from several stores concurrently.
func TestWritersWaitForEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "history.db")
	const writers, each = 4, 12
	var wg sync.WaitGroup
	var numbers []int
	for w := range writers {
		for i := range each {
			numbers = append(numbers, 1+w*each+i)
		}
		wg.Go(func() {
			s, err := Create(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range each {
				n := 1 + w*each + i
				// All goroutines add runs to the same five entries.
				if _, err := s.Add(t.Context(), commit(n%5), numbered(n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	whole(t, s, numbers...)
	if got := len(list(t, s, Filter{})); got != 5 {
		t.Errorf("%d entries, want 5", got)
	}
}

// TestFullFile adds runs until the file has its maximum size. The file must have all runs that were
// reported as added.
func TestFullFile(t *testing.T) {
	s, _ := create(t, 1)
	if _, err := s.db.Exec("PRAGMA max_page_count = 24"); err != nil {
		t.Fatal(err)
	}
	numbers := []int{1}
	for n := 2; ; n++ {
		_, err := s.Add(t.Context(), commit(n), numbered(n))
		if err != nil {
			if !strings.Contains(err.Error(), "the disk is full") {
				t.Errorf("a full file: %v", err)
			}
			break
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 5 {
		t.Errorf("%d runs fit", len(numbers))
	}
	whole(t, s, numbers...)
	if _, err := s.db.Exec("PRAGMA max_page_count = 4000"); err != nil {
		t.Fatal(err)
	}
	add(t, s, commit(99), numbered(99))
	whole(t, s, append(numbers, 99)...)
}
