// Package mapping reads the mapping files of R8 and ProGuard. It finds the original names of
// obfuscated classes and methods.
//
// # The format
//
// The line of a class is followed by the lines of its members. Comments may follow both kinds of
// lines. R8 writes some comments as JSON:
//
//	original.Class -> a.b:
//	# {"id":"sourceFile","fileName":"Class.kt"}
//	    int field -> a
//	    3:7:void inlined(int):41:45 -> b
//	    3:7:void original.Other.caller():12 -> b
//	      # {"id":"com.android.tools.r8.residualsignature","signature":"()V"}
//
// The first two numbers are a range of lines in the obfuscated method. The last two numbers are a
// range of lines in the original method. Ranges include both ends. Either range may be missing. A
// method's name may begin with the class that declares it. Lines of fields are skipped.
//
// Consecutive lines with the same obfuscated name and range are a chain of inlined calls, the
// innermost call first. The last line of a chain is the method that exists in the obfuscated
// program. A line without original lines does not begin a chain: ProGuard writes such lines for
// whole methods, and they look like two methods on one source line.
//
// # Methods in traces
//
// A method trace records the methods that ran, but not the lines. It has the class, the name and
// the descriptor of each method, and sometimes the method's first line. The method that ran is the
// last line of a chain, so a reader of method traces uses only the first frame of [Map.Retrace].
// The other frames were inlined into it. A sampled stack has the lines that ran, so its reader uses
// all frames.
//
// Several original methods may have the same obfuscated name. Retrace chooses among them in this
// order:
//
//  1. By the descriptor, after mapping back its types. If R8 changed more than names in it, R8
//     writes the obfuscated descriptor as a residual signature, and Retrace compares that.
//  2. By the line.
//  3. The first in the file. The result is then marked as ambiguous.
//
// R8's rewriteFrame and outlineCallsite comments are for stack traces of exceptions, so they are
// not used here. Methods that R8 synthesized or outlined have no source, so their frames are marked
// as synthesized ([Frame]).
//
// # Bad input
//
// A line of any other form is skipped and counted ([Map.Skipped]), because the rest of the file is
// still useful. A file without a line for a class is not a mapping file, and reading it is an
// error. Memory grows with the number of method lines, at about 50 bytes per line, and with the
// number of distinct names.
//
// A [Map] is immutable and safe for concurrent use.
//
// Sources: the ProGuard manual's page on retrace, and R8's document on its additions to the format.
// Both are public.
package mapping

import (
	"slices"
	"strings"
)

// A Frame is a method, with a line in it.
type Frame struct {
	// Class is the class of the method, with dots and '$', such as a.b.C$D.
	Class string
	// Method is the name of the method without its class, such as <init>.
	Method string
	// Descriptor is the JVM descriptor of the method, such as (I)Ljava/lang/String;. It is empty if
	// unknown.
	Descriptor string
	// File is the source file's name, without folders. It is empty if unknown.
	File string
	// Line counts from 1. It is 0 if unknown.
	Line int
	// Synthesized reports that the compiler generated the method or its class, so it has no source.
	// Retrace sets it, and ignores it in its argument.
	Synthesized bool
}

// A Map is the content of a mapping file, made by [Read].
type Map struct {
	// text has every name once. Methods refer to names by index. Index 0 is the empty string, which
	// means that a part is missing.
	text    []string
	classes map[string]*class // By obfuscated name.
	files   map[string]string // Source files by original class.
	methods []method          // Sorted by class, and within a class by obfuscated name.
	skipped int
	oddity  error
}

// A class is a class line of the mapping file.
type class struct {
	original    string
	synthesized bool
	first, end  int // The range of the class in Map.methods.
}

// A method is a method line of the mapping file. Names are indices into Map.text.
type method struct {
	name             uint32 // The obfuscated name.
	class            uint32 // The original class, if the line states one.
	method           uint32 // The original name.
	result, params   uint32 // The original types in Java's notation, with commas between parameters.
	residual         uint32 // The obfuscated descriptor, if R8 states one.
	start, end       int32  // Obfuscated lines, or noRange.
	original, toLine int32  // Original lines, or noRange.
	flags            flags
}

const noRange = -1

type flags uint8

