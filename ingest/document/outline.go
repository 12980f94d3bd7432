package document

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of an outline: the levels of nesting, the members per object, the elements per array, the
// bytes per text, and the bytes of the whole outline.
const (
	outlineLevels   = 7
	outlineMembers  = 64
	outlineElements = 2
	outlineText     = 256
	outlineBytes    = 64 << 10
)

// Outline summarizes the document in r, so that formats can recognize it by members that are
// megabytes after the start. The summary is JSON too. It has only the first members of objects, the
// first elements of arrays, and the starts of texts. If r ends early or is not JSON, the outline
// ends there. The error is nil unless reading r fails.
func Outline(r io.Reader) ([]byte, error) {
	watch := &watched{r: r}
	o := outliner{in: NewReader(watch)}
	// A syntax error ends the outline.
	_ = o.value(0)
	return o.out, watch.err
}

// A watched reader keeps the error of reading, unless it is the end of the input.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		w.err = err
	}
	return n, err
}

type outliner struct {
	in  *Reader
	out []byte
}

// value writes the next value.
func (o *outliner) value(level int) error {
	object, array := o.in.Is('{'), o.in.Is('[')
	if level > outlineLevels || len(o.out) > outlineBytes {
		o.out = append(o.out, "null"...)
		return o.in.Skip()
	}
	n := 0
	switch {
	case object:
		o.out = append(o.out, '{')
		if err := o.in.Members(func(name []byte) error {
			if n++; n > outlineMembers || len(o.out) > outlineBytes {
				return o.in.Skip()
			}
			o.comma(n)
			o.text(name)
			o.out = append(o.out, ':')
			return o.value(level + 1)
		}); err != nil {
			return err
		}
		o.out = append(o.out, '}')
	case array:
		o.out = append(o.out, '[')
		if err := o.in.Elements(func() error {
			if n++; n > outlineElements {
				return o.in.Skip()
			}
			o.comma(n)
			return o.value(level + 1)
		}); err != nil {
			return err
		}
		o.out = append(o.out, ']')
	case o.in.Is('"'):
		text, err := o.in.Text()
		if err != nil {
			return err
		}
		o.text(text)
	default:
		raw, err := o.in.Raw()
		if err != nil {
			return err
		}
		o.out = append(o.out, raw...)
	}
	return nil
}

// comma separates element n from the previous element.
func (o *outliner) comma(n int) {
	if n > 1 {
		o.out = append(o.out, ',')
	}
}

// text writes the start of a text.
func (o *outliner) text(text []byte) {
	// The only possible error is about bytes that are not UTF-8. They become replacement
	// characters.
	o.out, _ = jsontext.AppendQuote(o.out, text[:min(len(text), outlineText)])
}
