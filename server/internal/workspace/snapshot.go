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

// A Document is an open file with the editor's text. It is immutable.
type Document struct {
	// URI is the client's name of the file, Path its name in the workspace.
	URI     uri.URI
	Path    string
	Version int32
	// Revision numbers the changes of all open files. Unlike the client's Version, it also
	// increases if a file is closed and opened again.
	Revision int32
	Text     *buffer.Buffer
}

// A Failure is the reason why a comparison failed.
type Failure struct {
	Message string
	// Setting is the setting of the faulty file, such as subject; empty if unknown.
	Setting string
}

// A Snapshot is the state that requests use: the open files, one comparison, the places of its
// findings, and the settings. It is immutable and may be read concurrently.
type Snapshot struct {
	// Client has the client's capabilities. Encoding is the unit of the client's columns.
	Client   *lsp.ClientCapabilities
	Encoding buffer.Encoding
	// Version is this program's version for reports.
	Version string
	// Roots are the workspace folders.
	Roots Roots
	// Preferences are the settings. An equal pointer means equal preferences.
	Preferences *Preferences
	// Set has the findings of the comparison; nil without one.
	Set *finding.Set
	// Layout has the places of the findings; nil without a comparison.
	Layout *place.Layout
	// Lines has the source lines of the subject; nil if they are unknown.
	Lines *place.Lines
	// LastChanges has the history of costs; nil without one.
	LastChanges *trend.LastChanges
	// Failure is the reason why the last comparison failed, nil if it did not.
	Failure *Failure

	// figures has the figures of Lines. It is nil if Lines is nil.
	figures *place.Figures
	// notified is set after the client was notified of the comparison.
	notified bool
	// documents are the open files by path.
	documents map[string]*Document
	sources   *Sources
	// generation counts the changes other than edits.
	generation int
	// hidden has the indices of the tasks that the settings ignore.
	hidden map[int]bool
	// hiddenCode has the indices of the rows of app code that the settings ignore.
	hiddenCode map[int]bool
	// hiddenWastes has the ids of the wasted-energy findings that the settings ignore.
	hiddenWastes map[string]bool
}

// compute sets the derived fields, such as Layout. The parameter before is the previous snapshot,
// or nil, and changed has the files that have changed since.
func (s *Snapshot) compute(before *Snapshot, changed map[string]bool) {
	s.Layout, s.Lines, s.hidden, s.hiddenCode, s.hiddenWastes = nil, nil, nil, nil, nil
	if s.Set == nil {
		return
	}
	same := before != nil && before.Set == s.Set && before.Preferences == s.Preferences
	if same {
		s.hidden, s.hiddenCode, s.hiddenWastes = before.hidden, before.hiddenCode, before.hiddenWastes
	} else {
		s.hidden, s.hiddenCode, s.hiddenWastes = s.Preferences.hidden(s.Set), s.Preferences.hiddenCode(s.Set), finding.IgnoredWastes(s.Set.Wastes(), s.Preferences.rule())
	}
	fresh := !same || before.generation != s.generation || before.sources != s.sources
	switch {
	case fresh:
		s.Layout = place.New(s.Set, s.sources.index, s.Preferences.MinShareOr(minShare), s.Preferences.shows)
	case len(changed) == 0:
		s.Layout = before.Layout
	default:
		s.Layout = before.Layout.Updated(changed)
	}
	switch {
	case s.figures == nil:
	case fresh || before.Lines == nil || before.figures != s.figures:
		s.Lines = place.NewLines(s.figures, s.Layout)
	case len(changed) == 0:
		s.Lines = before.Lines
	default:
		s.Lines = before.Lines.Updated(changed, s.Layout)
	}
}

// Listed returns the set without the rows that the settings ignore; nil without a comparison.
func (s *Snapshot) Listed() *finding.Set {
	if s.Set == nil {
		return nil
	}
	return s.Set.Hide(s.hidden, s.hiddenCode)
}

