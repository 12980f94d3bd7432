package server

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"go.lsp.dev/uri"
)

// onWindows says whether paths are Windows'.
const onWindows = runtime.GOOS == "windows"

// pathOf returns the path that a file URI names. Clients differ in what they
// escape; a path does not.
func pathOf(u uri.URI) (string, error) { return pathFor(string(u), onWindows) }

func pathFor(text string, windows bool) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the URI %.200q: %w", text, err)
	}
	if u.Scheme != uri.FileScheme {
		return "", fmt.Errorf("%.200q is no file URI", text)
	}
	path := u.Path
	switch {
	case path == "" || path[0] != '/' || strings.ContainsRune(path, 0):
		return "", fmt.Errorf("%.200q names no file", text)
	case !windows && u.Host != "" && u.Host != "localhost":
		return "", fmt.Errorf("%.200q is on another machine", text)
	case !windows:
		return filepath.Clean(path), nil
	case u.Host != "" && u.Host != "localhost":
		path = "//" + u.Host + path
	case len(path) > 2 && path[2] == ':':
		path = strings.ToUpper(path[1:2]) + path[2:]
	}
	return strings.ReplaceAll(path, "/", `\`), nil
}

// uriOf returns the URI of an absolute path.
func uriOf(path string) uri.URI { return uriFor(path, onWindows) }

func uriFor(path string, windows bool) uri.URI {
	u := url.URL{Scheme: uri.FileScheme}
	if windows {
		path = strings.ReplaceAll(path, `\`, "/")
		if rest, ok := strings.CutPrefix(path, "//"); ok {
			u.Host, path, _ = strings.Cut(rest, "/")
			path = "/" + path
		} else if len(path) > 1 && path[1] == ':' {
			path = "/" + path
		}
	}
	u.Path = path
	return uri.URI(u.String())
}

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
