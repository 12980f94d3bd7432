package firefox

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// Bits of a function's flags. Newer versions of the format have them instead of null values.
const (
	flagJS       = 1
	flagResource = 4
	flagSource   = 8
)

// paths creates the stacks that the tables define.
func (d *decoder) paths(t *tables) (*stacks.Paths, error) {
	if t.stackFrame != nil && t.stackPrefix == nil && t.stackOffset == nil {
		return nil, errors.New("the table of stacks has no column prefix; diffprof does not know this version of the format")
	}
	frames := d.frames(t)
	paths := &stacks.Paths{}
	// inlined has the indices of stacks whose frame was inlined into other functions.
	var inlined []int32
	for i, frame := range t.stackFrame {
		caller := t.stackPrefix.at(int64(i))
		if t.stackPrefix == nil {
			if caller = int64(i) - t.stackOffset.at(int64(i)); caller == int64(i) {
				caller = none
			}
		}
		if caller == none {
			caller = stacks.NoFrame
		}
		var code stacks.Code
		if frame >= 0 && frame < int64(len(frames)) {
			f := &frames[frame]
			code = f.Code
			if len(f.outer) > 0 {
				inlined = append(inlined, int32(i))
			}
			d.symbols.count(f)
		} else {
			code = d.names.Nowhere()
			d.lost++
		}
		// Callers that are out of range are handled by Paths.Mend.
		paths.Add(int32(max(min(caller, math.MaxInt32), math.MinInt32)), code.Method, code.Line)
	}
	d.rootless += paths.Repair()
	for _, i := range inlined {
		at := i
		for _, c := range frames[t.stackFrame[i]].outer {
			at = paths.Insert(at, c.Method, c.Line)
		}
	}
	return paths, nil
}

// A frame is a row in the table of frames.
type frame struct {
	stacks.Code
	// outer has the functions into which the code was inlined, the innermost first.
	outer []stacks.Code
	// unnamed is the library of the frame if its function has no name. Otherwise it is nil.
	unnamed *library
}

// frames reads the table of frames.
func (d *decoder) frames(t *tables) []frame {
	out := make([]frame, max(len(t.frameFunc), len(t.frameLocation)))
	known := make(map[int64]trace.MethodID)
	for i := range out {
		row := int64(i)
		at, read := t.frameFunc.at(row), t.function
		if t.frameFunc == nil {
			at, read = t.frameLocation.at(row), t.location
		}
		f := &out[i]
		if l := t.bare(at); l != nil {
			if list := d.symbols.find(d.names, l, t.frameAddress.at(row)); len(list) > 0 {
				f.Code, f.outer = list[0], list[1:]
				continue
			}
			f.unnamed = l
		}
		m, ok := known[at]
		if !ok {
			m = read(d.names, at)
			known[at] = m
		}
		f.Method, f.Line = m, int32(line(t.frameLine.at(row)))
	}
	return out
}

// bare returns the library of a function that is named by its address only, such as 0x1c20. For
// other functions, it returns nil.
func (t *tables) bare(function int64) *library {
	if t.frameFunc == nil || !strings.HasPrefix(t.text(t.funcName.at(function)), "0x") {
		return nil
	}
	lib := t.resourceLib.at(t.funcResource.at(function))
	if lib < 0 || lib >= int64(len(t.libs)) {
		return nil
	}
	return &t.libs[lib]
}

// function returns the method of a function in the table.
func (t *tables) function(names *stacks.Table, at int64) trace.MethodID {
	text := t.text(t.funcName.at(at))
	isJS, file := t.funcIsJS.at(at) == 1, t.text(t.funcFile.at(at))
	resource := t.funcResource.at(at)
	source := t.funcSource.at(at)
	if t.funcFlags != nil {
		flags := max(0, t.funcFlags.at(at))
		isJS = flags&flagJS != 0
		if flags&flagResource == 0 {
			resource = none
		}
		if flags&flagSource == 0 {
			source = none
		}
	}
	if source != none && file == "" {
		file = t.text(t.sourceFile.at(source))
	}
	if isJS && file != "" {
		return names.Add(name.OfScript(text, script(file), line(t.funcLine.at(at))))
	}
	if library := t.text(t.resourceName.at(resource)); library != "" && strings.HasPrefix(text, "0x") {
		address, err := strconv.ParseUint(text[len("0x"):], 16, 64)
		if l := t.bare(at); err == nil && l != nil && l.path != "" {
			return names.Place(l.path, address).Method // The folder shows whether the library belongs to the system.
		}
		text = library + "`" + text
	}
	return symbol(names, text)
}

// location returns the method for a frame's text in the gecko format. Examples are a JavaScript
// function, load (feed.js:12:3), a script with a line, feed.js:12, and a symbol.
func (t *tables) location(names *stacks.Table, at int64) trace.MethodID {
	text := t.text(at)
	function, place := "", text
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		// The part in parentheses may be a chain of scripts, as in a (b -> c:1:2).
		if j := strings.Index(text, " ("); strings.Contains(text, " -> ") {
			i = j
		}
		function, place = text[:i], text[i+2:len(text)-1]
	}
	path, number, ok := cutPlace(place)
	if !ok {
		return symbol(names, text)
	}
	return names.Add(name.OfScript(function, script(path), line(number)))
}

// symbol returns the method of a symbol. The root of a stack has no symbol.
func symbol(names *stacks.Table, text string) trace.MethodID {
	if text == "(root)" || text == "" {
		return stacks.NoFrame
	}
	return names.ID([]byte(text))
}

// cutPlace splits path:line:column into path and line.
func cutPlace(place string) (path string, line int64, ok bool) {
	path, line, ok = cutNumber(place)
	if outer, first, two := cutNumber(path); two {
		path, line = outer, first
	}
	return path, line, ok && (strings.Contains(path, ":") || strings.HasSuffix(path, ".js"))
}

func cutNumber(s string) (string, int64, bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return s, 0, false
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 32)
	return s[:i], n, err == nil && n >= 0
}

// script returns the last script of a chain "a -> b", in which each script loaded the next.
func script(path string) string {
	if i := strings.LastIndex(path, " -> "); i >= 0 {
		return path[i+len(" -> "):]
	}
	return path
}

func line(n int64) int { return int(min(max(n, 0), math.MaxInt32)) }
