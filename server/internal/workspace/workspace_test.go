package workspace

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

const mainJava = `package com.app;

class Main {
    void onCreate() {
        resolver.query();
    }
}
`

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened returns a workspace of one folder with one file. Its sources are already read. In its
// comparison, the file calls a task.
func opened(t *testing.T) (w *Workspace, file string, set *finding.Set) {
	t.Helper()
	folder := t.TempDir()
	file = write(t, folder, "Main.java", mainJava)
	w = New(&lsp.ClientCapabilities{}, "test", "", t.Logf)
	w.SetRoots(w.Roots().With(folder))
	if _, err := w.Reload().Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	const both = "android.view.View.draw()V;com.app.Both.onDraw()V 10007\n"
	r, err := analysis.Compare(t.Context(), analysis.Options{
		Subject:   analysis.Side{Path: write(t, folder, "subject.folded", "android.app.Activity.performCreate()V;com.app.Main.onCreate()V;android.content.ContentResolver.query()V 1000000\n"+both)},
		Reference: analysis.Side{Path: write(t, folder, "reference.folded", "android.app.Activity.performCreate()V;org.other.Start.onCreate()V 1000\n"+both)},
	})
	if err != nil {
		t.Fatal(err)
	}
	set = finding.New(r)
	return w, file, set
}

func snapshot(t *testing.T, w *Workspace) *Snapshot {
	t.Helper()
	s, err := w.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, w *Workspace, path, text string, version int32) {
	t.Helper()
	if _, err := w.Open(protocol.TextDocumentItem{URI: lsp.URIOf(path), Version: version, Text: text}); err != nil {
		t.Fatal(err)
	}
}

// insert inserts a text at the beginning of an open file.
func insert(w *Workspace, path, text string, version int32) bool {
	_, ok := w.Edit(&lsp.DidChangeParams{
		TextDocument: protocol.VersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: lsp.URIOf(path)}, Version: version,
		},
		ContentChanges: []lsp.ContentChange{{Range: &protocol.Range{}, Text: text}},
	})
	return ok
}

// line returns the line at which the snapshot places the file's first call. It returns -1 if there
// is no call.
func line(s *Snapshot, path string) int {
	marks, _ := s.Marks(lsp.URIOf(path))
	if marks == nil || len(marks.Calls) == 0 {
		return -1
	}
	return marks.Calls[0].Site.From.Line
}

// TestSnapshotsDoNotChange checks that each snapshot has the edits before it, and does not change
// afterwards.
func TestSnapshotsDoNotChange(t *testing.T) {
	w, file, set := opened(t)
	if s := snapshot(t, w); s.Layout != nil || s.Set != nil {
		t.Error("there is a layout without a comparison")
	}
	w.Show(set)
	open(t, w, file, mainJava, 1)
	var all []*Snapshot
	for i := range 20 {
		all = append(all, snapshot(t, w))
		if again := snapshot(t, w); again != all[i] {
			t.Fatalf("snapshot %d was made twice", i)
		}
		insert(w, file, "\n", int32(i+2))
	}
	for i, s := range all {
		want := strings.Repeat("\n", i) + mainJava
		if got := s.TextOf(file).Text(); got != want || s.Document(file).Version != int32(i+1) || line(s, file) != 4+i {
			t.Errorf("snapshot %d has a text of %d bytes, version %d and a call in line %d", i, len(got), s.Document(file).Version, line(s, file))
		}
		if i > 0 && !s.OnlyEdited(all[i-1]) {
			t.Errorf("snapshot %d differs by more than edits", i)
		}
	}
	if _, ok := w.Close(lsp.URIOf(file)); !ok {
		t.Error("an open file could not be closed")
	}
	if s := snapshot(t, w); line(s, file) != 4 || s.Document(file) != nil {
		t.Errorf("closed, the call is in line %d", line(s, file))
	}
	if insert(w, file, "x", 99) {
		t.Error("a closed file was edited")
	}
	w.Show(nil)
	if s := snapshot(t, w); s.Layout != nil || s.OnlyEdited(all[19]) {
		t.Error("a comparison that is no longer shown has places")
	}
}

// TestOpenedAgain closes a file and opens it again. The client then counts versions from 1 again. A
// snapshot may have both changes at once.
func TestOpenedAgain(t *testing.T) {
	for _, between := range []bool{false, true} {
		w, file, set := opened(t)
		w.Show(set)
		open(t, w, file, mainJava, 7)
		if got := line(snapshot(t, w), file); got != 4 {
			t.Fatalf("the call is in line %d, want 4", got)
		}
		w.Close(lsp.URIOf(file))
		if between {
			snapshot(t, w)
		}
		open(t, w, file, "\n\n"+mainJava, 1)
		if s := snapshot(t, w); line(s, file) != 6 || s.Document(file).Version != 1 {
			t.Errorf("with a snapshot between: %t: the call is in line %d, want 6", between, line(s, file))
		}
		insert(w, file, "\n", 2)
		if got := line(snapshot(t, w), file); got != 7 {
			t.Errorf("with a snapshot between: %t: after an edit, the call is in line %d, want 7", between, got)
		}
	}
}

