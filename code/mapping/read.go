package mapping

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxLine is the maximum length of a line in bytes. The line of a member has only a few class
// names. Longer lines are skipped without being stored.
const maxLine = 1 << 20

var (
	errNoClass = errors.New("not a mapping file: no line has the form \"original.Class -> a.b:\"")
	errBinary  = errors.New("not a mapping file: it is binary")
	errOdd     = errors.New("neither a class nor a member nor a comment")
	errOrphan  = errors.New("a member before any class")
	errNumber  = errors.New("not a line number")
	errLong    = fmt.Errorf("a line of more than %d bytes", maxLine)
	errJSON    = errors.New("a comment with damaged JSON")
	errEmpty   = errors.New("an empty name")
	errRepeats = errors.New("a class name that an earlier line maps to another class")
)

// Read reads a mapping file. It fails if src fails; the error has the line number. It also fails if
// the file has no line for a class. Malformed lines are skipped. See [Map.Skipped].
func Read(src io.Reader) (*Map, error) {
	p := parser{
		m: &Map{
			text:    []string{""},
			classes: make(map[string]*class),
			files:   make(map[string]string),
		},
		ids: map[string]uint32{"": 0},
	}
	r := bufio.NewReaderSize(src, 64<<10)
	// The rest of the input may be binary data, with a line that does not end.
	if _, err := r.Peek(1); err == nil {
		if head, _ := r.Peek(r.Buffered()); bytes.IndexByte(head, 0) >= 0 {
			return nil, fmt.Errorf("reading mapping: line 1: %w", errBinary)
		}
	}
	var long []byte
	for {
		line, err := r.ReadSlice('\n')
		if len(long) > 0 || err == bufio.ErrBufferFull {
			if len(long) <= maxLine {
				long = append(long, line...)
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			line = long
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("reading mapping: line %d: %w", p.line+1, err)
		}
		if len(line) > 0 {
			p.line++
			if p.line == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			p.odd(p.parse(line))
			long = long[:0]
		}
		if err == io.EOF {
			break
		}
	}
	p.closeClass()
	if len(p.m.classes) == 0 {
		return nil, fmt.Errorf("reading mapping: line %d: %w", max(p.line, 1), errNoClass)
	}
	return p.m, nil
}

// A parser has the state of reading between two lines.
type parser struct {
	m    *Map
	ids  map[string]uint32
	line int

	current *class
	// last is the index of the method line to which a comment refers. It is -1 after a class line
	// or a field.
	last    int
	inClass bool // Whether a comment refers to the class, because no member has followed the class line yet.
}

func (p *parser) odd(err error) {
	if err == nil {
		return
	}
	p.m.skipped++
	if p.m.oddity == nil {
		p.m.oddity = fmt.Errorf("line %d: %w", p.line, err)
	}
}

// intern returns the index of a name in Map.text.
func (p *parser) intern(name []byte) uint32 {
	if id, ok := p.ids[string(name)]; ok {
		return id
	}
	id := uint32(len(p.m.text))
	text := string(name)
	p.ids[text] = id
	p.m.text = append(p.m.text, text)
	return id
}

func (p *parser) parse(line []byte) error {
	if len(line) > maxLine {
		return errLong
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if line[0] == '#' {
		return p.comment(bytes.TrimSpace(line[1:]))
	}
	arrow := bytes.LastIndex(line, []byte(" -> "))
	if arrow < 0 {
		return errOdd
	}
	left, right := bytes.TrimSpace(line[:arrow]), bytes.TrimSpace(line[arrow+4:])
	if name, ok := bytes.CutSuffix(right, []byte(":")); ok {
		return p.class(left, name)
	}
	return p.member(left, right)
}

func (p *parser) class(original, obfuscated []byte) error {
	p.closeClass()
	if len(original) == 0 || len(obfuscated) == 0 {
		return errEmpty
	}
	if p.m.classes[string(obfuscated)] != nil {
		return errRepeats
	}
	p.current = &class{original: p.m.text[p.intern(original)], first: len(p.m.methods)}
	p.m.classes[p.m.text[p.intern(obfuscated)]] = p.current
	p.last, p.inClass = -1, true
	return nil
}

// closeClass ends the current class. It sorts the method lines by name, for searching. Lines with
// equal names keep their order, which matters. R8 writes a method's comments only at one of the
// method's lines, so closeClass copies them to the others.
func (p *parser) closeClass() {
	if p.current == nil {
		return
	}
	p.current.end = len(p.m.methods)
	methods := p.m.methods[p.current.first:]
	slices.SortStableFunc(methods, func(a, b method) int {
		return strings.Compare(p.m.text[a.name], p.m.text[b.name])
	})
	p.current = nil

	for rest := methods; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].name == rest[0].name {
			n++
		}
		spread(rest[:n])
		rest = rest[n:]
	}
}

