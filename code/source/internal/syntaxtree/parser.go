package syntaxtree

// #include <stdlib.h>
// #include "flatten.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	// These modules hold the C sources of tree-sitter and of the two grammars.
	_ "github.com/smacker/go-tree-sitter"
	_ "github.com/smacker/go-tree-sitter/java"
	_ "github.com/smacker/go-tree-sitter/kotlin"
)

// A Language is a language that can be parsed.
type Language uint8

// The languages.
const (
	Java Language = iota
	Kotlin
)

const (
	// maxDepth bounds the depth of a flat tree, so that recursion over it needs a
	// bounded stack. Each link of a chain of calls or of a sum nests one or two levels,
	// and people do not write thousands of links.
	maxDepth = 6000
	// baseTime and timePerByte bound the time for one file. Source code takes a tenth
	// of it. On other text the parser's error recovery can take far longer.
	baseTime    = 1500 * time.Millisecond
	timePerByte = 1500 * time.Nanosecond
)

// ErrTimeout is returned for a file that takes too long to parse.
var ErrTimeout = errors.New("parsing takes too long")

// A Parser parses one file at a time. It holds memory outside Go's heap until
// Close. A Parser is for one goroutine at a time.
type Parser struct {
	c *C.TSParser
	// flag stops the parser if it is not 0. It lies in C's memory, since the parser
	// keeps its address.
	flag  *C.size_t
	nodes []node
	clean []byte
}

// NewParser returns a parser for both languages.
func NewParser() *Parser {
	p := &Parser{c: C.ts_parser_new(), flag: (*C.size_t)(C.calloc(1, C.sizeof_size_t))}
	C.ts_parser_set_cancellation_flag(p.c, p.flag)
	return p
}

// Close frees the parser. It must not be used afterwards.
func (p *Parser) Close() {
	C.ts_parser_delete(p.c)
	C.free(unsafe.Pointer(p.flag))
	p.c, p.flag = nil, nil
}

// Parse returns the tree of a file. It is valid until the parser's next call.
// Syntax errors are part of the tree; the error tells of a file that is too
// large or takes too long, or of a cancelled context.
func (p *Parser) Parse(ctx context.Context, lang Language, source []byte) (*Tree, error) {
	tree, c, err := p.parse(ctx, lang, source, nil)
	if c != nil {
		C.ts_tree_delete(c)
	}
	return tree, err
}

// parse parses. An earlier tree of nearly the same source saves time. The caller owns
// the returned C tree.
func (p *Parser) parse(ctx context.Context, lang Language, source []byte, old *C.TSTree) (*Tree, *C.TSTree, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if uint64(len(source)) > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%d bytes are too many to parse", len(source))
	}
	g := grammars()[lang]
	if g == nil {
		return nil, nil, errors.New("the grammar is not the one that its guard was written for")
	}
	atomic.StoreUintptr((*uintptr)(unsafe.Pointer(p.flag)), 0)
	flagged := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		atomic.StoreUintptr((*uintptr)(unsafe.Pointer(p.flag)), 1)
		close(flagged)
	})
	p.clean = clean(p.clean[:0], lang, source)
	C.ts_parser_set_language(p.c, g.c)
	limit := baseTime + time.Duration(len(source))*timePerByte
	C.ts_parser_set_timeout_micros(p.c, C.uint64_t(limit.Microseconds()))
	c := C.ts_parser_parse_string(p.c, old, (*C.char)(unsafe.Pointer(unsafe.SliceData(p.clean))), C.uint32_t(len(p.clean)))
	if !stop() {
		// Wait for the goroutine that sets the flag, since Close frees the flag.
		<-flagged
	}
	if c == nil {
		C.ts_parser_reset(p.c)
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		return nil, nil, ErrTimeout
	}
	flat := C.diffprof_flatten(c, (*C.uint8_t)(unsafe.SliceData(g.skip)), C.uint32_t(len(g.skip)), maxDepth)
	defer C.free(unsafe.Pointer(flat.nodes))
	if flat.out_of_memory {
		C.ts_tree_delete(c)
		return nil, nil, errors.New("out of memory while parsing")
	}
	p.nodes = append(p.nodes[:0], unsafe.Slice((*node)(unsafe.Pointer(flat.nodes)), int(flat.count))...)
	return &Tree{Source: source, HasError: bool(flat.has_error), grammar: g, nodes: p.nodes}, c, nil
}

// A Buffer keeps the tree of a file that is being edited, so that a small edit
// costs little.
//
// After an edit, the tree of a text without errors depends on the text alone. If the
// text has syntax errors, the parser's recovery depends on the earlier text. So such a
// text is parsed from the start, and equal texts always have equal trees.
type Buffer struct {
	lang   Language
	c      *C.TSTree
	source []byte
}

// NewBuffer returns an empty buffer. Close frees what it holds.
func NewBuffer(lang Language) *Buffer { return &Buffer{lang: lang} }

// Close frees the buffer's tree. The buffer is then empty.
func (b *Buffer) Close() {
	if b.c != nil {
		C.ts_tree_delete(b.c)
	}
	b.c, b.source = nil, nil
}

// ParseBuffer returns the tree of the buffer's new text, as Parse does.
func (p *Parser) ParseBuffer(ctx context.Context, b *Buffer, source []byte) (*Tree, error) {
	if b.c != nil {
		// The parser sees cleaned texts, so the edit is between these.
		cleaned := clean(nil, b.lang, source)
		C.ts_tree_edit(b.c, edit(b.source, cleaned))
	}
	tree, c, err := p.parse(ctx, b.lang, source, b.c)
	if err == nil && tree.HasError && b.c != nil {
		C.ts_tree_delete(c)
		tree, c, err = p.parse(ctx, b.lang, source, nil)
	}
	b.Close()
	if err != nil {
		return nil, err
	}
	b.c, b.source = c, append([]byte(nil), p.clean...)
	return tree, nil
}

// edit describes the difference of two texts as one replacement.
func edit(from, to []byte) *C.TSInputEdit {
	limit := min(len(from), len(to))
	start := 0
	for start < limit && from[start] == to[start] {
		start++
	}
	tail := 0
	for tail < limit-start && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	fromEnd, toEnd := len(from)-tail, len(to)-tail
	point := func(text []byte, at int) C.TSPoint {
		row, column := 0, 0
		for _, b := range text[:at] {
			if column++; b == '\n' {
				row, column = row+1, 0
			}
		}
		return C.TSPoint{row: C.uint32_t(row), column: C.uint32_t(column)}
	}
	return &C.TSInputEdit{
		start_byte: C.uint32_t(start), old_end_byte: C.uint32_t(fromEnd), new_end_byte: C.uint32_t(toEnd),
		start_point: point(from, start), old_end_point: point(from, fromEnd), new_end_point: point(to, toEnd),
	}
}
