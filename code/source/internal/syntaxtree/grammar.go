package syntaxtree

// #include "guard.h"
import "C"

import "sync"

// A grammar is the table of a language's names.
type grammar struct {
	c      *C.TSLanguage
	kinds  []string
	fields []string
	// skip marks the kinds of nodes that flat trees leave out: comments, and
	// punctuation that the tree's shape makes redundant.
	skip []uint8
}

// grammars returns the grammars by Language. They are made once: reading names
// through C costs more than parsing a small file.
var grammars = sync.OnceValue(func() [2]*grammar {
	return [2]*grammar{Java: newGrammar(C.tree_sitter_java()), Kotlin: newGrammar(C.diffprof_kotlin())}
})

// newGrammar returns nil if there is no such grammar.
func newGrammar(c *C.TSLanguage) *grammar {
	if c == nil {
		return nil
	}
	g := &grammar{c: c, fields: []string{""}}
	// Equal names share memory, so that comparing kinds compares pointers first.
	known := map[string]string{}
	for i := range C.ts_language_symbol_count(c) {
		name := C.GoString(C.ts_language_symbol_name(c, C.TSSymbol(i)))
		if known[name] == "" {
			known[name] = name
		}
		g.kinds = append(g.kinds, known[name])
		var skip uint8
		switch name {
		case "(", ")", "{", "}", ",", ";", "comment", "line_comment", "block_comment", "multiline_comment":
			skip = 1
		}
		g.skip = append(g.skip, skip)
	}
	for i := C.uint32_t(1); i <= C.ts_language_field_count(c); i++ {
		g.fields = append(g.fields, C.GoString(C.ts_language_field_name_for_id(c, C.uint16_t(i))))
	}
	return g
}
