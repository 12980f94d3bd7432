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
	// baseTime and timePerByte bound the time for one file. Source code takes a fifth of this time.
	// On other text, the parser's error recovery may take far longer.
	baseTime    = 4 * time.Second
	timePerByte = 4 * time.Microsecond
)

// ErrTimeout is returned for a file that takes too long to parse.
var ErrTimeout = errors.New("parsing takes too long")

// A Parser parses one file at a time. It holds memory until Close. A Parser is not safe for
// concurrent use.
type Parser struct {
	// module returns the code that the parser runs.
	module func() (*module, error)
	// instance is nil before the first file, and after a crash.
	instance *instance
	nodes    []node
	clean    []byte
}

// NewParser returns a parser for both languages.
func NewParser() *Parser { return &Parser{module: shared} }

// Close frees the parser. The parser can be used again afterwards. The trees of its buffers are
// lost.
func (p *Parser) Close() {
	if p.instance != nil {
		p.instance.module.put(p.instance)
	}
	p.instance = nil
}

// Large reports whether the files so far enlarged the parser's memory too much to keep the parser
// for other files. Only Close shrinks it.
func (p *Parser) Large() bool { return p.instance != nil && p.instance.large() }

// Parse returns the tree of a file. It is valid until the parser's next call. Syntax errors are
// part of the tree. The error reports that a file is too large, that it takes too much time or
// memory, or that the context was cancelled.
func (p *Parser) Parse(ctx context.Context, lang Language, source []byte) (*Tree, error) {
	tree, held, err := p.parse(ctx, lang, source, 0)
	if err == nil {
		p.instance.forget(held)
	}
	return tree, err
}

// parse parses. An earlier tree of nearly the same source saves time. The parser's instance must
// hold it. It is 0 if there is none. The instance holds the returned tree until the caller forgets
// it.
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

// start takes a new instance if the parser has no working one. It also does so if the parser's
// instance is large and has no trees.
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

// A Buffer keeps the tree of a file that is being edited. A small edit then costs little. It must
// be used together with the parser that last parsed it.
//
// After an edit, the tree of a text without errors depends only on the text. If the text has syntax
// errors, the parser's recovery depends on the earlier text. A text with errors is therefore parsed
// from the start. Equal texts then always have equal trees.
type Buffer struct {
	lang Language
	// instance holds the tree of source, the cleaned text. It is nil if there is none.
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

// ParseBuffer returns the tree of the new text of a buffer, in the same way as Parse.
func (p *Parser) ParseBuffer(ctx context.Context, b *Buffer, source []byte) (*Tree, error) {
	earlier := uint32(0)
	if b.instance != nil && b.instance == p.instance && !b.instance.broken {
		// The parser sees cleaned texts, so the edit is the difference between these.
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

// A replacement replaces a part of a text by another text.
type replacement struct{ start, oldEnd, newEnd position }

// A position is a position in a text. Column counts bytes.
type position struct{ offset, row, column int }

// difference describes the difference of two texts as one replacement.
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
