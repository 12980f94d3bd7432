package syntaxtree

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// A Language is a language that can be parsed.
type Language uint8

// The languages.
const (
	Java Language = iota
	Kotlin
)

const (
	// baseTime and timePerByte limit the time for parsing a file. Usual source code needs a fifth
	// of it. On other text, the parser's error recovery may take far longer.
	baseTime    = 4 * time.Second
	timePerByte = 4 * time.Microsecond
)

// ErrTimeout is returned for a file whose parsing exceeds the time limit.
var ErrTimeout = errors.New("parsing takes too long")

// A Parser parses one file at a time. It holds memory until Close. It is not safe for concurrent
// use.
type Parser struct {
	// module returns the module that the parser runs.
	module func() (*module, error)
	// instance is nil before the first file, and after a crash.
	instance *instance
	nodes    []node
	clean    []byte
}

// NewParser returns a parser for Java and Kotlin.
func NewParser() *Parser { return &Parser{module: shared} }

// Close frees the parser's memory, including the trees of its buffers. The parser can be used again
// afterwards.
func (p *Parser) Close() {
	if p.instance != nil {
		p.instance.module.put(p.instance)
	}
	p.instance = nil
}

// Large reports whether earlier files made the parser's memory so large that it should not be kept
// for other files. Only Close shrinks it.
func (p *Parser) Large() bool { return p.instance != nil && p.instance.large() }

// Parse returns the tree of a file. It is valid until the parser is used again. Syntax errors are
// part of the tree. Parse fails if the file is too large, if parsing takes too much time or memory,
// or if the context is cancelled.
func (p *Parser) Parse(ctx context.Context, lang Language, source []byte) (*Tree, error) {
	tree, held, err := p.parse(ctx, lang, source, 0)
	if err == nil {
		p.instance.forget(held)
	}
	return tree, err
}

// parse parses a source. To save time, earlier may be the tree of nearly the same source, in the
// memory of the parser's instance; otherwise it is 0. The returned tree is in the same memory until
// the caller forgets it.
func (p *Parser) parse(ctx context.Context, lang Language, source []byte, earlier uint32) (*Tree, uint32, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if uint64(len(source)) > math.MaxInt32 {
		return nil, 0, fmt.Errorf("%d bytes are too many to parse", len(source))
	}
	if err := p.start(); err != nil {
		return nil, 0, err
	}
	p.clean = clean(p.clean[:0], lang, source)
	limited, cancel := context.WithTimeout(ctx, baseTime+time.Duration(len(source))*timePerByte)
	defer cancel()
	nodes, hasError, held, err := p.instance.parse(limited, p.nodes[:0], lang, p.clean, earlier)
	p.nodes = nodes
	if err != nil {
		return nil, 0, err
	}
	if held == 0 {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		return nil, 0, ErrTimeout
	}
	return &Tree{Source: source, HasError: hasError, grammar: p.instance.module.grammars[lang], nodes: p.nodes}, held, nil
}

// start makes sure that the parser has a working instance. It replaces a large instance that holds
// no trees.
func (p *Parser) start() error {
	if i := p.instance; i != nil && !i.broken && (i.trees > 0 || !i.large()) {
		return nil
	}
	p.Close()
	m, err := p.module()
	if err != nil {
		return err
	}
	p.instance, err = m.take()
	return err
}

// A Buffer keeps the tree of a file that is being edited, which makes parsing it after a small edit
// fast. It must be used with the parser that last parsed it.
//
// Equal texts always have equal trees. Without syntax errors, the tree depends only on the text.
// With syntax errors, the parser's recovery would depend on the earlier text, so a text with errors
// is parsed from scratch.
type Buffer struct {
	lang Language
	// source is the cleaned text that was last parsed. tree is its tree, in the memory of instance.
	// If there is no tree, instance is nil.
	instance *instance
	tree     uint32
	source   []byte
}

// NewBuffer returns an empty buffer. Close frees its tree.
func NewBuffer(lang Language) *Buffer { return &Buffer{lang: lang} }

// Close frees the buffer's tree. The buffer is then empty.
func (b *Buffer) Close() {
	if b.instance != nil {
		b.instance.forget(b.tree)
	}
	b.instance, b.source = nil, nil
}

// ParseBuffer returns the tree of a buffer's new text. It is otherwise like Parse.
func (p *Parser) ParseBuffer(ctx context.Context, b *Buffer, source []byte) (*Tree, error) {
	earlier := uint32(0)
	if b.instance != nil && b.instance == p.instance && !b.instance.broken {
		// The parser sees cleaned texts, so the edit is the difference between cleaned texts.
		if err := b.instance.edit(b.tree, difference(b.source, clean(nil, b.lang, source))); err == nil {
			earlier = b.tree
		}
	}
	tree, held, err := p.parse(ctx, b.lang, source, earlier)
	if err == nil && tree.HasError && earlier != 0 {
		p.instance.forget(held)
		tree, held, err = p.parse(ctx, b.lang, source, 0)
	}
	b.Close()
	if err != nil {
		return nil, err
	}
	b.instance, b.tree, b.source = p.instance, held, append([]byte(nil), p.clean...)
	return tree, nil
}

// A replacement replaces the text from start to oldEnd by a text that ends at newEnd.
type replacement struct{ start, oldEnd, newEnd position }

// A position is a position in a text. Column counts bytes.
type position struct{ offset, row, column int }

// difference returns the single replacement that turns one text into the other.
func difference(from, to []byte) replacement {
	limit := min(len(from), len(to))
	start := 0
	for start < limit && from[start] == to[start] {
		start++
	}
	tail := 0
	for tail < limit-start && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	at := func(text []byte, offset int) position {
		p := position{offset: offset}
		for _, b := range text[:offset] {
			if p.column++; b == '\n' {
				p.row, p.column = p.row+1, 0
			}
		}
		return p
	}
	return replacement{start: at(from, start), oldEnd: at(from, len(from)-tail), newEnd: at(to, len(to)-tail)}
}