const (
	// continued marks a method that was inlined into the method of the next line.
	continued flags = 1 << iota
	synthesized
)

// Skipped returns the number of malformed lines. The error describes the first of them, with its
// line number. It is nil if there are none.
func (m *Map) Skipped() (lines int, first error) { return m.skipped, m.oddity }

// Class returns the original name of an obfuscated class, or the name itself if the file does not
// list it. Both names have dots. Class does not map arrays.
func (m *Map) Class(obfuscated string) string {
	if c := m.classes[obfuscated]; c != nil {
		return c.original
	}
	return obfuscated
}

// Classes returns the original names of the classes in the file, sorted.
func (m *Map) Classes() []string {
	names := make([]string, 0, len(m.classes))
	for _, c := range m.classes {
		names = append(names, c.original)
	}
	slices.Sort(names)
	return names
}

// Retrace returns the original frames of f. The first frame is the method that exists in the
// obfuscated program. The other frames are the methods that were inlined into it at f.Line, the
// innermost last. If f has no line, or if the file does not list the line, the result is one frame
// with the first known line of the method. The package comment explains which frames a trace needs.
//
// If the file does not list the class or the method of f, only the class, the source file and the
// types in the descriptor are mapped back, as far as they are known. If several originals match,
// ambiguous is true, and the result is the first of them in the file.
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

// RetraceLine returns the original frames of a line that ran. Unlike Retrace, it sets the Line of
// the result to 0 if the file lists the method but not the line.
func (m *Map) RetraceLine(f Frame) []Frame {
	frames, _ := m.Retrace(f)
	whole := f
	whole.Line = 0
	first, _ := m.Retrace(whole)
	if len(frames) != 1 || len(first) != 1 || frames[0] != first[0] || frames[0].Line == f.Line {
		return frames
	}
	// The line in frames is the method's first line. It ran only if the file maps f.Line to it.
	if c := m.classes[f.Class]; c != nil {
		for _, chain := range m.narrow(m.chains(c, f.Method), f.Descriptor, m.descriptor(f.Descriptor)) {
			if chain[0].start != noRange && int(chain[0].start) <= f.Line && f.Line <= int(chain[0].end) {
				return frames
			}
		}
	}
	frames[0].Line = 0
	return frames
}

// withoutLine returns the frame of the method that exists in the obfuscated program. It ignores
// f.Line.
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
		// The file has no lines for the method, because they are unchanged.
		frame.Line = max(f.Line, 0)
	}
	return []Frame{frame}, ambiguous
}

// chains returns the chains of inlined calls for an obfuscated method of class c, in file order.
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

// narrow keeps the chains whose method has the given descriptor, in its obfuscated or its original
// form. If none has it, narrow returns all chains, because an optimizer may change a descriptor
// without a note in the file.
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

// identity returns a copy of e with only the fields that identify the original method.
func (e method) identity() method {
	return method{class: e.class, method: e.method, result: e.result, params: e.params}
}

func sameMethod(a, b method) bool { return a.identity() == b.identity() }

// sameFrames reports whether two chains represent the same methods.
func (m *Map) sameFrames(a, b []method) bool { return slices.EqualFunc(a, b, sameMethod) }

// frame returns the original frame for a method line of class c. f is the obfuscated frame.
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

// originalLine returns the original line for an obfuscated line in the range of e, or 0 if unknown.
// If the two ranges have the same length, their lines correspond one to one. Otherwise only the
// first line of the original range is known.
func originalLine(e method, line int) int {
	switch {
	case line <= 0 || e.start == noRange:
		return max(int(e.original), 0)
	case e.original == noRange: // Older versions of ProGuard omit original lines that are equal to the obfuscated ones.
		return line
	case e.toLine-e.original == e.end-e.start:
		return int(e.original) + line - int(e.start)
	}
	return int(e.original)
}

// file returns the source file of an original class. f is the obfuscated frame, which is in class
// c.
func (m *Map) file(original string, c *class, f Frame) string {
	if file, ok := m.files[original]; ok {
		return file
	}
	// The file name in the trace is the file of class c. Obfuscators replace it by SourceFile, PG or
	// a hash.
	if original == c.original && (strings.HasSuffix(f.File, ".java") || strings.HasSuffix(f.File, ".kt")) {
		return f.File
	}
	return ""
}
