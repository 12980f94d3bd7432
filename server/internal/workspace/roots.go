package workspace

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/settings"
)

// ProjectFile is the name of the file with a project's settings.
const ProjectFile = settings.FileName

// A root is a workspace folder. path is its path from the client. place is the same path with
// symbolic links resolved.
type root struct{ path, place string }

// Roots are the workspace folders. The value is immutable.
type Roots []root

// Paths returns the paths of the folders.
func (r Roots) Paths() []string {
	var paths []string
	for _, f := range r {
		paths = append(paths, f.path)
	}
	return paths
}

// With adds a folder.
func (r Roots) With(path string) Roots {
	added := root{path: path, place: real(path)}
	if slices.Contains(r, added) {
		return r
	}
	return append(slices.Clip(r), added)
}

// Without removes a folder.
func (r Roots) Without(path string) Roots {
	return slices.DeleteFunc(slices.Clone(r), func(f root) bool { return f.path == path })
}

// Inside reports whether a path is in one of the folders, both by name and with symbolic links
// resolved.
func (r Roots) Inside(path string) bool {
	if !r.names(path) {
		return false
	}
	place := real(path)
	return slices.ContainsFunc(r, func(f root) bool { return within(place, f.place) })
}

// Name returns the path of a file below the workspace folders. The client may have opened the file by
// another path, such as a link.
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

// Absolute makes a path absolute, relative to the first folder.
func (r Roots) Absolute(path string) string {
	if path == "" || filepath.IsAbs(path) || analysis.IsStored(path) || len(r) == 0 {
		return path
	}
	return filepath.Join(r[0].path, path)
}

// ProjectFiles returns the possible paths of project files without duplicates, ordered by
// folder and then by distance.
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

// names reports whether a path is in one of the folders by name.
func (r Roots) names(path string) bool {
	return slices.ContainsFunc(r, func(f root) bool { return within(path, f.path) })
}

// within reports whether a path is the folder or below it, by name.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// real resolves symbolic links in the existing part of a path, so that each file has one name.
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
