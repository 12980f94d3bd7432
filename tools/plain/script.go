package main

import (
	"bytes"
	"strings"
)

// A syntax is how comments and strings are written in a language.
type syntax struct {
	comment     string // begins a comment up to the end of the line
	open, close string // enclose a comment of several lines, empty if the language has none
	quotes      string
	regexps     bool // a slash may begin a regular expression
	markup      bool // text between tags is a sentence
	strings     bool // strings are sentences for users
}

var (
	scripts = syntax{comment: "//", open: "/*", close: "*/", quotes: "\"'`", regexps: true, strings: true}
	lua     = syntax{comment: "--", open: "--[[", close: "]]", quotes: `"'`, strings: true}
	json    = syntax{quotes: `"`, strings: true}
)

// A scanner reads a source from start to end.
type scanner struct {
	syntax
	source []byte
	at     int
	number int // of the line
	lines  []line
	// last is the last byte of code before at that is not white space, or 0 at the start.
	last byte
	// depths has the depth of braces within each open ${…} of a template.
	depths []int
}

// readScript returns the comments and the sentences of a source in s.
func readScript(s syntax, source []byte) []line {
	c := &scanner{syntax: s, source: source, number: 1}
	for c.at < len(c.source) {
		c.next()
	}
	return c.lines
}

func (c *scanner) next() {
	rest := c.source[c.at:]
	b := rest[0]
	switch {
	case c.open != "" && bytes.HasPrefix(rest, []byte(c.open)):
		c.block()
	case c.comment != "" && bytes.HasPrefix(rest, []byte(c.comment)):
		c.lineComment()
	case b == '\'' && c.apostrophe():
		c.skip(1)
	case strings.IndexByte(c.quotes, b) >= 0:
		c.at++
		c.quoted(b)
	case b == '/' && c.regexps && strings.IndexByte("(,=:[!&|?{};\n>\x00", c.last) >= 0:
		c.regexp()
	case b == '>' && c.markup && c.last != '=':
		c.last = b
		c.at++
		c.between()
	case b == '}' && len(c.depths) > 0 && c.depths[len(c.depths)-1] == 0:
		c.depths = c.depths[:len(c.depths)-1]
		c.at++
		c.quoted('`')
	default:
		if len(c.depths) > 0 {
			switch b {
			case '{':
				c.depths[len(c.depths)-1]++
			case '}':
				c.depths[len(c.depths)-1]--
			}
		}
		c.skip(1)
		if b != ' ' && b != '\t' && b != '\r' {
			c.last = b
		}
	}
}

// apostrophe reports whether the quote at the current position is inside a word of text between
// tags.
func (c *scanner) apostrophe() bool {
	return c.markup && c.at > 0 && c.at+1 < len(c.source) && isLetter(c.source[c.at-1]) && isLetter(c.source[c.at+1])
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// skip skips n bytes and counts their lines.
func (c *scanner) skip(n int) {
	c.number += bytes.Count(c.source[c.at:c.at+n], []byte("\n"))
	c.at += n
}

func (c *scanner) lineComment() {
	text := c.source[c.at:]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	part := prose(c.number, []string{strings.TrimPrefix(strings.TrimLeft(string(text), "/-"), " ")})
	if len(part) > 0 && len(c.lines) > 0 {
		before := c.lines[len(c.lines)-1]
		part[0].breaks = before.sentence || before.number != c.number-1 || startsItem(part[0].text)
	}
	c.lines = append(c.lines, part...)
	c.at += len(text)
}

func (c *scanner) block() {
	text := c.source[c.at:]
	if end := bytes.Index(text, []byte(c.close)); end >= 0 {
		text = text[:end+len(c.close)]
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(text), c.open), c.close), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "* \t")
	}
	c.lines = append(c.lines, prose(c.number, lines)...)
	c.skip(len(text))
}

// quoted reads a string to its end, or to the next ${ of a template.
func (c *scanner) quoted(quote byte) {
	first := c.number
	var text strings.Builder
	for c.at < len(c.source) {
		b := c.source[c.at]
		switch {
		case b == '\\' && c.at+1 < len(c.source):
			c.skip(1)
			text.WriteByte(unescape(c.source[c.at]))
			c.skip(1)
			continue
		case b == quote, b == '\n' && quote != '`':
			if b == quote {
				c.at++
			}
			c.last = quote
			c.sentence(first, text.String())
			return
		case quote == '`' && b == '$' && c.at+1 < len(c.source) && c.source[c.at+1] == '{':
			c.at += 2
			c.last = '{'
			c.depths = append(c.depths, 0)
			c.sentence(first, text.String())
			return
		}
		text.WriteByte(b)
		c.skip(1)
	}
	c.sentence(first, text.String())
}

func unescape(b byte) byte {
	if b == 'n' || b == 't' || b == 'r' {
		return ' '
	}
	return b
}

func (c *scanner) sentence(first int, text string) {
	if c.strings {
		c.lines = append(c.lines, sentences(first, text)...)
	}
}

// between reads the text after a tag, up to the next tag or brace.
func (c *scanner) between() {
	text := c.source[c.at:]
	end := bytes.IndexAny(text, "<{>=;(")
	if end < 0 || text[end] != '<' && text[end] != '{' {
		return
	}
	c.sentence(c.number, string(text[:end]))
	c.skip(end)
}

func (c *scanner) regexp() {
	class := false
	for c.at++; c.at < len(c.source); c.at++ {
		switch b := c.source[c.at]; {
		case b == '\n':
			return
		case b == '\\':
			c.at++
		case b == '[':
			class = true
		case b == ']':
			class = false
		case b == '/' && !class:
			c.at++
			c.last = '/'
			return
		}
	}
	c.at = min(c.at, len(c.source))
}

// readShell returns the comments that have lines of their own.
func readShell(source []byte) []line {
	var lines []line
	for i, text := range strings.Split(string(source), "\n") {
		text, ok := strings.CutPrefix(strings.TrimSpace(text), "#")
		if !ok || strings.HasPrefix(text, "!") {
			continue
		}
		part := prose(i+1, []string{strings.TrimPrefix(strings.TrimLeft(text, "#"), " ")})
		if len(part) > 0 && len(lines) > 0 {
			part[0].breaks = lines[len(lines)-1].number != i || startsItem(part[0].text)
		}
		lines = append(lines, part...)
	}
	return lines
}
