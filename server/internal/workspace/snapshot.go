package workspace

import (
	"context"
	"os"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/units"
)

// A Document is an open file as its editor has it. It is not changed once made.
type Document struct {
	// URI is what the client calls the file, Path is its name in the workspace.
	URI     uri.URI
	Path    string
	Version int32
	Text    *buffer.Buffer
}

// A Failure is why a comparison failed.
type Failure struct {
	Message string
	// Setting names the file at fault, as in subject; it is empty if that is not known.
	Setting string
}

// A Snapshot is what requests are answered from: the open files, one comparison,
// where its findings are, and how to show them. It is not changed once made and may
// be read concurrently.
type Snapshot struct {
	// Client is what the client can do; Encoding is what its columns count.
	Client   *lsp.ClientCapabilities
	Encoding buffer.Encoding
	// Version is this program's, which reports name.
	Version string
	// Roots are the workspace folders.
	Roots Roots
	// Preferences say what to show. The same pointer means the same preferences.
	Preferences *Preferences
	// Set is what the comparison found; nil without one.
	Set *finding.Set
	// Layout is where the findings are; nil without a comparison.
	Layout *place.Layout
	// Past says since when things cost what they cost; nil where no history is known.
	Past *trend.Past
	// Failure is why the last comparison failed, nil if it did not.
	Failure *Failure

	// told says that the client was told of the comparison.
	told bool
	// documents are the open files by their paths.
	documents map[string]*Document
	sources   *Sources
	// generation counts the changes that are no edits.
	generation int
	// hidden has the tasks that the settings ignore, by their index.
	hidden map[int]bool
	// hiddenCode has the rows of app code of which the same is so.
	hiddenCode map[int]bool
	// hiddenWastes has the findings of components that the settings ignore, by their identity.
	hiddenWastes map[string]bool
}

// compute fills in what follows from the other fields. before is the snapshot
// before, or nil; changed are the files that changed since.
func (s *Snapshot) compute(before *Snapshot, changed map[string]bool) {
	s.Layout, s.hidden, s.hiddenCode, s.hiddenWastes = nil, nil, nil, nil
	if s.Set == nil {
		return
	}
	same := before != nil && before.Set == s.Set && before.Preferences == s.Preferences
	if same {
		s.hidden, s.hiddenCode, s.hiddenWastes = before.hidden, before.hiddenCode, before.hiddenWastes
	} else {
		s.hidden, s.hiddenCode, s.hiddenWastes = s.Preferences.hidden(s.Set), s.Preferences.hiddenCode(s.Set), finding.IgnoredWastes(s.Set.Wastes(), s.Preferences.rule())
	}
	switch {
	case !same || before.generation != s.generation || before.sources != s.sources:
		s.Layout = place.New(s.Set, s.sources.index, s.Preferences.MinShareOr(leastShare), s.Preferences.shows)
	case len(changed) == 0:
		s.Layout = before.Layout
	default:
		s.Layout = before.Layout.After(changed)
	}
}

// Listed is the set without the rows that the settings ignore; nil without a comparison.
func (s *Snapshot) Listed() *finding.Set {
	if s.Set == nil {
		return nil
	}
	return s.Set.Hiding(s.hidden, s.hiddenCode)
}

// Told reports whether the client was told of the comparison, if there is one.
func (s *Snapshot) Told() bool { return s.Set == nil || s.told }

// OnlyEdited reports whether two snapshots differ by nothing but edits of sources.
// before may be nil.
func (s *Snapshot) OnlyEdited(before *Snapshot) bool {
	return before != nil && before.Preferences == s.Preferences && before.generation == s.generation && before.Set == s.Set
}

// ShowsCode reports whether what was found of a method's own energy is worth a place in
// the source, by the settings. A nil finding is not.
func (s *Snapshot) ShowsCode(f *finding.CodeFinding) bool {
	return f != nil && s.Set.Share(f.Saving.Most) >= s.Preferences.MinShareOr(leastShare) &&
		!s.hiddenCode[f.Row]
}

// ShowsWaste reports whether what a component drains for nothing is worth a place in the
// source, by the settings.
func (s *Snapshot) ShowsWaste(w *finding.Waste) bool {
	return !s.hiddenWastes[w.ID] && s.Set.Share(w.Saving.Most) >= s.Preferences.MinShareOr(leastShare)
}

// HidesCode reports whether the settings hide a row of app code.
func (s *Snapshot) HidesCode(row int) bool { return s.hiddenCode[row] }

