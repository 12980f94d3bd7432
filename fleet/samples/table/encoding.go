package table

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrderMark is the mark at the beginning of a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// wideOrder returns the byte order of a text in UTF-16, or nil for other texts. Without a byte
// order mark, a text is UTF-16 if every second byte at its beginning is NUL.
func wideOrder(head []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return binary.BigEndian
	case len(head) < 8:
		return nil
	}
	zeros := [2]int{}
	head = head[:min(len(head), 64)&^1]
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch half := len(head) / 2; {
	case zeros[0] == 0 && zeros[1] == half:
		return binary.LittleEndian
	case zeros[1] == 0 && zeros[0] == half:
		return binary.BigEndian
	}
	return nil
}

// errHalf is the error for a text in UTF-16 with an odd number of bytes.
var errHalf = errors.New("the text is in UTF-16, but has an odd number of bytes")

// A wide converts a text from UTF-16 to UTF-8. It removes the byte order mark.
type wide struct {
	r     *bufio.Reader
	order binary.ByteOrder
	text  []byte // text is the converted text that is not yet read.
	begun bool
	err   error // err is the error after text.
}

// Read implements io.Reader.
func (w *wide) Read(p []byte) (int, error) {
	for w.err == nil && len(w.text) < min(len(p), 4096) {
		r, err := w.next()
		if err != nil {
			w.err = err
			break
		}
		if !w.begun && r == '\ufeff' {
			w.begun = true
			continue
		}
		w.begun = true
		w.text = utf8.AppendRune(w.text, r)
	}
	if len(w.text) == 0 {
		return 0, w.err
	}
	n := copy(p, w.text)
	w.text = append(w.text[:0], w.text[n:]...)
	return n, nil
}

// next returns the next character. An incomplete character becomes U+FFFD.
func (w *wide) next() (rune, error) {
	first, err := w.unit()
	if err != nil || !utf16.IsSurrogate(rune(first)) {
		return rune(first), err
	}
	after, err := w.r.Peek(2)
	if err != nil {
		return utf8.RuneError, nil
	}
	r := utf16.DecodeRune(rune(first), rune(w.order.Uint16(after)))
	if r != utf8.RuneError {
		_, _ = w.r.Discard(2)
	}
	return r, nil
}

func (w *wide) unit() (uint16, error) {
	var b [2]byte
	_, err := io.ReadFull(w.r, b[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errHalf
	}
	return w.order.Uint16(b[:]), err
}

// decoded returns a reader that converts a text to UTF-8, if it is in UTF-16.
func decoded(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(64)
	if order := wideOrder(head); order != nil {
		return &wide{r: b, order: order}
	}
	return b
}
