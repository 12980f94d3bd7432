package stacks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxLine limits the length of a line. It is enough for a stack of 200,000 frames, at 80 bytes per
// frame.
const maxLine = 16 << 20

// Lines reads a text line by line, with lines of up to 16 MiB. It must not be used
// concurrently.
type Lines struct {
	r *bufio.Reader
	// Number is the number of the line that Next returned last. The first line has number 1.
	Number int
	// long collects a line that does not fit in r's buffer.
	long []byte
}

// NewLines returns the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 1<<16)}
}

// Next returns the next line with its line break. The line is valid until the next call. At the
// end, Next returns io.EOF.
func (l *Lines) Next() ([]byte, error) {
	l.Number++
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if l.long = append(l.long, line...); len(l.long) > maxLine {
				return nil, fmt.Errorf("line is longer than %d MiB", maxLine>>20)
			}
			line, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	// The last line may lack its line break.
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if err == io.EOF {
		l.Number--
	}
	if l.Number == 1 {
		line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
	}
	return line, err
}

// ShortLines calls f for each line of r, until the first error or until ctx is done. f receives the
// line's number, from 1, and the line without its line break. It must not keep the line. In the
// last call, last is set and the line is the text after the last line break, which may be empty. A
// line longer than the parameter longest, in bytes, is an error. The function located adds the line
// number to that error.
func ShortLines(ctx context.Context, r io.Reader, longest int, located func(number int, err error) error, f func(number int, line []byte, last bool) error) error {
	in := bufio.NewReaderSize(r, longest)
	for number, last := 1, false; !last; number++ {
		if number%1024 == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return located(number, fmt.Errorf("a line is longer than %d bytes", longest))
		case err != nil && err != io.EOF:
			return err
		}
		last = err == io.EOF
		if err := f(number, bytes.TrimRight(line, "\r\n"), last); err != nil {
			return err
		}
	}
	return nil
}

// ByteOrderMark is the mark that some editors write at the start of UTF-8 files.
const ByteOrderMark = "\uFEFF"
