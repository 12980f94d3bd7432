package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/settings"
)

// files decides which files a client may read or write.
type files struct {
	// folders are as in Options. real are the same folders with symbolic links resolved.
	folders, real []string
}

func newFiles(folders []string) (*files, error) {
	if len(folders) == 0 {
		return nil, errors.New("give at least one folder from which clients may read files")
	}
	f := &files{folders: folders}
	for _, folder := range folders {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return nil, fmt.Errorf("reading the folder of the workspace: %w", err)
		}
		f.real = append(f.real, real)
	}
	return f, nil
}

// runs returns the recordings that a client names. A name is a file, a pattern, a folder of runs,
// or an entry of the history. s are the settings, whose files are allowed.
func (f *files) runs(ctx context.Context, s *settings.Settings, names ...string) ([]string, error) {
	var all []string
	for _, text := range names {
		if strings.HasPrefix(text, analysis.StoredPrefix) {
			all = append(all, text)
			continue
		}
		path, err := f.path(text, s)
		if err != nil {
			return nil, err
		}
		found, err := analysis.Expand(ctx, path)
		if err != nil {
			return nil, err
		}
		for _, run := range found {
			// The result of a pattern or a folder may be a symbolic link.
			if run, err = f.path(run, s); err != nil {
				return nil, err
			}
			all = append(all, run)
		}
	}
	return all, nil
}

// path returns the absolute path of a file that a client names.
func (f *files) path(text string, s *settings.Settings) (string, error) {
	switch {
	case text == "":
		return "", errors.New("the name of the file is empty: give the path of a recording")
	case text == ingest.Stdin:
		return "", errors.New("standard input carries the protocol: give the path of a file")
	case strings.ContainsRune(text, 0):
		return "", errors.New("the name of the file contains a zero byte")
	}
	path := text
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.folders[0], path)
	}
	path = filepath.Clean(path)
	if s != nil && slices.ContainsFunc(s.Files(), func(named string) bool { return f.absolute(named) == path }) {
		return path, nil
	}
	if !f.inside(path) {
		return "", fmt.Errorf("%s is outside of the workspace: name a file below %s, or start diffprof mcp with --allow FOLDER", clean(text), f.folders[0])
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("%s is not a regular file: give the path of a recording", clean(text))
	}
	return path, nil
}

// absolute returns the absolute path of a file that the settings name.
func (f *files) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.folders[0], path)
}

// inside reports whether a path is in one of the folders, both by name and with symbolic links
// resolved. For a pattern, or a path that does not exist, the nearest existing folder decides.
func (f *files) inside(path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return slices.ContainsFunc(f.real, func(folder string) bool { return below(folder, real) })
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return false
		}
	}
}

// below reports whether a path is the folder itself or inside it.
func below(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// displayPath returns the form of a path in answers: with slashes, and relative to the first folder
// if the path is inside this folder.
func (f *files) displayPath(path string) string {
	if abs := f.absolute(path); below(f.folders[0], abs) {
		if rel, err := filepath.Rel(f.folders[0], abs); err == nil {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

// link returns the URI of a line of a file.
func (f *files) link(path string, line int) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(f.absolute(path))}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path // a drive of Windows
	}
	if line > 0 {
		u.Fragment = fmt.Sprintf("L%d", line)
	}
	return u.String()
}