// spread copies R8's comments to all lines of the same original method. All lines have the same
// obfuscated name. Lines of inlined calls do not take part.
func spread(same []method) {
	var notes map[method]method
	for _, e := range same {
		if e.flags&continued == 0 && (e.residual != 0 || e.flags&synthesized != 0) {
			if notes == nil {
				notes = make(map[method]method)
			}
			note := notes[e.identity()]
			note.flags |= e.flags & synthesized
			if note.residual == 0 {
				note.residual = e.residual
			}
			notes[e.identity()] = note
		}
	}
	for i := range same {
		if e := &same[i]; notes != nil && e.flags&continued == 0 {
			note := notes[e.identity()]
			e.flags |= note.flags
			if e.residual == 0 {
				e.residual = note.residual
			}
		}
	}
}

// member reads "[start:end:]type name(params)[:line[:line]]" for a method, or "type name" for a
// field.
func (p *parser) member(left, name []byte) error {
	if p.current == nil {
		return errOrphan
	}
	p.inClass = false
	previous := p.last
	p.last = -1
	e := method{start: noRange, end: noRange, original: noRange, toLine: noRange}

	var err error
	if left[0] >= '0' && left[0] <= '9' {
		if e.start, left, err = number(left); err != nil {
			return err
		}
		if e.end, left, err = number(left); err != nil {
			return err
		}
		if e.end < e.start {
			return errNumber
		}
	}
	result, signature, ok := bytes.Cut(left, []byte(" "))
	if !ok || len(result) == 0 || len(name) == 0 {
		return errOdd
	}
	open, closing := bytes.LastIndexByte(signature, '('), bytes.LastIndexByte(signature, ')')
	if open < 0 && closing < 0 {
		return nil // This is a field.
	}
	if open <= 0 || closing < open {
		return errOdd
	}
	if lines := signature[closing+1:]; len(lines) > 0 {
		if e.original, e.toLine, err = originalRange(lines); err != nil {
			return err
		}
	}
	full := bytes.TrimSpace(signature[:open])
	if dot := bytes.LastIndexByte(full, '.'); dot >= 0 {
		e.class = p.intern(full[:dot])
		full = full[dot+1:]
	}
	if len(full) == 0 {
		return errEmpty
	}
	e.name, e.method = p.intern(name), p.intern(full)
	e.result, e.params = p.intern(result), p.intern(signature[open+1:closing])

	if previous >= 0 && e.start != noRange {
		inner := &p.m.methods[previous]
		if inner.name == e.name && inner.start == e.start && inner.end == e.end && inner.original != noRange {
			inner.flags |= continued
			// R8 may write a residual signature at any line of the chain. It is stored at the
			// outermost line.
			e.residual = inner.residual
		}
	}
	p.last = len(p.m.methods)
	p.m.methods = append(p.m.methods, e)
	return nil
}

// number reads the digits before a colon.
func number(b []byte) (n int32, rest []byte, err error) {
	digits, rest, ok := bytes.Cut(b, []byte(":"))
	if !ok {
		return 0, nil, errNumber
	}
	n, err = lineNumber(digits)
	return n, rest, err
}

func lineNumber(digits []byte) (int32, error) {
	n, err := strconv.ParseUint(string(digits), 10, 32)
	if err != nil || n > math.MaxInt32 {
		return 0, errNumber
	}
	return int32(n), nil
}

// originalRange reads ":line" or ":line:line".
func originalRange(b []byte) (from, to int32, err error) {
	if b[0] != ':' {
		return 0, 0, errOdd
	}
	first, second, two := bytes.Cut(b[1:], []byte(":"))
	if from, err = lineNumber(first); err != nil || !two {
		return from, from, err
	}
	to, err = lineNumber(second)
	return from, to, err
}

// comment reads a comment if it is JSON from R8.
func (p *parser) comment(text []byte) error {
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	var note struct{ ID, FileName, Signature string }
	if err := json.Unmarshal(text, &note); err != nil {
		return errJSON
	}
	if p.current == nil {
		return nil // The comment has the version of the file.
	}
	switch note.ID {
	case "sourceFile":
		// Generated classes name a file that does not exist.
		if note.FileName != "" && note.FileName != "R8$$SyntheticClass" {
			p.m.files[p.current.original] = note.FileName
		}
	case "com.android.tools.r8.synthesized", "com.android.tools.r8.outline":
		if p.inClass {
			p.current.synthesized = true
		} else if p.last >= 0 {
			p.m.methods[p.last].flags |= synthesized
		}
	case "com.android.tools.r8.residualsignature":
		if p.last >= 0 {
			p.m.methods[p.last].residual = p.intern([]byte(note.Signature))
		}
	}
	return nil
}
