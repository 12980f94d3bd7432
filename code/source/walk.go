package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	ignore "github.com/sabhiram/go-gitignore"
)

// maxIgnoreFile is the size in bytes of the largest .gitignore that is read.
const maxIgnoreFile = 256 << 10

// A Warning describes a file that was skipped.
type Warning struct {
	// Code is a stable identifier for programs: lower case, words joined by '-'.
	Code string
	// Message is one sentence for people.
	Message string
}

// A walker finds source files. It may be used repeatedly, but not concurrently.
type walker struct {
	maxFile int64
	// files and warnings are the results of the last walk. files is sorted by path.
	files    []sourceFile
	warnings []Warning
	// rules has the rules of each folder with a .gitignore. before has the rules of the previous
	// walk.
	rules, before map[string]*ignoreRules
	// visited has the real paths of visited folders and files. Each is read once, even if several
	// symbolic links refer to it.
	visited map[string]bool
	// places has the real paths of the roots. Symbolic links out of the roots are not followed.
	places []string
}

// A sourceFile is a file, with the time of its last modification.
type sourceFile struct {
	path     string
	modified time.Time
}

// ignoreRules has the rules of a .gitignore and of those in parent folders.
type ignoreRules struct {
	above  *ignoreRules
	folder string
	rules  *ignore.GitIgnore
	// unless decides about paths that the rules of parent folders ignore. It is nil if this
	// .gitignore has no negated rule, which begins with !.
	unless *ignore.GitIgnore
	// modified and size identify the version of the .gitignore.
	modified time.Time
	size     int64
	// decided caches which paths are ignored. Matching the rules takes longer than the rest of a
	// walk.
	decided map[string]bool
}

// newIgnoreRules parses the lines of a .gitignore. The library applies a negated rule, which begins
// with !, only to paths that an earlier rule of the same file ignores. For files with negated
// rules, the lines are therefore parsed a second time, after a rule that ignores everything.
func newIgnoreRules(above *ignoreRules, folder string, lines []string) *ignoreRules {
	r := &ignoreRules{above: above, folder: folder, rules: ignore.CompileIgnoreLines(lines...), decided: make(map[string]bool)}
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "!") }) {
		r.unless = ignore.CompileIgnoreLines(append([]string{"*"}, lines...)...)
	}
	return r
}

// ignores reports whether a path is ignored. The last matching rule decides. Rules of a folder come
// after those of its parent folders.
func (r *ignoreRules) ignores(path string, folder bool) bool {
	if r == nil {
		return false
	}
	decided, ok := r.decided[path]
	if !ok {
		decided = r.decide(path, folder)
		r.decided[path] = decided
	}
	return decided
}

func (r *ignoreRules) decide(path string, folder bool) bool {
	rules := r.rules
	if r.above.ignores(path, folder) {
		if rules = r.unless; rules == nil {
			return true
		}
	}
	rel, err := filepath.Rel(r.folder, path)
	if err != nil {
		return false
	}
	if rel = filepath.ToSlash(rel); folder {
		rel += "/"
	}
	return rules.MatchesPath(rel)
}

// walk finds the source files below the roots.
func (w *walker) walk(ctx context.Context, roots []string) error {
	w.files, w.warnings, w.places = nil, nil, nil
	w.visited = map[string]bool{}
	w.rules, w.before = map[string]*ignoreRules{}, w.rules
	real := make(map[string]string, len(roots))
	for _, root := range roots {
		resolved, err := filepath.EvalSymlinks(root)
		if err != nil {
			w.warn("source-unread", "%s: %v", root, err)
			continue
		}
		real[root] = resolved
		w.places = append(w.places, resolved)
	}
	for _, root := range roots {
		resolved, ok := real[root]
		if !ok {
			continue
		}
		if err := w.folder(ctx, root, resolved, w.rulesAbove(root), false); err != nil {
			return err
		}
	}
	slices.SortFunc(w.files, func(a, b sourceFile) int { return strings.Compare(a.path, b.path) })
	w.files = slices.CompactFunc(w.files, func(a, b sourceFile) bool { return a.path == b.path })
	return nil
}

func (w *walker) warn(code, format string, args ...any) {
	w.warnings = append(w.warnings, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// rulesAbove returns the rules of the repository that contains root.
func (w *walker) rulesAbove(root string) *ignoreRules {
	var folders []string
	for folder := filepath.Dir(root); ; folder = filepath.Dir(folder) {
		folders = append(folders, folder)
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			return nil
		}
	}
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return nil
	}
	var rules *ignoreRules
	for _, folder := range slices.Backward(folders) {
		rules = w.rulesOf(folder, rules)
	}
	return rules
}

// rulesOf returns the rules of a folder's .gitignore, after the rules of parent folders.
func (w *walker) rulesOf(folder string, above *ignoreRules) *ignoreRules {
	name := filepath.Join(folder, ".gitignore")
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return above
	}
	if r := w.before[folder]; r != nil && r.above == above && r.modified.Equal(info.ModTime()) && r.size == info.Size() {
		w.rules[folder] = r
		return r
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return above
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	r := newIgnoreRules(above, folder, lines)
	r.modified, r.size = info.ModTime(), info.Size()
	w.rules[folder] = r
	return r
}

// folder reads a folder. source is set below a source folder, where a package may have the name of
// a build folder.
func (w *walker) folder(ctx context.Context, path, resolved string, rules *ignoreRules, source bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.visited[resolved] {
		return nil
	}
	w.visited[resolved] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		w.warn("source-unread", "%v", err)
		return nil
	}
	rules = w.rulesOf(path, rules)
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		child, childResolved, kind := filepath.Join(path, name), filepath.Join(resolved, name), entry.Type()
		_, isSource := language(name)
		if kind&os.ModeSymlink != 0 {
			if childResolved, err = filepath.EvalSymlinks(child); err != nil {
				continue
			}
			info, err := os.Stat(childResolved)
			if err != nil {
				continue
			}
			if !w.inside(childResolved) {
				if info.IsDir() || isSource {
					w.warn("source-outside", "%s links to %s, outside of the source folders, and is not followed", child, childResolved)
				}
				continue
			}
			kind = info.Mode().Type()
		}
		switch {
		case kind.IsDir():
			if !source && isBuildFolder(name) || rules.ignores(child, true) {
				continue
			}
			if err := w.folder(ctx, child, childResolved, rules, source || name == "src" || name == "java" || name == "kotlin"); err != nil {
				return err
			}
		case isSource && kind.IsRegular() && !rules.ignores(child, false):
			w.file(child, childResolved)
		}
	}
	return nil
}

// inside reports whether a real path is in one of the roots.
func (w *walker) inside(path string) bool {
	return slices.ContainsFunc(w.places, func(place string) bool {
		rel, err := filepath.Rel(place, path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

func (w *walker) file(path, resolved string) {
	info, err := os.Stat(path)
	if err != nil {
		w.warn("source-unread", "%v", err)
		return
	}
	if info.Size() > w.maxFile {
		w.warn("source-too-large", "%s has %d bytes and is skipped; the limit is %d", path, info.Size(), w.maxFile)
		return
	}
	if w.visited[resolved] {
		return
	}
	w.visited[resolved] = true
	w.files = append(w.files, sourceFile{path, info.ModTime()})
}

// isBuildFolder reports whether build tools usually write to folders of this name.
func isBuildFolder(name string) bool {
	switch name {
	case "build", "out", "bin", "node_modules":
		return true
	}
	return false
}