// Classes waits for the sources to be read, or for the end of ctx, and returns the classes
// that they declare.
func (s *Snapshot) Classes(ctx context.Context) ([]classes.Class, error) {
	if err := s.sources.Await(ctx, nil); err != nil {
		return nil, err
	}
	return s.sources.Classes(), nil
}

// Ignored reports whether the settings ignore a task.
func (s *Snapshot) Ignored(task int) bool { return s.hidden[task] }

// Hidden are the tasks that the settings ignore, by their index.
func (s *Snapshot) Hidden() map[int]bool { return s.hidden }

// HiddenCode are the rows of app code that the settings ignore, by their index.
func (s *Snapshot) HiddenCode() map[int]bool { return s.hiddenCode }

// Scale is what figures are shown in: the unit of the settings, or one that suits each
// figure.
func (s *Snapshot) Scale() words.Scale {
	return words.Each(s.Set.Result.Unit(s.Preferences.Unit), s.Set.Result.Voltage)
}

// Saving is what a method or class could save in the tasks that it calls, without those that the
// settings ignore.
func (s *Snapshot) Saving(c *finding.Cost) units.Energy { return s.Set.Saving(c, s.Ignored) }

// Marks returns the places in a file that the comparison says something of, and the
// file's path; nil if there are none, or if the URI names no file.
func (s *Snapshot) Marks(u uri.URI) (*place.Marks, string) {
	path, err := lsp.PathOf(u)
	if err != nil || s.Layout == nil {
		return nil, ""
	}
	path = s.Roots.Name(path)
	return s.Layout.Files[path], path
}

// Open counts the open files.
func (s *Snapshot) Open() int { return len(s.documents) }

// Document returns an open file; nil if it is not open.
func (s *Snapshot) Document(path string) *Document { return s.documents[path] }

// Opened is the name that the client opened a file with; empty if it is not open.
func (s *Snapshot) Opened(path string) uri.URI {
	if d := s.documents[path]; d != nil {
		return d.URI
	}
	return ""
}

// URIOf names a file as the client does: by the name that it opened the file with,
// or by the path.
func (s *Snapshot) URIOf(path string) uri.URI {
	if opened := s.Opened(path); opened != "" {
		return opened
	}
	return lsp.URIOf(path)
}

// TextOf returns a file's text: the editor's, or that on disk if the file is in the
// workspace; nil without either.
func (s *Snapshot) TextOf(path string) *buffer.Buffer {
	if d := s.documents[path]; d != nil {
		return d.Text
	}
	text, err := readFile(s.Roots, path, source.DefaultMaxFile+1)
	if err != nil || text == nil || len(text) > source.DefaultMaxFile {
		return nil
	}
	return buffer.New(string(text))
}

// RangeOf converts a site's name to the client's columns.
func (s *Snapshot) RangeOf(at place.Site) protocol.Range {
	return protocol.Range{Start: s.PositionOf(at.Path, at.From), End: s.PositionOf(at.Path, at.To)}
}

// LocationOf names a site as the client does.
func (s *Snapshot) LocationOf(at place.Site) protocol.Location {
	return protocol.Location{URI: s.URIOf(at.Path), Range: s.RangeOf(at)}
}

// PositionOf converts a position in UTF-16 columns to the client's.
func (s *Snapshot) PositionOf(path string, at buffer.Position) protocol.Position {
	return lsp.PositionOf(s.recode(path, at, buffer.UTF16, s.Encoding))
}

// PlaceOf converts a position of the client to UTF-16 columns.
func (s *Snapshot) PlaceOf(path string, p protocol.Position) buffer.Position {
	return s.recode(path, lsp.PlaceOf(p), s.Encoding, buffer.UTF16)
}

func (s *Snapshot) recode(path string, at buffer.Position, from, to buffer.Encoding) buffer.Position {
	if from == to {
		return at
	}
	if text := s.TextOf(path); text != nil {
		return lsp.Recode(text, at, from, to)
	}
	return at
}

// ProjectText returns a project file's text: the editor's with its version if the
// file is open, else that on disk with a nil version. exists says whether the file
// is there.
func (s *Snapshot) ProjectText(path string) (text *buffer.Buffer, version *int32, exists bool, err error) {
	if d := s.documents[path]; d != nil {
		return d.Text, &d.Version, true, nil
	}
	data, err := readProject(s.Roots, path)
	if err != nil {
		return nil, nil, false, err
	}
	_, err = os.Stat(path)
	return buffer.New(string(data)), nil, err == nil, nil
}
