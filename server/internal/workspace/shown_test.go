package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/settings"
)

// paired returns a project whose settings have an unnamed pair, if unnamed is set, and named pairs.
func paired(file string, unnamed bool, names ...string) Project {
	p := Project{File: file}
	if unnamed {
		p.Plain.Subject, p.Plain.Reference = analysis.Side{Path: "a"}, analysis.Side{Path: "b"}
	}
	for _, name := range names {
		p.Saved.Pairs = append(p.Saved.Pairs, settings.Pair{Name: name})
	}
	return p
}

// TestPairsOfProjects lists the pairs of projects. A project without a subject or a reference has no
// unnamed pair.
func TestPairsOfProjects(t *testing.T) {
	half := paired("x", false, "free")
	half.Plain.Subject = analysis.Side{Path: "a"}
	other := paired("x", false)
	other.Plain.Reference = analysis.Side{Path: "b"}
	for want, p := range map[string]Project{"": other, ",free,paid": paired("x", true, "free", "paid"), "free": half} {
		var got []string
		for _, pair := range p.Pairs() {
			got = append(got, pair.Name)
		}
		if got := strings.Join(got, ","); got != want {
			t.Errorf("the pairs are %q, want %q", got, want)
		}
	}
}

// TestChoose chooses pairs by the path of a project and by name. Without a path, the current project
// comes first.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		file, pair string
		want       choice
		fails      string
	}{
		{"", "free", choice{"two", "free"}, ""}, {"one", "free", choice{"one", "free"}, ""}, {"", "paid", choice{"one", "paid"}, ""}, {"", "", choice{"one", ""}, ""}, {"two", "", choice{}, `unknown pair ""`},
		{"three", "free", choice{}, `unknown pair "free"; known pairs are "free" of two, "" of one, "free" of one, "paid" of one`},
	} {
		w := &Workspace{}
		w.next.Preferences = &Preferences{Projects: []Project{paired("one", true, "free", "paid"), paired("two", false, "free")}, Current: 1}
		err := w.Choose(c.file, c.pair)
		if c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) || c.fails == "" && err != nil || w.overrides.chosen != c.want {
			t.Errorf("%q of %q: %v, %v", c.pair, c.file, w.overrides.chosen, err)
		}
	}
	w := &Workspace{}
	w.next.Preferences = &Preferences{Projects: []Project{paired("one", false)}}
	if err := w.Choose("", ""); err == nil || !strings.Contains(err.Error(), "no project file has pairs") {
		t.Errorf("without pairs: %v", err)
	}
}

// TestChangesOnDisk checks that a change on disk counts only for files that are not open.
func TestChangesOnDisk(t *testing.T) {
	w, file, set := opened(t)
	w.Show(set)
	first := snapshot(t, w)
	open(t, w, file, mainJava, 1)
	opened := snapshot(t, w)
	w.ChangedOnDisk(file)
	if s := snapshot(t, w); !s.OnlyEdited(opened) {
		t.Error("a change of an open file on disk counts")
	}
	w.ChangedOnDisk(filepath.Join(filepath.Dir(file), "Other.java"))
	if s := snapshot(t, w); s.OnlyEdited(opened) || s.OnlyEdited(first) || s.OnlyEdited(nil) {
		t.Error("a change of a closed file on disk does not count")
	}
}

// TestNotified notifies the client of comparisons, and shows lines and the history. What belongs to
// another comparison is ignored.
func TestNotified(t *testing.T) {
	w, _, set := opened(t)
	_, _, other := opened(t)
	if s := snapshot(t, w); !s.Notified() || s.Listed() != nil {
		t.Error("without a comparison, the client waits for a notification")
	}
	w.Show(set)
	if s := snapshot(t, w); s.Notified() || s.Listed() == nil || len(s.Listed().Result.Tasks) != len(set.Result.Tasks) {
		t.Error("the client counts as notified, or rows are not listed")
	}
	w.Notified(other)
	if snapshot(t, w).Notified() {
		t.Error("the notification of another comparison counts")
	}
	w.Notified(set)
	if !snapshot(t, w).Notified() {
		t.Error("the notification does not count")
	}
	w.ShowLines(other, &place.Figures{})
	if w.next.figures != nil {
		t.Error("the lines of another comparison are shown")
	}
	figures := &place.Figures{}
	w.ShowLines(set, figures)
	if w.next.figures != figures {
		t.Error("the lines are not shown")
	}
	w.ShowLines(set, nil)
	before := snapshot(t, w)
	w.SetLastChanges(nil)
	if snapshot(t, w) != before {
		t.Error("an equal history makes another snapshot")
	}
	past := &trend.LastChanges{}
	w.SetLastChanges(past)
	if s := snapshot(t, w); s == before || s.LastChanges != past {
		t.Error("another history is not shown")
	}
}

// TestTextsOfFiles reads the text of files in the editor, of files on disk, and of files that do not
// exist.
func TestTextsOfFiles(t *testing.T) {
	w, file, set := opened(t)
	w.Show(set)
	closed := snapshot(t, w)
	open(t, w, file, "é😀x", 3)
	s := snapshot(t, w)
	none := filepath.Join(filepath.Dir(file), "None.java")
	if closed.TextOf(file).Text() != mainJava || s.TextOf(file).Text() != "é😀x" || s.TextOf(none) != nil || s.Opened(none) != "" || closed.Opened(file) != "" || s.Opened(file) == "" || s.Open() != 1 || closed.Open() != 0 {
		t.Errorf("the texts are %q and %q", closed.TextOf(file).Text(), s.TextOf(file).Text())
	}
	if s.URIOf(file) != s.Opened(file) || closed.URIOf(file) == "" || s.URIOf(none) == "" {
		t.Errorf("the URIs are %s and %s", s.URIOf(file), s.URIOf(none))
	}
	text, version, exists, err := s.ProjectText(file)
	if err != nil || text.Text() != "é😀x" || version == nil || *version != 3 || !exists {
		t.Errorf("the open file has %q, version %v, %v, %v", text.Text(), version, exists, err)
	}
	if text, version, exists, err := closed.ProjectText(file); err != nil || text.Text() != mainJava || version != nil || !exists {
		t.Errorf("the closed file has %q, version %v, %v, %v", text.Text(), version, exists, err)
	}
	if text, version, exists, err := s.ProjectText(none); err != nil || text.Text() != "" || version != nil || exists {
		t.Errorf("no file has %v, version %v, %v, %v", text, version, exists, err)
	}
	// The x has the column 3 in UTF-16, 2 in characters, and 6 in bytes.
	for encoding, column := range map[buffer.Encoding]int{buffer.UTF16: 3, buffer.UTF32: 2, buffer.UTF8: 6} {
		s := *s
		s.Encoding = encoding
		if got := s.PositionOf(file, buffer.Position{Column: 3}); int(got.Character) != column {
			t.Errorf("encoding %v: column %d, want %d", encoding, got.Character, column)
		} else if back := s.PlaceOf(file, got); back.Column != 3 {
			t.Errorf("encoding %v: column %d, want 3", encoding, back.Column)
		}
	}
}
