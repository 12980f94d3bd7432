// Package mapping reads the mapping files of R8 and ProGuard and gives obfuscated
// names their originals back.
//
// # The format
//
// A class line is followed by the lines of its members, and either by comments
// of its own; R8 puts JSON into some of those:
//
//	original.Class -> a.b:
//	# {"id":"sourceFile","fileName":"Class.kt"}
//	    int field -> a
//	    3:7:void inlined(int):41:45 -> b
//	    3:7:void original.Other.caller():12 -> b
//	      # {"id":"com.android.tools.r8.residualsignature","signature":"()V"}
//
// The first two numbers are a range of line numbers in the obfuscated method,
// the last two those of the original; ranges are closed, and any may be missing.
// Neighbouring lines with the same obfuscated name and range are one chain of
// inlined calls, the innermost first; the last is the method that exists in the
// obfuscated program. (Not so after a line without original lines: ProGuard
// writes those for whole methods, and two that share a source line look alike.) A method name may carry the class it was declared in.
// Lines of fields are read over.
//
// # What a trace's method stands for
//
// A method trace names methods, not executing lines: with the class, the name and
// the descriptor comes at most the method's first line. The method that ran is
// the outermost of a chain, so [Map.Retrace]'s first frame is the answer for a
// trace of method entries. What follows it was inlined at that line; a sampled
// stack, whose lines are those executing, wants the whole chain.
//
// Several originals may share an obfuscated name. They are told apart by
// descriptor first, with the types in it mapped back (or by R8's residual
// signature, where it changed more than names), then by line. What is still left
// is ambiguous: the first in the file is returned, and said to be.
//
// R8's rewriteFrame and outlineCallsite comments are about stack traces of
// exceptions and the lines executing in them, and so are of no use here. A method
// marked as synthesized or as an outline has no source of its own; its frames say
// so ([Frame]).
//
// # Bad input
//
// A line that is none of the above is passed over and counted ([Map.Skipped]):
// one odd line does not make the rest useless. A file without any class line is
// no mapping file, which is an error. Memory grows with the number of method
// lines, about 50 bytes each, and with the different names among them.
//
// A [Map] is immutable and safe for concurrent use.
//
// Sources: the ProGuard manual's page on retrace and R8's document on its
// additions to the format, both public.
package mapping

import (
	"slices"
	"strings"
)

// A Frame is a method, and a place in it.
type Frame struct {
	// Class is the method's class, with dots and '$': a.b.C$D.
	Class string
	// Method is its name alone, <init> and <clinit> included.
	Method string
	// Descriptor is its JVM descriptor, (I)Ljava/lang/String;, or empty where it
	// is not known.
	Descriptor string
	// File is the source file's name, without folders; empty where not known.
	File string
	// Line counts from 1; 0 where not known.
	Line int
	// Synthesized says that the compiler made the method, or its class: it has no
	// source of its own. Set by Retrace, and read by none.
	Synthesized bool
}

// A Map is one mapping file. Make one with [Read].
type Map struct {
	// text holds every name once; the numbers below are indexes into it. Entry 0
	// is the empty string, for what a line does not say.
	text    []string
	classes map[string]*class // By obfuscated name.
	files   map[string]string // Source files, by original class.
	methods []method          // A class's lie together, sorted by obfuscated name.
	skipped int
	oddity  error
}

// A class is one class line.
type class struct {
	original    string
	synthesized bool
	first, end  int // Its part of Map.methods.
}

// A method is one method line.
type method struct {
	name             uint32 // Obfuscated.
	class            uint32 // Original, where the line names one.
	method           uint32 // Original.
	result, params   uint32 // Original types as Java writes them; params with commas.
	residual         uint32 // Obfuscated descriptor, where R8 gave one.
	start, end       int32  // Obfuscated lines; noRange where the line has none.
	original, toLine int32  // Original lines; noRange where the line has none.
	flags            flags
}

const noRange = -1

type flags uint8

const (
	// continued marks a line whose caller is the line after it.
	continued flags = 1 << iota
	synthesized
)

// Skipped returns how many lines could not be understood, and the first of them
// as an error that says its number and what is wrong; nil where there is none.
func (m *Map) Skipped() (lines int, first error) { return m.skipped, m.oddity }

// Class returns the original of an obfuscated class name, or the name itself
// where the file does not list it. Both have dots. The class of an array's
// elements is not looked for.
func (m *Map) Class(obfuscated string) string {
	if c := m.classes[obfuscated]; c != nil {
		return c.original
	}
	return obfuscated
}

// Retrace returns the original of f: the method that exists in the program
// first, then what was inlined into it at f.Line, innermost last. Without a line,
// or with one that the file does not list, there is one frame, and its line is
// the method's first that the file knows. See the package comment on what a
// trace's methods stand for.
//
// Where the file does not list f's class or method, the result is f with its
// class and the types in its descriptor mapped back. ambiguous says that more
// than one original fits; the first in the file is returned.
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

// withoutLine retraces f to the outermost method of the chains, whatever their
// lines.
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
		// A method whose lines nothing renumbered has none in the file.
		frame.Line = max(f.Line, 0)
	}
	return []Frame{frame}, ambiguous
}

// chains returns what the file lists for an obfuscated method name of c, in the
// file's order, each with the innermost line first.
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

// narrow keeps the chains of the given descriptor, which comes as the trace has
// it and with its types mapped back. Where no chain has it the descriptor says
// nothing (an optimizer may change one without a note), and all are kept.
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

// identity is e without all but what names the original method.
func (e method) identity() method {
	return method{class: e.class, method: e.method, result: e.result, params: e.params}
}

func sameMethod(a, b method) bool { return a.identity() == b.identity() }

// sameFrames says whether two chains stand for the same methods.
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

// originalLine maps an obfuscated line that e's range holds; 0 where e does not
// say. Ranges of equal length map line by line, all else to the original's first
// line: what is more precise the file does not tell.
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
	// The trace's own file name serves where it belongs to this class and is one:
	// obfuscators write SourceFile, PG or a hash in its place.
	if original == c.original && (strings.HasSuffix(f.File, ".java") || strings.HasSuffix(f.File, ".kt")) {
		return f.File
	}
	return ""
}
