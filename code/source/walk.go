package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	ignore "github.com/sabhiram/go-gitignore"

	"github.com/diffprof/diffprof/trace"
)

// maxIgnoreFile is the size in bytes up to which a .gitignore is read.
const maxIgnoreFile = 256 << 10

// A walker finds source files.
type walker struct {
	maxFile  int64
	files    []string
	warnings []trace.Warning
	// visited has the real paths of folders and files, so that none is read
	// twice, however many links lead to it.
	visited map[string]bool
}

// An ignoreRules is a .gitignore and those of the folders above it.
type ignoreRules struct {
	above  *ignoreRules
	folder string
	rules  *ignore.GitIgnore
	// unless is rules for what the folders above ignore; nil if they are right
	// about everything.
	unless *ignore.GitIgnore
}

// newIgnoreRules reads the lines of a .gitignore. The library leaves out what a
// rule that begins with ! makes of a path that no rule before it ignores, so that
// such rules are read a second time behind one that ignores all.
func newIgnoreRules(above *ignoreRules, folder string, lines []string) *ignoreRules {
	r := &ignoreRules{above: above, folder: folder, rules: ignore.CompileIgnoreLines(lines...)}
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "!") }) {
		r.unless = ignore.CompileIgnoreLines(append([]string{"*"}, lines...)...)
	}
	return r
}

// ignores tells whether the last rule that fits a path, the nearer .gitignore
// being the later, ignores it.
func (r *ignoreRules) ignores(path string, folder bool) bool {
	if r == nil {
		return false
	}
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

// walk finds the files below the roots, in order.
func (w *walker) walk(ctx context.Context, roots []string) error {
	w.visited = map[string]bool{}
	for _, root := range roots {
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			w.warn("source-unread", "%s: %v", root, err)
			continue
		}
		if err := w.folder(ctx, root, real, rulesAbove(root), false); err != nil {
			return err
		}
	}
	slices.Sort(w.files)
	w.files = slices.Compact(w.files)
	return nil
}

func (w *walker) warn(code, format string, args ...any) {
	w.warnings = append(w.warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// rulesAbove returns the rules of the repository that root is a folder of.
func rulesAbove(root string) *ignoreRules {
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
		rules = rulesOf(folder, rules)
	}
	return rules
}

// rulesOf adds a folder's own rules to those above it.
func rulesOf(folder string, above *ignoreRules) *ignoreRules {
	name := filepath.Join(folder, ".gitignore")
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return above
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return above
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	return newIgnoreRules(above, folder, lines)
}

// folder reads a folder. Source is set below a folder that holds sources, where
// packages may be called as build folders are.
func (w *walker) folder(ctx context.Context, path, real string, rules *ignoreRules, source bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.visited[real] {
		return nil
	}
	w.visited[real] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		w.warn("source-unread", "%v", err)
		return nil
	}
	rules = rulesOf(path, rules)
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		child, childReal, kind := filepath.Join(path, name), filepath.Join(real, name), entry.Type()
		_, isSource := language(name)
		if kind&os.ModeSymlink != 0 {
			if childReal, err = filepath.EvalSymlinks(child); err != nil {
				continue
			}
			info, err := os.Stat(childReal)
			if err != nil {
				continue
			}
			kind = info.Mode().Type()
		}
		switch {
		case kind.IsDir():
			if !source && isBuildFolder(name) || rules.ignores(child, true) {
				continue
			}
			if err := w.folder(ctx, child, childReal, rules, source || name == "src" || name == "java" || name == "kotlin"); err != nil {
				return err
			}
		case isSource && kind.IsRegular() && !rules.ignores(child, false):
			w.file(child, childReal)
		}
	}
	return nil
}

func (w *walker) file(path, real string) {
	if info, err := os.Stat(path); err == nil && info.Size() > w.maxFile {
		w.warn("source-too-large", "%s has %d bytes and is skipped; the limit is %d", path, info.Size(), w.maxFile)
		return
	}
	if w.visited[real] {
		return
	}
	w.visited[real] = true
	w.files = append(w.files, path)
}

// isBuildFolder tells the folders that build tools write to.
func isBuildFolder(name string) bool {
	switch name {
	case "build", "out", "bin", "node_modules":
		return true
	}
	return false
}