// Notified reports whether the client was notified of the comparison, if any.
func (s *Snapshot) Notified() bool { return s.Set == nil || s.notified }

// OnlyEdited reports whether two snapshots differ only by edits of sources. before may be nil.
func (s *Snapshot) OnlyEdited(before *Snapshot) bool {
	return before != nil && before.Preferences == s.Preferences && before.generation == s.generation && before.Set == s.Set
}

// ShowsCode reports whether the settings show a finding about a method's own energy in the
// source. A nil finding is not shown.
func (s *Snapshot) ShowsCode(f *finding.CodeFinding) bool {
	return f != nil && s.Set.Share(f.Saving.Most) >= s.Preferences.MinShareOr(minShare) &&
		!s.hiddenCode[f.Row]
}

// ShowsWaste reports whether the settings show a finding about a component's wasted energy in
// the source.
func (s *Snapshot) ShowsWaste(w *finding.Waste) bool {
	return !s.hiddenWastes[w.ID] && s.Set.Share(w.Saving.Most) >= s.Preferences.MinShareOr(minShare)
}

// LeastShare returns the smallest share of the run's energy that is shown in source code.
func (s *Snapshot) LeastShare() float64 { return s.Preferences.MinShareOr(minShare) }

// HidesCode reports whether the settings hide a row of app code.
func (s *Snapshot) HidesCode(row int) bool { return s.hiddenCode[row] }

// Classes waits until the sources are read, or for the end of ctx, and returns their classes.
func (s *Snapshot) Classes(ctx context.Context) ([]classes.Class, error) {
	if err := s.sources.Await(ctx, nil); err != nil {
		return nil, err
	}
	return s.sources.Classes(), nil
}

// Ignored reports whether the settings ignore a task.
func (s *Snapshot) Ignored(task int) bool { return s.hidden[task] }

// Hidden returns the indices of the tasks that the settings ignore.
func (s *Snapshot) Hidden() map[int]bool { return s.hidden }

// HiddenCode returns the indices of the rows of app code that the settings ignore.
func (s *Snapshot) HiddenCode() map[int]bool { return s.hiddenCode }

// Scale returns the unit in which to show energy. If the settings have none, each figure gets a
// suitable unit.
func (s *Snapshot) Scale() words.Scale {
	return words.ScalePerFigure(s.Set.Result.Unit(s.Preferences.Unit), s.Set.Result.Voltage)
}

// Saving returns how much energy the tasks called by a method or class could save. It omits tasks
// that the settings ignore.
func (s *Snapshot) Saving(c *finding.Cost) units.Energy { return s.Set.Saving(c, s.Ignored) }

// SavingInterval returns the interval of Saving.
func (s *Snapshot) SavingInterval(c *finding.Cost) finding.Interval {
	return s.Set.SavingInterval(c, s.Ignored)
}

// Marks returns the places of findings in a file, and the file's path. It returns nil without
// findings, or if the URI names no file.
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

// Opened returns the URI that the client opened a file with; empty if it is not open.
func (s *Snapshot) Opened(path string) uri.URI {
	if d := s.documents[path]; d != nil {
		return d.URI
	}
	return ""
}

// URIOf returns the client's URI of a file: the URI that it opened the file with, or else the
// path's URI.
func (s *Snapshot) URIOf(path string) uri.URI {
	if opened := s.Opened(path); opened != "" {
		return opened
	}
	return lsp.URIOf(path)
}

// TextOf returns a file's text from the editor, or from disk if the file is in the workspace;
// nil without either.
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

// LocationOf converts a site to the client's form.
func (s *Snapshot) LocationOf(at place.Site) protocol.Location {
	return protocol.Location{URI: s.URIOf(at.Path), Range: s.RangeOf(at)}
}

// PositionOf converts a position in UTF-16 columns to the client's columns.
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

// ProjectText returns a project file's text: the editor's text with its version if the file is open,
// and otherwise the text on disk with a nil version. exists reports whether the file exists.
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
