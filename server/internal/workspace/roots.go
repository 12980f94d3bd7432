package workspace

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/settings"
)

// ProjectFile holds a project's settings, at a workspace folder.
const ProjectFile = settings.FileName

// A root is a workspace folder: path is what the client calls it, place is where it
// lies with symbolic links resolved.
type root struct{ path, place string }

// Roots are the workspace folders. The value is not changed once made.
type Roots []root

// With adds a folder.
func (r Roots) With(path string) Roots {
	added := root{path: path, place: real(path)}
	if slices.Contains(r, added) {
		return r
	}
	return append(slices.Clip(r), added)
}

// Without takes a folder away.
func (r Roots) Without(path string) Roots {
	return slices.DeleteFunc(slices.Clone(r), func(f root) bool { return f.path == path })
}

// Inside reports whether a path lies in one of the folders, by its name and, with
// symbolic links resolved, by its place.
func (r Roots) Inside(path string) bool {
	if !r.names(path) {
		return false
	}
	place := real(path)
	return slices.ContainsFunc(r, func(f root) bool { return within(place, f.place) })
}

// Name returns the name that the sources have a file under. A client may name the
// file by another way to its folder.
func (r Roots) Name(path string) string {
	if r.names(path) {
		return path
	}
	place := real(path)
	for _, f := range r {
		if rel, err := filepath.Rel(f.place, place); err == nil && within(place, f.place) {
			return filepath.Join(f.path, rel)
		}
	}
	return path
}

// Absolute makes a path absolute: from the first folder.
func (r Roots) Absolute(path string) string {
	if path == "" || filepath.IsAbs(path) || analysis.IsKept(path) || len(r) == 0 {
		return path
	}
	return filepath.Join(r[0].path, path)
}

// ProjectFiles are where project files are, or would be, each once: those of the first
// folder first, the nearest of them first.
func (r Roots) ProjectFiles() []string {
	var files []string
	for _, f := range r {
		for _, path := range f.candidates() {
			if !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	return files
}

// names reports whether a path lies in one of the folders by its name.
func (r Roots) names(path string) bool {
	return slices.ContainsFunc(r, func(f root) bool { return within(path, f.path) })
}

// within reports whether a path is the folder or lies below it, by their names.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// real resolves symbolic links as far as the path exists, so that one file has one
// name.
func real(path string) string {
	path = filepath.Clean(path)
	missing := ""
	for at := path; ; at = filepath.Dir(at) {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(resolved, missing)
		}
		if at == filepath.Dir(at) {
			return path
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}
