package lsp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"go.lsp.dev/uri"
)

// onWindows reports whether paths have the form of Windows.
const onWindows = runtime.GOOS == "windows"

// PathOf returns the path of a file URI. Clients may escape the same path in different ways. PathOf
// fails if the URI does not name a file on this machine.
func PathOf(u uri.URI) (string, error) { return pathFor(string(u), onWindows) }

func pathFor(text string, windows bool) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the URI %.200q: %w", text, err)
	}
	if u.Scheme != uri.FileScheme {
		return "", fmt.Errorf("%.200q is not a file URI", text)
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

// URIOf returns the URI of an absolute path.
func URIOf(path string) uri.URI { return uriFor(path, onWindows) }

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
