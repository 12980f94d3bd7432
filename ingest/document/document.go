// Package document reads JSON as a stream. All formats that are JSON use it.
//
// A [Reader] walks a document in the order of its text, and stores nothing that it has passed. A
// document of any size therefore needs memory only for its longest text, which is at most
// [MaxText]. The parser limits the nesting of values to 10,000 levels.
//
// Profilers' JSON is often invalid, so the Reader is lenient. Names in an object may be duplicates,
// and texts may contain bytes that are not UTF-8. A null value reads as an empty object, an empty
// array, an empty text or the number 0. A number may be written as a text.
//
// A Reader must not be used concurrently. Its errors have no position; [Reader.Offset] returns it.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/diffprof/diffprof/units"
)

// MaxText is the largest size of a text in bytes, and of a value that [Reader.Raw] returns.
const MaxText = 64 << 20

// MaxName is the largest size of a text that [Reader.Name] returns, in bytes. MaxNames is the
// largest total size of such texts.
const (
	MaxName  = 64 << 10
	MaxNames = 256 << 20
)

// ErrCut reports that a document ends before it is complete.
var ErrCut = errors.New("the file ends in the middle")

// A Reader reads one document.
type Reader struct {
	dec  *jsontext.Decoder
	from *bounded
	text []byte
	// named is the number of bytes that Name has returned so far.
	named int
}

// NewReader returns a reader of the document in r.
func NewReader(r io.Reader) *Reader {
	from := &bounded{r: r}
	d := &Reader{from: from}
	d.dec = jsontext.NewDecoder(from, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	from.dec = d.dec
	return d
}

// NewLoose returns a reader that accepts lists with a comma at the end, as in [1,2,].
func NewLoose(r io.Reader) *Reader { return NewReader(&commas{r: r}) }

// A bounded reader fails if a value of the document is too long.
type bounded struct {
	r     io.Reader
	dec   *jsontext.Decoder
	given int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.given-b.dec.InputOffset() > MaxText {
		return 0, fmt.Errorf("a text or a value has more than %d MiB", MaxText>>20)
	}
	n, err := b.r.Read(p)
	b.given += int64(n)
	return n, err
}

// Offset returns the number of bytes read.
func (d *Reader) Offset() int64 { return d.dec.InputOffset() }

// Members calls a function with the name of every member of an object. The function must read the
// member's value, and must not keep the name.
func (d *Reader) Members(each func(name []byte) error) error {
	inside, err := d.enter('{', "an object")
	if err != nil || !inside {
		return err
	}
	var name []byte
	for d.dec.PeekKind() != '}' {
		quoted, err := d.dec.ReadValue()
		if err != nil {
			return cause(err)
		}
		if name, err = unquote(name[:0], quoted); err != nil {
			return err
		}
		if err := each(name); err != nil {
			return err
		}
	}
	_, err = d.dec.ReadToken()
	return cause(err)
}

// Elements calls a function for every element of an array. The function must read the element.
func (d *Reader) Elements(each func() error) error {
	inside, err := d.enter('[', "an array")
	if err != nil || !inside {
		return err
	}
	for d.dec.PeekKind() != ']' {
		if d.dec.PeekKind() == jsontext.KindInvalid {
			_, err := d.dec.ReadToken()
			return cause(err)
		}
		if err := each(); err != nil {
			return err
		}
	}
	_, err = d.dec.ReadToken()
	return cause(err)
}

// enter reads the start of an object or an array. It returns false if the value is null.
func (d *Reader) enter(kind jsontext.Kind, what string) (inside bool, err error) {
	token, err := d.dec.ReadToken()
	switch {
	case err != nil:
		return false, cause(err)
	case token.Kind() == 'n':
		return false, nil
	case token.Kind() != kind:
		return false, fmt.Errorf("%s where %s should be", describe(token.Kind()), what)
	}
	return true, nil
}

// Is reports whether the next value has the given kind. The kind is the first character of the
// value's JSON: '{', '[', '"', 't', 'f' or 'n'. All numbers have the kind '0'.
func (d *Reader) Is(kind byte) bool { return d.dec.PeekKind() == jsontext.Kind(kind) }

// Text reads a text, or the digits of a number. The bytes are valid until the next value is
// read.
func (d *Reader) Text() ([]byte, error) { return d.scalar("a text") }

// scalar reads a text or a number. what names it in errors.
func (d *Reader) scalar(what string) ([]byte, error) {
	value, err := d.dec.ReadValue()
	if err != nil {
		return nil, cause(err)
	}
	switch value.Kind() {
	case 'n':
		return nil, nil
	case '0':
		return value, nil
	case '"':
		d.text, err = unquote(d.text[:0], value)
		return d.text, err
	}
	return nil, fmt.Errorf("%s where %s should be", describe(value.Kind()), what)
}

// Name reads a text and returns it as a string, such as a thread's name. Bytes that are not UTF-8
// become the replacement character.
func (d *Reader) Name() (string, error) {
	text, err := d.Text()
	switch {
	case err != nil:
		return "", err
	case len(text) > MaxName:
		return "", fmt.Errorf("a name has more than %d KiB", MaxName>>10)
	case d.named > MaxNames:
		return "", fmt.Errorf("the names have more than %d MiB", MaxNames>>20)
	}
	d.named += len(text)
	if utf8.Valid(text) {
		return string(text), nil
	}
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), nil
}

