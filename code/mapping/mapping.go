// Package mapping reads the mapping files of R8 and ProGuard and finds the original names of
// obfuscated ones.
//
// # The format
//
// A class line is followed by the lines of its members. Comments may follow either. In some of
// them R8 writes JSON:
//
//	original.Class -> a.b:
//	# {"id":"sourceFile","fileName":"Class.kt"}
//	    int field -> a
//	    3:7:void inlined(int):41:45 -> b
//	    3:7:void original.Other.caller():12 -> b
//	      # {"id":"com.android.tools.r8.residualsignature","signature":"()V"}
//
// The first two numbers are a range of lines in the obfuscated method, the last two the range
// in the original. Ranges are inclusive, and either one may be missing. A method's name may
// begin with the class that declares it. Lines of fields are skipped.
//
// Consecutive lines with the same obfuscated name and range are one chain of inlined calls, the
// innermost first. The last is the method that exists in the obfuscated program. A line without
// original lines does not begin a chain: ProGuard writes such lines for whole methods, and two
// methods on one source line look the same.
//
// # The meaning of a trace's method
//
// A method trace names methods, not the lines that ran: it has the class, the name, the
// descriptor, and at most the method's first line. The method that ran is the outermost of a
// chain, so the first frame of [Map.Retrace] is the result for a trace of method entries. The
// further frames were inlined at that line. A sampled stack, which has the lines that ran,
// needs the whole chain.
//
// Several originals may share an obfuscated name. They are distinguished by the descriptor,
// after mapping its types back. If R8 changed more than names, it writes the obfuscated
// descriptor as a residual signature. Then the line decides. If several still remain, the first
// in the file is returned, marked as ambiguous.
//
// R8's rewriteFrame and outlineCallsite comments describe stack traces of exceptions, and are
// not used here. A method that is marked as synthesized or as an outline has no source, and its
// frames report this ([Frame]).
//
// # Bad input
//
// A line of any other form is skipped and counted ([Map.Skipped]), because the rest of the file
// is still useful. A file without a class line is not a mapping file, which is an error. Memory
// grows with the number of method lines, about 50 bytes each, and with the distinct names among
// them.
//
// A [Map] is immutable and safe for concurrent use.
//
// Sources: the ProGuard manual's page on retrace and R8's document on its additions to the
// format, both public.
package mapping

import (
	"slices"
	"strings"
)

// A Frame is a method, and a place in it.
type Frame struct {
	// Class is the method's class, with dots and '$': a.b.C$D.
	Class string
	// Method is the method's name alone, such as <init>.
	Method string
	// Descriptor is its JVM descriptor, (I)Ljava/lang/String;, or empty if unknown.
	Descriptor string
	// File is the source file's name, without folders. It is empty if unknown.
	File string
	// Line counts from 1. It is 0 if unknown.
	Line int
	// Synthesized means that the compiler generated the method or its class, so it has no
	// source. Retrace sets it and ignores its value in the argument.
	Synthesized bool
}

// A Map is one mapping file. Make one with [Read].
type Map struct {
	// text holds every name once. Methods refer to names by their index. Index 0 is the empty
	// string, for a missing part.
	text    []string
	classes map[string]*class // By obfuscated name.
	files   map[string]string // Source files, by original class.
	methods []method          // By class, those of a class sorted by obfuscated name.
	skipped int
	oddity  error
}

// A class is one class line.
type class struct {
	original    string
	synthesized bool
	first, end  int // its range in Map.methods
}

// A method is one method line.
type method struct {
	name             uint32 // Obfuscated.
	class            uint32 // original, if the line names one
	method           uint32 // Original.
	result, params   uint32 // Original types as Java writes them; params with commas.
	residual         uint32 // obfuscated descriptor, if R8 gave one
	start, end       int32  // obfuscated lines; noRange if the line has none
	original, toLine int32  // original lines; noRange if the line has none
	flags            flags
}

const noRange = -1

type flags uint8

const (
	// continued marks a line whose caller is the line after it.
	continued flags = 1 << iota
	synthesized
)

// Skipped returns the number of malformed lines, and an error for the first one with its line
// number. The error is nil if there are none.
func (m *Map) Skipped() (lines int, first error) { return m.skipped, m.oddity }

// Class returns the original of an obfuscated class name, or the name itself if the
// file does not list it. Both have dots. It does not look into names of arrays.
func (m *Map) Class(obfuscated string) string {
	if c := m.classes[obfuscated]; c != nil {
		return c.original
	}
	return obfuscated
}

// Classes returns the original names of the classes in the file, in order.
func (m *Map) Classes() []string {
	names := make([]string, 0, len(m.classes))
	for _, c := range m.classes {
		names = append(names, c.original)
	}
	slices.Sort(names)
	return names
}