// TestCancelledSnapshotLosesNothing checks that the next snapshot has the edits of a cancelled one.
func TestCancelledSnapshotLosesNothing(t *testing.T) {
	w, file, set := opened(t)
	w.Show(set)
	open(t, w, file, mainJava, 1)
	snapshot(t, w)
	insert(w, file, "\n\n", 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 { // If two channels are ready, chance decides, so the test runs several times.
		if _, err := w.Snapshot(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("a cancelled request got a snapshot, %v", err)
		}
	}
	if got := line(snapshot(t, w), file); got != 6 {
		t.Errorf("the call is in line %d, want 6", got)
	}
}

// TestChanged makes changes. If results may need to be published after a change, there is a token. For a project file, the
// token appears when the settings are read.
func TestChanged(t *testing.T) {
	w, file, set := opened(t)
	project := filepath.Join(filepath.Dir(file), ProjectFile)
	for _, c := range []struct {
		name   string
		change func()
		want   bool
	}{
		{"a comparison", func() { w.Show(set) }, true},
		{"an opened file", func() { open(t, w, file, mainJava, 1) }, true},
		{"an edit", func() { insert(w, file, "\n", 2) }, true},
		{"an edit of another file", func() { insert(w, file+"x", "\n", 2) }, false},
		{"a change on disk", func() { w.ChangedOnDisk(file) }, true},
		{"a project file", func() { open(t, w, project, "", 1) }, false},
		{"settings", func() { w.ReadSettings() }, false},
		{"what asks for it", w.Invalidate, true},
	} {
		for len(w.Changed()) > 0 {
			<-w.Changed()
		}
		c.change()
		if got := len(w.Changed()) > 0; got != c.want {
			t.Errorf("%s: to be published: %v", c.name, got)
		}
	}
}

// TestHiddenAgain changes a setting and shows the same comparison again. Tasks are hidden by the
// current settings.
func TestHiddenAgain(t *testing.T) {
	w, _, set := opened(t)
	w.Show(set)
	tasks := len(set.Tasks())
	count := func() int { return len(snapshot(t, w).hidden) }
	if n := count(); n != 0 || tasks == 0 {
		t.Fatalf("%d of %d tasks are hidden", n, tasks)
	}
	w.SetClientSettings([]byte(`{"ignore": [{"task": "**"}]}`))
	if wrong := w.ReadSettings(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	w.Invalidate()
	if n := count(); n != tasks {
		t.Errorf("%d of %d tasks are hidden by a new rule", n, tasks)
	}
}

// TestSettings checks that the view uses the settings in the editor, that comparisons use the
// settings on disk, and that commands override both.
func TestSettings(t *testing.T) {
	w, file, _ := opened(t)
	folder := filepath.Dir(file)
	project := write(t, folder, ProjectFile, "subject: disk.trace\nminShare: 0.5\n")
	w.SetClientSettings([]byte(`{"subject": "client.trace", "reference": "other.trace"}`))
	open(t, w, project, "subject: editor.trace\nminShare: 0.25\nnonsense: 1\n", 1)
	if wrong := w.ReadSettings(); len(wrong) > 0 {
		t.Errorf("wrong with the client's settings: %v", wrong)
	}
	s := snapshot(t, w)
	if got := s.Preferences.MinShareOr(1); got != 0.25 {
		t.Errorf("the least share is %v", got)
	}
	if p := s.Preferences.Problems[project]; len(p.List) != 1 || !strings.Contains(p.Text.Text(), "nonsense") {
		t.Errorf("the problems are %+v", p)
	}
	expect := func(subject, reference string) {
		t.Helper()
		if o := w.Options(); o.Subject.Path != subject || o.Reference.Path != reference {
			t.Errorf("%s and %s are compared", o.Subject.Path, o.Reference.Path)
		}
	}
	expect(filepath.Join(folder, "disk.trace"), filepath.Join(folder, "other.trace"))
	w.SetInputs("a", "b")
	w.SetAlpha(7)
	expect("a", "b")
	if o := w.Options(); o.Alpha != 7 {
		t.Errorf("α = %d", o.Alpha)
	}
	w.SetInputs("", "")
	expect(filepath.Join(folder, "disk.trace"), filepath.Join(folder, "other.trace"))
	if on, ok := w.Toggle(CodeLens); on || !ok {
		t.Error("the lenses are on")
	}
	w.ReadSettings()
	w.Invalidate()
	if snapshot(t, w).Preferences.Lenses {
		t.Error("the lenses are not off")
	}
	w.SetClientSettings([]byte(`{"minShare": "many"}`))
	if wrong := w.ReadSettings(); len(wrong) != 1 {
		t.Errorf("wrong with the client's settings: %v", wrong)
	}
}

func TestRoots(t *testing.T) {
	place, parent := t.TempDir(), t.TempDir()
	link := filepath.Join(parent, "link")
	if err := os.Symlink(place, link); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	if err := os.Symlink(parent, filepath.Join(place, "out")); err != nil {
		t.Fatal(err)
	}
	file := write(t, place, "A.java", "")
	r := Roots(nil).With(link)
	if len(r.With(link)) != 1 || len(r.Without(link)) != 0 || len(r) != 1 {
		t.Errorf("the folders are %v", r)
	}
	for path, want := range map[string]bool{
		filepath.Join(link, "A.java"): true, filepath.Join(link, "none", "B.java"): true, link: true,
		file: false, filepath.Join(link, "out", "x.java"): false, filepath.Join(link, "..", "x.java"): false, parent: false,
	} {
		if got := r.Inside(path); got != want {
			t.Errorf("%s is inside: %v", path, got)
		}
	}
	if got, want := r.Name(file), filepath.Join(link, "A.java"); got != want {
		t.Errorf("the file is called %s, want %s", got, want)
	}
	if got, want := r.Absolute("x"), filepath.Join(link, "x"); got != want || r.Absolute(file) != file || r.Absolute("") != "" || Roots(nil).Absolute("x") != "x" {
		t.Errorf("x is %s, want %s", got, want)
	}
	if got, want := r.With(parent).ProjectFiles(), []string{filepath.Join(link, ProjectFile), filepath.Join(parent, ProjectFile)}; !slices.Equal(got, want) {
		t.Errorf("the project files are %v, want %v", got, want)
	}
}

// TestConcurrentUse calls all methods at once, for the race detector. A snapshot must be
// consistent: the call must be at its place in the snapshot's text.
func TestConcurrentUse(t *testing.T) {
	w, file, set := opened(t)
	w.Show(set)
	open(t, w, file, mainJava, 1)
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := range 200 {
			insert(w, file, "\n", int32(i+2))
		}
	})
	for worker := range 4 {
		r := rand.New(rand.NewPCG(1, uint64(worker)))
		wait.Go(func() {
			for range 100 {
				switch r.IntN(5) {
				case 0:
					w.Show(set)
				case 1:
					w.ChangedOnDisk(file)
				case 2:
					w.SetAlpha(r.IntN(5))
				default:
					s, err := w.Snapshot(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if want := strings.Count(s.TextOf(file).Text(), "\n") - 3; line(s, file) != want {
						t.Errorf("the call is in line %d, want %d", line(s, file), want)
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestFilesThatAreNone(t *testing.T) {
	w, _, _ := opened(t)
	for _, u := range []uri.URI{"untitled:x", "file:///%zz", ""} {
		if _, err := w.Open(protocol.TextDocumentItem{URI: u}); err == nil {
			t.Errorf("%q was opened", u)
		}
		if marks, _ := snapshot(t, w).Marks(u); marks != nil {
			t.Errorf("%q has marks", u)
		}
		if _, ok := w.Close(u); ok {
			t.Errorf("%q was closed", u)
		}
	}
	if len(snapshot(t, w).documents) > 0 {
		t.Error("files are open")
	}
}

// TestLargeFile checks that a large file is parsed in the background. Until then, its places move
// through the edits, and no snapshot waits.
func TestLargeFile(t *testing.T) {
	w, file, set := opened(t)
	w.Show(set)
	large := mainJava + strings.Repeat("// a comment that makes the file large\n", 300<<10/39)
	open(t, w, file, large, 1)
	insert(w, file, "\n\"\n", 2)
	if got := line(snapshot(t, w), file); got != 6 {
		t.Errorf("before it is parsed the call is in line %d, want 6", got)
	}
	select {
	case <-w.Parsing():
	default:
		t.Fatal("nothing is to be parsed")
	}
	before := snapshot(t, w)
	if err := w.Parse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := snapshot(t, w); after == before || line(after, file) != 6 {
		t.Errorf("with a syntax error the call is in line %d, want 6", line(after, file))
	}
	insert(w, file, "//", 3)
	insert(w, file, "/* \" ", 4)
	if err := w.Parse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := line(snapshot(t, w), file); got != 6 {
		t.Errorf("again the call is in line %d, want 6", got)
	}
	// After closing, the text on disk is also parsed in the background, because the file on disk
	// was replaced.
	if err := os.WriteFile(file, []byte("\n\n\n"+large), 0o666); err != nil {
		t.Fatal(err)
	}
	w.Close(uri.File(file))
	if got := line(snapshot(t, w), file); got != 7 {
		t.Errorf("closed, before it is parsed, the call is in line %d, want 7", got)
	}
	if err := w.Parse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := line(snapshot(t, w), file); got != 7 {
		t.Errorf("closed, the call is in line %d, want 7", got)
	}
	open(t, w, file, "\n"+large, 1)
	if err := w.Parse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := line(snapshot(t, w), file); got != 5 {
		t.Errorf("opened again, the call is in line %d, want 5", got)
	}
}