// Raw reads a value of any kind, and returns its JSON. The JSON is valid until the next value is
// read.
func (d *Reader) Raw() ([]byte, error) {
	value, err := d.dec.ReadValue()
	if err == nil && len(value) > MaxText {
		return nil, fmt.Errorf("a value has more than %d MiB", MaxText>>20)
	}
	return value, cause(err)
}

// Skip skips a value.
func (d *Reader) Skip() error { return cause(d.dec.SkipValue()) }

// True reads a value and reports whether it is true.
func (d *Reader) True() (bool, error) {
	value, err := d.dec.ReadValue()
	return err == nil && value.Kind() == 't', cause(err)
}

// Int reads a whole number.
func (d *Reader) Int() (int64, error) { return d.Scaled(1, 1) }

// Scaled reads a number and multiplies it by num/den. It rounds the exact product to the nearest
// integer, with ties to even.
func (d *Reader) Scaled(num, den int64) (int64, error) {
	text, err := d.scalar("a number")
	if err != nil || len(text) == 0 {
		return 0, err
	}
	digits, negative := bytes.CutPrefix(text, []byte{'-'})
	n, err := units.Decimal(digits, num, den)
	if err != nil {
		return 0, fmt.Errorf("the number %.40q %w", text, err)
	}
	if negative {
		n = -n
	}
	return n, nil
}

// Index reads an index into a table. For null or an invalid index it returns -1.
func (d *Reader) Index() (int32, error) {
	if d.Is('n') {
		return -1, d.Skip()
	}
	n, err := d.Int()
	if err != nil || n < 0 || n > math.MaxInt32 {
		return -1, err
	}
	return int32(n), nil
}

// unquote appends the text that a JSON string represents.
func unquote(to []byte, quoted []byte) ([]byte, error) {
	// Most texts have no escapes.
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return append(to, inner...), nil
	}
	text, err := jsontext.AppendUnquote(to, quoted)
	var syntactic *jsontext.SyntacticError
	if err != nil && !errors.As(err, &syntactic) {
		return to, err
	}
	return text, nil
}

// cause removes the position and the parser's name from an error of the parser.
func cause(err error) error {
	var syntactic *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return ErrCut
	case errors.As(err, &syntactic) && syntactic.Err != nil:
		return fmt.Errorf("not JSON: %w", syntactic.Err)
	}
	return err
}

func describe(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// A commas reader replaces a comma before the end of a list or an object with a space.
type commas struct {
	r io.Reader
	// quoted is set within a string, and escaped after a backslash within a string.
	quoted, escaped bool
	// held is a comma and the spaces after it, until the next byte shows whether to replace the
	// comma.
	held []byte
	// ready has the bytes to return next. err is the error to return after them.
	ready []byte
	err   error
	buf   [1 << 15]byte
}

func (c *commas) Read(p []byte) (int, error) {
	for len(c.ready) == 0 {
		if c.err != nil {
			if len(c.held) > 0 { // The comma is at the end of a list.
				c.ready, c.held = c.held, nil
				break
			}
			return 0, c.err
		}
		var n int
		n, c.err = c.r.Read(c.buf[:])
		c.ready = c.settle(c.buf[:n])
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

// settle returns the bytes that are final. It keeps a comma at the end in c.held.
func (c *commas) settle(data []byte) []byte {
	if len(c.held) > 0 {
		data, c.held = append(c.held, data...), nil
	}
	comma := -1
	for i, b := range data {
		switch {
		case c.quoted:
			c.quoted = c.escaped || b != '"'
			c.escaped = !c.escaped && b == '\\'
			continue
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			continue
		case (b == ']' || b == '}') && comma >= 0:
			data[comma] = ' '
		}
		comma = -1
		if b == ',' {
			comma = i
		}
		c.quoted = b == '"'
	}
	if comma >= 0 && len(data)-comma < len(c.buf) {
		c.held = bytes.Clone(data[comma:])
		return data[:comma]
	}
	return data
}
