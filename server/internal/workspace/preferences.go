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

// maxProjectFile is more than the largest project file that package settings
// reads: it says what is wrong with larger ones.
const maxProjectFile = 2 << 20

// leastShare is the share of the run's energy that something needs to be shown in
// source code, unless the settings say another.
const leastShare = 0.001

// Preferences are the settings. They are not changed once made.
type Preferences struct {
	// Settings say how to show a comparison. They follow a project file as the editor
	// has it, so that ignoring a task, and taking that back, shows at once.
	settings.Settings
	// Lenses says whether lenses are shown at all; CodeLens says which.
	Lenses bool
	// toggled is what commands toggled.
	toggled map[string]bool
	// Problems are what is wrong in project files, by path.
	Problems map[string]Problems
	// Projects are those of the workspace folders, at least one, and Current is the index
	// of the one that is shown. Settings are its Shown. Its Saved say what to compare: a
	// path that is being typed names no file yet.
	Projects []Project
	Current  int
}

// Project is the one that is shown.
func (p *Preferences) Project() *Project { return &p.Projects[p.Current] }

// Problems are what is wrong in the text of a project file.
type Problems struct {
	Text *buffer.Buffer
	List []settings.Problem
}

func defaults() *Preferences {
	return &Preferences{Settings: settings.Default(), Lenses: true, Projects: []Project{{Shown: settings.Default(), Saved: settings.Default()}}}
}

// rule says what the settings ignore.
func (p *Preferences) rule() finding.Rule {
	return func(id, method string, above iter.Seq[string]) bool { return p.Ignored(id, method, above) != nil }
}

// hidden finds the tasks of a comparison that the settings ignore, or that are not of the
// own code where only that is wanted, by their index.
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

// hiddenCode finds the rows of app code of which the same is so, by their index.
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

// overrides are what commands changed, until the connection ends.
type overrides struct {
	subject, reference string
	chosen             choice
	alpha              *int
	// toggled has what was turned off, or on against the settings, by the setting's name.
	toggled map[string]bool
}

// SetClientSettings takes the settings as the client sends them.
// [Workspace.ReadSettings] reads them.
func (w *Workspace) SetClientSettings(raw json.RawMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.client = raw
}

// SetInputs has other files compared than the settings name; empty names take that
// back.
func (w *Workspace) SetInputs(subject, reference string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overrides.subject, w.overrides.reference = subject, reference
}

// SetAlpha compares with another α than the settings have.
func (w *Workspace) SetAlpha(alpha int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overrides.alpha = &alpha
}

// CodeLens is the name of the setting for lenses, which are toggled all at once.
const CodeLens = "codeLens"

// switches are the settings that [Workspace.Toggle] turns on and off.
var switches = []struct {
	name string
	of   func(*Preferences) *bool
}{
	{"diagnostics", func(p *Preferences) *bool { return &p.Diagnostics }},
	{"inlayHints", func(p *Preferences) *bool { return &p.InlayHints }},
	{CodeLens, func(p *Preferences) *bool { return &p.Lenses }},
	{"lineHeat", func(p *Preferences) *bool { return &p.LineHeat }},
}

// Toggles are the names that [Workspace.Toggle] knows.
func Toggles() []string {
	var names []string
	for _, s := range switches {
		names = append(names, s.name)
	}
	return names
}

// Toggle turns something that editors show off, or on, by its setting's name, and returns
// whether it is on then. It takes effect with [Workspace.ReadSettings].
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
		setting := *s.of(w.next.Preferences) != w.next.Preferences.toggled[name]
		return setting != toggled[name], true
	}
	return false, false
}

// ReadSettings reads the settings: the client's, and on top of them the project file of
// each workspace folder. It returns what is wrong with the client's; what is wrong in
// project files is in [Preferences]. One goroutine at a time reads settings.
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
			*s.of(p) = !*s.of(p)
		}
	}
	w.next.Preferences = p
	return wrong
}

// Options are what to compare and how, by the settings and by what commands
// changed since.
func (w *Workspace) Options() analysis.Options {
	w.mu.Lock()
	defer w.mu.Unlock()
	project := w.next.Preferences.Project()
	o := project.Saved.Options
	o.Keep = history.File(project.History())
	if w.overrides.subject != "" {
		o.Subject.Path, o.Reference.Path = w.overrides.subject, w.overrides.reference
	}
	if w.overrides.alpha != nil {
		o.Alpha = *w.overrides.alpha
	}
	return o
}

// Project is the project that is shown.
func (w *Workspace) Project() *Project {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next.Preferences.Project()
}

// Hidden finds the tasks and the rows of app code of a comparison that the settings ignore,
// by their index.
func (w *Workspace) Hidden(set *finding.Set) (tasks, code map[int]bool) {
	w.mu.Lock()
	preferences := w.next.Preferences
	w.mu.Unlock()
	return preferences.hidden(set), preferences.hiddenCode(set)
}

// readFile reads the first limit bytes of a file of the workspace folders. It
// returns nil for what is not there, lies elsewhere or is no regular file.
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
