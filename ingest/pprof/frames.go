package pprof

import (
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/diffprof/diffprof/trace"
)

// frames has the frames of all locations. The frames of location i are methods[ends[i-1]:ends[i]],
// the outermost first.
type frames struct {
	methods []trace.MethodID
	lines   []int32
	ends    []int
	// unnamed counts frames without a function name.
	unnamed int
	// sources has the source file of each method of Go.
	sources map[trace.MethodID]string
}

// frames returns the frames of all locations.
func (t *tables) frames(id func(text []byte) trace.MethodID) frames {
	f := frames{sources: make(map[trace.MethodID]string)}
	var buf []byte
	for i := range t.locations {
		l := &t.locations[i]
		for k := len(l.lines) - 1; k >= 0; k-- {
			fn, ok := t.function(l.lines[k].function)
			if buf = buf[:0]; ok {
				buf = t.nameOf(buf, fn)
			}
			if len(buf) == 0 {
				buf = t.addressOf(buf, l)
				f.unnamed++
			}
			m := id(buf)
			if ok && strings.HasSuffix(t.text(fn.file), ".go") {
				f.sources[m] = t.text(fn.file)
			}
			f.methods = append(f.methods, m)
			f.lines = append(f.lines, int32(min(max(int64(l.lines[k].line), 0), math.MaxInt32)))
		}
		if len(l.lines) == 0 {
			f.methods = append(f.methods, id(t.addressOf(buf[:0], l)))
			f.lines = append(f.lines, 0)
			f.unnamed++
		}
		f.ends = append(f.ends, len(f.methods))
	}
	return f
}

// nameOf appends the name of a function to buf. It adds the file to the name of a script's
// function, unless the name already contains the file.
func (t *tables) nameOf(buf []byte, f *function) []byte {
	text, file := t.text(f.name), t.text(f.file)
	if text == "" {
		text = t.text(f.systemName)
	}
	if strings.HasPrefix(text, "_Z") || strings.HasPrefix(text, "_R") {
		text = demangle.Filter(text)
	}
	buf = append(buf, text...)
	if text == "" || file == "" || strings.Contains(text, file) {
		return buf
	}
	switch ext := path.Ext(file); {
	case ext == ".py" || ext == ".pyx":
		return fmt.Appendf(buf, " (%s)", file)
	case ext == ".js", ext == ".mjs", ext == ".cjs", ext == ".ts", strings.HasPrefix(file, "node:"):
		return fmt.Appendf(buf, " %s", file)
	}
	return buf
}

// addressOf appends a name for code without a function name: the library and the offset in the
// library. The offset does not depend on the load address.
func (t *tables) addressOf(buf []byte, l *location) []byte {
	m, ok := t.mapping(l.mapping)
	if !ok || t.text(m.file) == "" {
		return fmt.Appendf(buf, "%#x", l.address)
	}
	return fmt.Appendf(buf, "%s`%#x", path.Base(t.text(m.file)), l.address-m.start+m.offset)
}
