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

// A Project is a project file with the workspace folders that it is for. One project's
// comparison is shown at a time.
type Project struct {
	// File is where the project file is, or would be. Exists says whether it is there, on
	// disk or in the editor.
	File   string
	Exists bool
	// Shown are the settings as the editor has them, Saved those on disk. Both have the
	// chosen pair's traces.
	Shown, Saved settings.Settings
	// Plain has the subject and the reference that have no name; both may be empty.
	Plain settings.Pair
	// Wrong says why no pair is chosen; nil if one is, or none was asked for.
	Wrong error

	folders []string
}

// Names reports whether the project says what to compare.
func (p *Project) Names() bool { return p.Saved.Subject.Path != "" && p.Saved.Reference.Path != "" }

// History is the file of the project's history, whether or not there is one.
func (p *Project) History() string {
	return cmp.Or(p.Saved.History, history.Path(filepath.Dir(p.File)))
}

// readProjects reads the project files of the workspace folders on top of the client's
// settings, and notes what is wrong with them.
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

// A choice is the pair that a command chose; file is empty without one.
type choice struct{ file, pair string }

// current returns the project that is shown: the chosen one, or the first that says what
// to compare.
func current(projects []Project, chosen choice) int {
	if i := slices.IndexFunc(projects, func(p Project) bool { return chosen.file != "" && p.File == chosen.file }); i >= 0 {
		return i
	}
	return max(slices.IndexFunc(projects, func(p Project) bool { return p.Names() }), 0)
}

// shows reports whether the findings of the project that is shown may stand in a file: not
// in those of a folder that has a project file of its own.
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

// project returns the folder's project file: the nearest, or where it would be. exists
// says whether it is there.
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

// candidates are where the folder's project file may be: in it, and in the folders above
// it up to the repository's, the nearest first.
func (f root) candidates() []string {
	out := []string{filepath.Join(f.path, ProjectFile)}
	for folder := f.path; ; folder = filepath.Dir(folder) {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return out
		}
		if folder == filepath.Dir(folder) {
			return out[:1] // outside of a repository, files further up belong to others
		}
		out = append(out, filepath.Join(filepath.Dir(folder), ProjectFile))
	}
}

// readProject reads a project file. One above the workspace folders must be a regular
// file, not a link to one.
func readProject(roots Roots, path string) ([]byte, error) {
	if roots.names(path) {
		return readFile(roots, path, maxProjectFile)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return readStart(path, maxProjectFile)
}

// Choose has a pair of a project compared, by the project's file and the pair's name. The
// empty name is that of the project's subject and reference. Without a file it is the
// first project that has such a pair. It takes effect with [Workspace.ReadSettings].
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
		return errors.New("no project file names a pair")
	}
	return fmt.Errorf("there is no pair %q; there are %s", pair, strings.Join(known, ", "))
}

// Pairs are the pairs that the project's file names, its subject and reference first,
// which have no name.
func (p *Project) Pairs() []settings.Pair {
	var out []settings.Pair
	if p.Plain.Subject.Path != "" && p.Plain.Reference.Path != "" {
		out = append(out, p.Plain)
	}
	return append(out, p.Saved.Pairs...)
}