// Retrace returns the original of f: first the method that exists in the program, then the
// methods that were inlined into it at f.Line, the innermost last. If f has no line, or the
// file does not list it, the result is one frame with the first known line of the method. The
// package comment explains the frames of a trace.
//
// If the file does not list f's class or method, the result is f with its class and the types
// in its descriptor mapped back. ambiguous reports that several originals fit. Then the first
// one in the file is returned.
func (m *Map) Retrace(f Frame) (frames []Frame, ambiguous bool) {
	descriptor := m.descriptor(f.Descriptor)
	c := m.classes[f.Class]
	if c == nil {
		f.Descriptor, f.Synthesized = descriptor, false
		return []Frame{f}, false
	}
	chains := m.chains(c, f.Method)
	chains = m.narrow(chains, f.Descriptor, descriptor)
	if len(chains) == 0 {
		return []Frame{{
			Class: c.original, Method: f.Method, Descriptor: descriptor,
			File: m.file(c.original, c, f), Line: max(f.Line, 0), Synthesized: c.synthesized,
		}}, false
	}

	at := chains
	if f.Line > 0 {
		at = slices.Collect(func(yield func([]method) bool) {
			for _, chain := range chains {
				if chain[0].start != noRange && int(chain[0].start) <= f.Line && f.Line <= int(chain[0].end) && !yield(chain) {
					return
				}
			}
		})
	}
	if f.Line <= 0 || len(at) == 0 {
		return m.withoutLine(c, f, chains)
	}
	for _, chain := range at[1:] {
		ambiguous = ambiguous || !m.sameFrames(chain, at[0])
	}
	for i := len(at[0]) - 1; i >= 0; i-- {
		frames = append(frames, m.frame(c, f, at[0][i], f.Line))
	}
	return frames, ambiguous
}

// withoutLine retraces f to the outermost method of the chains, ignoring their lines.
func (m *Map) withoutLine(c *class, f Frame, chains [][]method) ([]Frame, bool) {
	first := chains[0][len(chains[0])-1]
	line, ambiguous := 0, false
	for _, chain := range chains {
		outer := chain[len(chain)-1]
		if !sameMethod(outer, first) {
			ambiguous = true
			continue
		}
		if at := originalLine(outer, int(outer.start)); at > 0 && (line == 0 || at < line) {
			line = at
		}
	}
	frame := m.frame(c, f, first, 0)
	frame.Line = line
	if line == 0 && first.start == noRange {
		// The file has no lines for the method because its lines did not change.
		frame.Line = max(f.Line, 0)
	}
	return []Frame{frame}, ambiguous
}

// chains returns the chains of an obfuscated method name of c in file order. The innermost
// line of a chain is first.
func (m *Map) chains(c *class, name string) [][]method {
	all := m.methods[c.first:c.end]
	at, _ := slices.BinarySearchFunc(all, name, func(e method, name string) int {
		return strings.Compare(m.text[e.name], name)
	})
	var chains [][]method
	for from := at; at < len(all) && m.text[all[at].name] == name; at++ {
		if all[at].flags&continued == 0 {
			chains = append(chains, all[from:at+1])
			from = at + 1
		}
	}
	return chains
}

// narrow keeps the chains with a descriptor, which is given in the trace's form and with its
// types mapped back. If no chain has it, all are kept, because an optimizer may change a
// descriptor without a note.
func (m *Map) narrow(chains [][]method, obfuscated, original string) [][]method {
	if obfuscated == "" || len(chains) == 0 {
		return chains
	}
	var kept [][]method
	for _, chain := range chains {
		outer := chain[len(chain)-1]
		if outer.residual != 0 {
			if m.text[outer.residual] == obfuscated {
				kept = append(kept, chain)
			}
		} else if m.methodDescriptor(outer) == original {
			kept = append(kept, chain)
		}
	}
	if kept == nil {
		return chains
	}
	return kept
}

// identity returns the part of e that names the original method.
func (e method) identity() method {
	return method{class: e.class, method: e.method, result: e.result, params: e.params}
}

func sameMethod(a, b method) bool { return a.identity() == b.identity() }

// sameFrames reports whether two chains represent the same methods.
func (m *Map) sameFrames(a, b []method) bool { return slices.EqualFunc(a, b, sameMethod) }

// frame makes the frame of one line of c, for the obfuscated frame f.
func (m *Map) frame(c *class, f Frame, e method, line int) Frame {
	out := Frame{
		Class: c.original, Method: m.text[e.method], Descriptor: m.methodDescriptor(e),
		Line: originalLine(e, line), Synthesized: e.flags&synthesized != 0,
	}
	if e.class != 0 {
		out.Class = m.text[e.class]
	}
	if out.Class == c.original {
		out.Synthesized = out.Synthesized || c.synthesized
	}
	out.File = m.file(out.Class, c, f)
	return out
}

// originalLine maps an obfuscated line in e's range. It returns 0 if e has no original lines.
// If both ranges have the same length, lines correspond. Otherwise every line maps to the first
// line of the original range, because the file has no details.
func originalLine(e method, line int) int {
	switch {
	case line <= 0 || e.start == noRange:
		return max(int(e.original), 0)
	case e.original == noRange: // An older ProGuard: the lines are the original's.
		return line
	case e.toLine-e.original == e.end-e.start:
		return int(e.original) + line - int(e.start)
	}
	return int(e.original)
}

// file returns the source file of an original class, for a frame of c.
func (m *Map) file(original string, c *class, f Frame) string {
	if file, ok := m.files[original]; ok {
		return file
	}
	// The trace's file name is used if it belongs to this class and is a source file:
	// obfuscators write SourceFile, PG or a hash in its place.
	if original == c.original && (strings.HasSuffix(f.File, ".java") || strings.HasSuffix(f.File, ".kt")) {
		return f.File
	}
	return ""
}
