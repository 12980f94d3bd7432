package server

import (
	"path/filepath"
	"strings"
)

// within reports whether a path is the folder or lies below it, by their names.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// real resolves symbolic links as far as the path exists, so that one file has one
// name.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	folder, name := filepath.Split(path)
	if folder = filepath.Clean(folder); folder != path {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			return filepath.Join(resolved, name)
		}
	}
	return filepath.Clean(path)
}
