package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// limits are the percentages of matching lines above which a room fails.
type limits struct{ comments, sentences float64 }

// A count is the number of lines of one kind, and how many of them match.
type count struct{ lines, hits int }

func (c count) percent() float64 {
	if c.lines == 0 {
		return 0
	}
	return 100 * float64(c.hits) / float64(c.lines)
}

// exceeds reports whether the count is above a limit. A single matching line never is, because it
// would exceed every limit of a small room.
func (c count) exceeds(most float64) bool { return c.hits > 1 && c.percent() > most }

// A room is a top folder.
type room struct {
	name                string
	comments, sentences count
	found               []place
}

// A place is a finding in a file.
type place struct {
	file string
	finding
}

// read counts all files in folders.
func read(folders []string) ([]*room, error) {
	rooms := map[string]*room{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if path != folder && skipped(d.Name()) {
					return fs.SkipDir
				}
				return nil
			}
			if !d.Type().IsRegular() {
				return nil // for example a link to installed packages
			}
			lines, err := readFile(path)
			if err != nil {
				return err
			}
			name := roomOf(path)
			if rooms[name] == nil {
				rooms[name] = &room{name: name}
			}
			rooms[name].add(filepath.ToSlash(path), lines)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(rooms), func(a, b *room) int {
		return cmp.Or(cmp.Compare(b.comments.percent(), a.comments.percent()), strings.Compare(a.name, b.name))
	}), nil
}

// skipped reports whether a folder has no text of this project.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "testdata", "vendor", "third_party", "build", "bin", "dist"}, name)
}

// roomOf returns the first folder of a path, or "." for a file at the top.
func roomOf(path string) string {
	first, _, nested := strings.Cut(filepath.ToSlash(filepath.Clean(path)), "/")
	if !nested {
		return "."
	}
	return cmp.Or(first, "/")
}

// generated matches the beginning of a file that a program wrote.
var generated = regexp.MustCompile(`Code generated .* DO NOT EDIT|Written by (go |internal/)`)

// readFile returns the lines of a file that people read. It returns nil for formats that it does
// not support.
func readFile(path string) ([]line, error) {
	name := filepath.Base(path)
	ext := filepath.Ext(name)
	if !slices.Contains([]string{".go", ".md", ".ts", ".tsx", ".js", ".mjs", ".lua", ".sh", ".json", ""}, ext) {
		return nil, nil
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(filepath.ToSlash(path), "tools/plain/patterns.go") {
		return nil, nil // this file lists the patterns
	}
	if generated.Match(source[:min(len(source), 600)]) {
		return nil, nil // this file is generated from one that is read
	}
	test := strings.HasSuffix(name, ".test"+ext) || strings.HasSuffix(name, ".test.tsx") || strings.Contains(filepath.ToSlash(path), "/test/")
	switch {
	case ext == ".go":
		return readGo(path, source)
	case ext == ".md":
		return readMarkdown(source, name == "CHANGELOG.md"), nil
	case ext == ".lua":
		return readScript(lua.without(test), source), nil
	case ext == ".ts" || ext == ".tsx" || ext == ".js" || ext == ".mjs":
		s := scripts.without(test)
		s.markup = ext == ".tsx"
		return readScript(s, source), nil
	case ext == ".sh" || ext == "" && bytes.HasPrefix(source, []byte("#!")):
		return readShell(source), nil
	case strings.HasSuffix(name, ".schema.json"):
		return documentation(readScript(json, source)), nil
	case name == "package.json":
		return readScript(json, source), nil
	}
	return nil, nil
}

// documentation returns sentences in strings as lines of documentation, for which the limit is
// stricter.
func documentation(lines []line) []line {
	for i := range lines {
		lines[i].sentence = false
	}
	return lines
}

// without returns the syntax of a file. For a test, it leaves out strings, because users do not
// read them.
func (s syntax) without(test bool) syntax {
	s.strings = s.strings && !test
	return s
}

func (r *room) add(file string, lines []line) {
	for _, l := range lines {
		r.counter(l).lines++
	}
	for _, f := range findings(lines) {
		r.counter(f.line).hits++
		r.found = append(r.found, place{file, f})
	}
}

// counter returns the count to which a line belongs.
func (r *room) counter(l line) *count {
	if l.sentence {
		return &r.sentences
	}
	return &r.comments
}

// list prints all lines that match.
func list(w io.Writer, rooms []*room) {
	for _, r := range rooms {
		for _, p := range r.found {
			fmt.Fprintf(w, "%s:%d: %s   [%s]\n", p.file, p.number, p.text, strings.Join(p.patterns, ", "))
		}
	}
}

// summary prints a row for each room, and returns an error if one is above a limit.
func summary(w io.Writer, rooms []*room, limits limits) error {
	all := room{name: "all"}
	var above []string
	byPattern := map[string]int{}
	fmt.Fprintf(w, "%-20s %26s %26s\n", "", "comments and Markdown", "sentences in strings")
	for _, r := range rooms {
		if r.comments.lines+r.sentences.lines == 0 {
			continue
		}
		row(w, r)
		all.comments.plus(r.comments)
		all.sentences.plus(r.sentences)
		if r.comments.exceeds(limits.comments) || r.sentences.exceeds(limits.sentences) {
			above = append(above, r.name)
		}
		for _, p := range r.found {
			for _, name := range p.patterns {
				byPattern[name]++
			}
		}
	}
	row(w, &all)
	for _, p := range patterns {
		if n := byPattern[p.name]; n > 0 {
			fmt.Fprintf(w, "  %-24s %5d\n", p.name, n)
		}
	}
	if len(above) > 0 {
		return fmt.Errorf("above the limit: %s; list the lines with -v, and write them in plain words", strings.Join(above, ", "))
	}
	return nil
}

func (c *count) plus(d count) { c.lines += d.lines; c.hits += d.hits }

func row(w io.Writer, r *room) {
	fmt.Fprintf(w, "%-20s %5d of %6d %7.2f %% %5d of %6d %7.2f %%\n", r.name,
		r.comments.hits, r.comments.lines, r.comments.percent(), r.sentences.hits, r.sentences.lines, r.sentences.percent())
}
