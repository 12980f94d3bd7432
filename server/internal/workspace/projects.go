package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/settings"
)

// A Project is a project file and the workspace folders it applies to. One project's comparison is
// shown at a time.
type Project struct {
	// File is the path of the project file. Exists reports whether it exists on disk or in the
	// editor.
	File   string
	Exists bool
	// Shown are the settings as edited, Saved the settings on disk. Both name the subject and
	// reference of the chosen pair.
	Shown, Saved settings.Settings
	// Plain is the unnamed pair of the settings. Its subject and reference may be empty.
	Plain settings.Pair
	// Wrong is the reason why the requested pair could not be chosen. It is nil if a pair is
	// chosen, or if none was requested.
	Wrong error

	folders []string
}

// Names reports whether the project names traces to compare.
func (p *Project) Names() bool { return p.Saved.Subject.Path != "" && p.Saved.Reference.Path != "" }

// History returns the path of the project's history, which may not exist.
func (p *Project) History() string {
	return cmp.Or(p.Saved.History, history.Path(filepath.Dir(p.File)))
}

// readProjects reads the project files of the workspace folders, which override the client's
// settings, and records their errors.
func (w *Workspace) readProjects(roots Roots, documents map[string]*Document, base settings.Settings, chosen choice) ([]Project, map[string]Problems) {
	var projects []Project
	problems := make(map[string]Problems)
	for _, r := range roots {
		path, exists := r.project(documents)
		if i := slices.IndexFunc(projects, func(p Project) bool { return p.File == path }); i >= 0 {
			projects[i].folders = append(projects[i].folders, r.path)
			continue
		}
		p := Project{File: path, Exists: exists, Shown: base, Saved: base, folders: []string{r.path}}
		text, err := readProject(roots, path)
		if err != nil {
			w.logf("settings: %v", err)
		}
		if len(text) > 0 {
			p.Saved.SettingsFile = path
		}
		p.Saved, _ = p.Saved.WithYAML(text, filepath.Dir(path))
		if d := documents[path]; d != nil {
			text = []byte(d.Text.Text())
		}
		var found []settings.Problem
		p.Shown, found = p.Shown.WithYAML(text, filepath.Dir(path))
		p.Plain = settings.Pair{Subject: p.Saved.Subject, Reference: p.Saved.Reference}
		if chosen.file == path {
			p.Shown.Pair, p.Saved.Pair = chosen.pair, chosen.pair
		}
		if p.Saved, err = p.Saved.Selected(); err != nil {
			p.Wrong = err
		}
		if p.Shown, err = p.Shown.Selected(); err != nil {
			if at, ok := settings.Find(text, "pair"); ok {
				at.Message = "pair: " + err.Error()
				found = append(found, at)
			}
		}
		if len(found) > 0 {
			problems[path] = Problems{buffer.New(string(text)), found}
		}
		projects = append(projects, p)
	}
	if len(projects) == 0 {
		alone := Project{Shown: base, Saved: base}
		alone.Saved, alone.Wrong = base.Selected()
		alone.Shown = alone.Saved
		projects = append(projects, alone)
	}
	return projects, problems
}

// A choice is the pair that a command chose. file is empty if no command chose a pair.
type choice struct{ file, pair string }

// current returns the shown project: the chosen one, or the first that names traces.
func current(projects []Project, chosen choice) int {
	if i := slices.IndexFunc(projects, func(p Project) bool { return chosen.file != "" && p.File == chosen.file }); i >= 0 {
		return i
	}
	return max(slices.IndexFunc(projects, func(p Project) bool { return p.Names() }), 0)
}

// shows reports whether findings of the shown project may appear in a file. They do not appear in a
// folder of another project.
func (p *Preferences) shows(path string) bool {
	owner, longest := -1, 0
	for i := range p.Projects {
		for _, folder := range p.Projects[i].folders {
			if within(path, folder) && len(folder) >= longest {
				owner, longest = i, len(folder)
			}
		}
	}
	return owner < 0 || owner == p.Current || !p.Projects[owner].Exists
}

// project returns the path of the folder's nearest project file, or of a new one. exists
// reports whether it exists.
func (f root) project(documents map[string]*Document) (path string, exists bool) {
	candidates := f.candidates()
	for _, path := range candidates {
		if documents[path] != nil {
			return path, true
		}
		if _, err := os.Lstat(path); err == nil {
			return path, true
		}
	}
	return candidates[0], false
}

// candidates returns the possible paths of the folder's project file: in the folder, and in
// its parents up to the root of the repository, the nearest first.
func (f root) candidates() []string {
	out := []string{filepath.Join(f.path, ProjectFile)}
	for folder := f.path; ; folder = filepath.Dir(folder) {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return out
		}
		if folder == filepath.Dir(folder) {
			return out[:1] // Outside a repository, files in parent folders may belong to other users.
		}
		out = append(out, filepath.Join(filepath.Dir(folder), ProjectFile))
	}
}

// readProject reads a project file. Above the workspace folders it must be a regular file,
// not a link.
func readProject(roots Roots, path string) ([]byte, error) {
	if roots.names(path) {
		return readFile(roots, path, maxProjectFile)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return readStart(path, maxProjectFile)
}

// Choose selects a pair by the path of its project file and its name. The empty name means the
// project's subject and reference. If file is empty, Choose takes the first project with such a
// pair. The choice takes effect with [Workspace.ReadSettings].
func (w *Workspace) Choose(file, pair string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.next.Preferences
	var known []string
	for i := range p.Projects {
		project := &p.Projects[(p.Current+i)%len(p.Projects)]
		for _, named := range project.Pairs() {
			if named.Name == pair && (file == "" || file == project.File) {
				w.overrides.chosen = choice{project.File, pair}
				w.overrides.subject, w.overrides.reference = "", ""
				return nil
			}
			known = append(known, fmt.Sprintf("%q of %s", named.Name, project.File))
		}
	}
	if len(known) == 0 {
		return errors.New("no project file has pairs")
	}
	return fmt.Errorf("unknown pair %q; known pairs are %s", pair, strings.Join(known, ", "))
}

// Pairs returns the pairs of the project's file: the unnamed subject and reference, then the
// named pairs.
func (p *Project) Pairs() []settings.Pair {
	var out []settings.Pair
	if p.Plain.Subject.Path != "" && p.Plain.Reference.Path != "" {
		out = append(out, p.Plain)
	}
	return append(out, p.Saved.Pairs...)
}
