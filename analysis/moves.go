package analysis

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/aymanbagabas/go-udiff"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// Moves returns a function that converts line numbers of the reference to line numbers of the
// subject. It compares Options.Sources with the reference's sources in folders. An edited line
// becomes the similar line in its place. The result is 0 for a deleted line. Lines of a method that
// is not declared in folders stay as they are.
func Moves(ctx context.Context, in *Input, folders []string) (func(m name.Method, line int) int, error) {
	var there []*source.Index
	for _, folder := range folders {
		index, _, err := loadSources(ctx, folder)
		if err != nil {
			return nil, fmt.Errorf("reading the sources of the reference: %w", err)
		}
		there = append(there, index)
	}
	moves := make(map[[2]string]lineMap)
	ofClass := make(map[string]lineMap)
	return func(m name.Method, line int) int {
		class := source.TopLevel(m.Class())
		moved, ok := ofClass[class]
		if !ok {
			outer := name.OfClass(class, "", "").At(m.File, 0)
			files := [2]string{fileOf(there, outer), fileOf(in.indexes, outer)}
			if files[0] != "" && files[1] != "" {
				if moved, ok = moves[files]; !ok {
					moved = newLineMap(files[0], files[1])
					moves[files] = moved
				}
			}
			ofClass[class] = moved
		}
		return moved.line(line)
	}, nil
}

// fileOf returns the file that declares a class, empty if no index has it.
func fileOf(indexes []*source.Index, class name.Method) string {
	for _, index := range indexes {
		if found, _ := index.Find(class, time.Time{}); len(found) > 0 {
			return found[0].Path
		}
	}
	return ""
}

// A lineMap converts lines of one text to lines of another. Its edits are in the order of lines.
// The zero lineMap changes nothing.
type lineMap []lineEdit

// A lineEdit replaces the lines from first to end-1 by other lines. Lines after it move by shift,
// which includes earlier edits. now has the new number of each replaced line, or 0 if it was
// deleted.
type lineEdit struct {
	first, end, shift int
	now               []int
}

// newLineMap compares two files. The result is empty if a file cannot be read.
func newLineMap(before, after string) lineMap {
	if before == after {
		return nil
	}
	was, err := os.ReadFile(before)
	if err != nil {
		return nil
	}
	is, err := os.ReadFile(after)
	if err != nil {
		return nil
	}
	text := string(was)
	edits := udiff.Lines(text, string(is))
	slices.SortFunc(edits, func(a, b udiff.Edit) int { return a.Start - b.Start })
	var m lineMap
	shift, at, line := 0, 0, 1
	for _, e := range edits {
		line += strings.Count(text[at:e.Start], "\n")
		removed, added := trimmedLines(text[e.Start:e.End]), trimmedLines(e.New)
		edit := lineEdit{first: line, end: line + len(removed), now: edited(removed, added)}
		for i, n := range edit.now {
			if n > 0 {
				edit.now[i] = line + shift + n - 1
			}
		}
		shift += len(added) - len(removed)
		edit.shift = shift
		m = append(m, edit)
		at = e.Start
	}
	return m
}

// trimmedLines returns the lines of a part of a text, without surrounding spaces. A last line
// without a line break counts.
func trimmedLines(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(l))
	}
	return lines
}

const (
	// maxEdits is the largest number of line pairs that edited compares. longestEdit is the length
	// of the longest line that it compares.
	maxEdits    = 1 << 12
	longestEdit = 1000
)

// edited pairs removed lines with similar added lines, in the same order. Lines are similar if at
// most half of their characters differ. The result has, for each removed line, the number of its
// partner from 1, or 0 if it has none.
func edited(removed, added []string) []int {
	partner := make([]int, len(removed))
	if len(removed)*len(added) > maxEdits {
		return partner
	}
	next := 0
	for i, was := range removed {
		for k, is := range added[next:] {
			if similar(was, is) {
				partner[i], next = next+k+1, next+k+1
				break
			}
		}
	}
	return partner
}

func similar(a, b string) bool {
	longest := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	return a != "" && b != "" && longest <= longestEdit && 2*levenshtein.ComputeDistance(a, b) <= longest
}

// line returns the line in the other text, or 0 if it was deleted.
func (m lineMap) line(n int) int {
	i := sort.Search(len(m), func(i int) bool { return m[i].end > n })
	if i < len(m) && m[i].first <= n {
		return m[i].now[n-m[i].first]
	}
	if i == 0 {
		return n
	}
	return n + m[i-1].shift
}
