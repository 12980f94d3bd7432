package workspace

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"os"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/settings"
)

// maxProjectFile exceeds the size limit in package settings, so that package settings reports the
// error of a file that is too large.
const maxProjectFile = 2 << 20

// minShare is the default for the smallest share of the run's energy that is shown in
// source code.
const minShare = 0.001

// Preferences are the settings. They are immutable.
type Preferences struct {
	// Settings control how a comparison is shown. They include the unsaved text of a project file,
	// so that ignoring a task, or undoing this, takes effect at once.
	settings.Settings
	// Lenses is set if lenses are shown. Settings.CodeLens has the kinds of lenses.
	Lenses bool
	// toggled has the switches that commands changed.
	toggled map[string]bool
	// Problems are the errors in project files, by path.
	Problems map[string]Problems
	// Projects are the projects of the workspace folders, at least one. Current is the index of the
	// shown one. Settings above are its Shown settings. Comparisons use its Saved settings, because
	// a path may be incomplete while the user types it.
	Projects []Project
	Current  int
}

// Project returns the shown project.
func (p *Preferences) Project() *Project { return &p.Projects[p.Current] }

// Problems are the errors in the text of a project file.
type Problems struct {
	Text *buffer.Buffer
	List []settings.Problem
}

func defaults() *Preferences {
	return &Preferences{Settings: settings.Default(), Lenses: true, Projects: []Project{{Shown: settings.Default(), Saved: settings.Default()}}}
}

// rule returns a rule for the rows that the settings ignore.
func (p *Preferences) rule() finding.Rule {
	return func(id, method string, above iter.Seq[string]) bool { return p.Ignored(id, method, above) != nil }
}

// hidden returns the indices of the tasks that the settings hide: ignored ones, and calls from code
// that is not the app's own.
func (p *Preferences) hidden(set *finding.Set) map[int]bool {
	if len(p.Ignore) == 0 && !p.OwnOnly {
		return nil
	}
	found := make(map[int]bool)
	if p.OwnOnly {
		found = finding.Foreign(set.Result)
	}
	maps.Copy(found, finding.Ignored(set.Result, p.rule()))
	return found
}

// hiddenCode returns the indices of the rows of app code that the settings hide.
func (p *Preferences) hiddenCode(set *finding.Set) map[int]bool {
	if len(p.Ignore) == 0 && !p.OwnOnly {
		return nil
	}
	found := make(map[int]bool)
	if p.OwnOnly {
		found = finding.ForeignCode(set.Result)
	}
	maps.Copy(found, finding.IgnoredCode(set.Result, p.rule()))
	return found
}

// overrides are the changes by commands, until the connection ends.
type overrides struct {
	subject, reference string
	chosen             choice
	alpha              *int
	// toggled has the switches that differ from the settings, by the setting's name.
	toggled map[string]bool
}

// SetClientSettings stores the client's raw settings. [Workspace.ReadSettings] reads them.
func (w *Workspace) SetClientSettings(raw json.RawMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.client = raw
}

// SetInputs overrides the files to compare. Empty names restore the settings.
func (w *Workspace) SetInputs(subject, reference string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overrides.subject, w.overrides.reference = subject, reference
}

// SetAlpha overrides the α of the settings.
func (w *Workspace) SetAlpha(alpha int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overrides.alpha = &alpha
}

// CodeLens is the name of the setting for lenses. Toggle switches all kinds at once.
const CodeLens = "codeLens"

// switches are the settings that [Workspace.Toggle] supports.
var switches = []struct {
	name  string
	field func(*Preferences) *bool
}{
	{"diagnostics", func(p *Preferences) *bool { return &p.Diagnostics }},
	{"inlayHints", func(p *Preferences) *bool { return &p.InlayHints }},
	{CodeLens, func(p *Preferences) *bool { return &p.Lenses }},
	{"lineHeat", func(p *Preferences) *bool { return &p.LineHeat }},
}

// Toggles returns the names that [Workspace.Toggle] supports.
func Toggles() []string {
	var names []string
	for _, s := range switches {
		names = append(names, s.name)
	}
	return names
}

// Toggle turns a kind of annotation off or on, by its setting's name, and returns whether it
// is now on. It takes effect with [Workspace.ReadSettings].
func (w *Workspace) Toggle(name string) (on, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range switches {
		if s.name != name {
			continue
		}
		toggled := maps.Clone(w.overrides.toggled)
		if toggled == nil {
			toggled = make(map[string]bool)
		}
		toggled[name] = !toggled[name]
		w.overrides.toggled = toggled
		setting := *s.field(w.next.Preferences) != w.next.Preferences.toggled[name]
		return setting != toggled[name], true
	}
	return false, false
}

// ReadSettings reads the client's settings and the project file of each workspace folder. A project
// file overrides the client's settings. ReadSettings returns the errors in the client's settings;
// [Preferences] has the errors in project files. Only one goroutine at a time reads settings.
func (w *Workspace) ReadSettings() (wrong []settings.Problem) {
	w.mu.Lock()
	raw, over, roots, documents := w.client, w.overrides, w.next.Roots, w.next.documents
	w.mu.Unlock()
	base := settings.Default()
	if len(raw) > 0 {
		folder := ""
		if len(roots) > 0 {
			folder = roots[0].path
		}
		base, wrong = base.WithJSON(raw, folder)
	}
	projects, problems := w.readProjects(roots, documents, base, over.chosen)
	at := current(projects, over.chosen)
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &Preferences{
		Settings: projects[at].Shown, Lenses: true, toggled: over.toggled, Problems: problems, Projects: projects, Current: at,
	}
	for _, s := range switches {
		if over.toggled[s.name] {
			*s.field(p) = !*s.field(p)
		}
	}
	w.next.Preferences = p
	return wrong
}

// Options returns the inputs and options of a comparison, from the settings and the overrides.
func (w *Workspace) Options() analysis.Options {
	w.mu.Lock()
	defer w.mu.Unlock()
	project := w.next.Preferences.Project()
	o := project.Saved.Options
	o.Store = history.File(project.History())
	if w.overrides.subject != "" {
		o.Subject.Path, o.Reference.Path = w.overrides.subject, w.overrides.reference
	}
	if w.overrides.alpha != nil {
		o.Alpha = *w.overrides.alpha
	}
	return o
}

// Project returns the shown project.
func (w *Workspace) Project() *Project {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next.Preferences.Project()
}

// Hidden returns the indices of a comparison's tasks and rows of app code that the settings
// ignore.
func (w *Workspace) Hidden(set *finding.Set) (tasks, code map[int]bool) {
	w.mu.Lock()
	preferences := w.next.Preferences
	w.mu.Unlock()
	return preferences.hidden(set), preferences.hiddenCode(set)
}

// readFile reads the first limit bytes of a file of the workspace folders. It returns nil for
// a file that is missing, outside these folders, or not regular.
func readFile(roots Roots, path string, limit int64) ([]byte, error) {
	if !roots.Inside(path) {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return readStart(path, limit)
}

// readStart reads the first limit bytes of a file.
func readStart(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
