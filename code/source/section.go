package source

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/name"
)

// A sectionRef is a call in a file that begins a trace slice.
type sectionRef struct {
	*entry
	section *outline.Section
}

// composable matches the slice names of Compose, such as "com.mine.Feed (Feed.kt:#)". Its groups
// are the package or class, the function, and the file.
var composable = regexp.MustCompile(`^([\w.]+)\.(\w+) \((\w+)\.kt:[#\d]+\)$`)

// lifecycle maps Android's slices for an activity, such as "performCreate:com.mine.Main", to the
// method that runs in them.
var lifecycle = map[string]string{"performCreate": "onCreate", "performDestroy": "onDestroy"}

// findSlice finds the source of a slice. This is the call that begins it, or the function that
// Compose or Android runs in it. The caller holds mu.
func (x *Index) findSlice(called string, recorded time.Time) ([]match, Reason) {
	if m := composable.FindStringSubmatch(called); m != nil {
		for _, class := range []string{m[1] + "." + m[3] + "Kt", m[1]} {
			if found, reason := x.find(name.OfClass(class, m[2], ""), recorded); len(found) > 0 {
				return found, reason
			}
		}
	}
	if slice, class, ok := strings.Cut(called, ":"); ok && lifecycle[slice] != "" {
		return x.find(name.OfClass(class, lifecycle[slice], ""), recorded)
	}
	refs := x.sections[plainSlice(called)]
	if len(refs) == 0 {
		for text, sections := range x.sections {
			if strings.Contains(text, outline.Hole) && fillsHoles(text, called) {
				refs = append(refs, sections...)
			}
		}
	}
	var found []match
	for _, r := range refs {
		found = append(found, match{entry: r.entry, typ: r.Members[r.section.Owner].Type, member: r.section.Owner, section: r.section})
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.section.At.Offset, b.section.At.Offset))
	})
	switch len(found) {
	case 0:
		return nil, NoClass
	case 1:
		return found, Exact
	}
	for i := range found {
		found[i].reason = Ambiguous
	}
	return found, Ambiguous
}

// plainSlice returns the name of a slice without the parts that vary. Trace readers do the same.
func plainSlice(text string) string { return string(name.PlainSlice(nil, []byte(text))) }

// minText is the least number of constant characters in a slice name with variable parts. Names
// with fewer would match too many slices.
const minText = 3

// fillsHoles reports whether a slice name fits a text with holes (unknown values). For example,
// "Load a.png" fits the text of "Load " + url.
func fillsHoles(text, called string) bool {
	parts := strings.Split(text, outline.Hole)
	if len(text)-(len(parts)-1) < minText {
		return false
	}
	rest, ok := strings.CutPrefix(called, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}
