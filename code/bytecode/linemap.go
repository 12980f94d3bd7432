package bytecode

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A lineMap maps the line numbers in a class file to lines of source files. They differ for inlined
// code: kotlinc numbers it with lines beyond the end of the file. They also differ in classes that
// were generated from an inline function of another file.
type lineMap struct {
	// code has the line of the inlined code itself. calls has the line of the call that it
	// replaced.
	code, calls []lineRange
}

// A lineRange maps count consecutive lines. Line first+i comes from line from+i/every. own is set
// if that line is in the class's own file.
type lineRange struct {
	first, count, from, every int
	own                       bool
}

// An origin tells whether code was inlined.
type origin uint8

const (
	// own means that the code was not inlined.
	own origin = iota
	// inlined means that the code replaced a call, and the line is the call's line.
	inlined
	// elsewhere means that the code comes from another file, and that the line of its call is
	// unknown.
	elsewhere
)

// origin returns the line in the class's own file. It returns 0 if the line comes from another
// file.
func (l *lineMap) origin(line int) (int, origin) {
	if l == nil {
		return line, own
	}
	if r := find(l.calls, line); r != nil && r.own {
		return r.from + (line-r.first)/r.every, inlined
	} else if r != nil {
		return 0, elsewhere
	}
	if r := find(l.code, line); r != nil && r.own {
		return r.from + (line-r.first)/r.every, own
	}
	return 0, elsewhere
}

func find(ranges []lineRange, line int) *lineRange {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].first > line }) - 1
	if i >= 0 && line-ranges[i].first < ranges[i].count {
		return &ranges[i]
	}
	return nil
}

// parseLineMap parses a class's source debug extension, in which kotlinc stores the line map. text
// is the extension, and class is the class's name.
func parseLineMap(text, class string) *lineMap {
	return &lineMap{code: stratum(text, "Kotlin", class), calls: stratum(text, "KotlinDebug", class)}
}

// stratum parses a section of a source map as defined by JSR 45. Each file has two lines: "+ ID
// NAME", and its class. Each range of lines is IN#ID,COUNT:OUT,EVERY. Only IN and OUT are required.
func stratum(text, name, class string) []lineRange {
	_, text, ok := strings.Cut(text, "*S "+name+"\n")
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "*S ")
	files, lines, _ := strings.Cut(text, "*L\n")
	isOwn := map[string]bool{}
	id := ""
	for line := range strings.Lines(files) {
		line = strings.TrimSpace(line)
		if words := strings.Fields(line); len(words) == 3 && words[0] == "+" {
			id = words[1]
		} else if id != "" {
			isOwn[id] = outermost(strings.ReplaceAll(line, "/", ".")) == outermost(class)
			id = ""
		}
	}
	var out []lineRange
	file := "1"
	for line := range strings.Lines(lines) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			break
		}
		from, count, _ := strings.Cut(from, ",")
		if in, id, named := strings.Cut(from, "#"); named {
			from, file = in, id
		}
		first, every, _ := strings.Cut(to, ",")
		r := lineRange{first: number(first), from: number(from), count: number(count), every: number(every), own: isOwn[file]}
		r.count *= r.every
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b lineRange) int { return cmp.Compare(a.first, b.first) })
	return out
}

// number parses a number. If the text is not a number, it returns 1.
func number(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return 1
}

// outermost returns the outermost class that contains a class.
func outermost(class string) string {
	outer, _, _ := strings.Cut(class, "$")
	return outer
}
