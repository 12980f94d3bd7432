package stacks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line. A frame takes some 80 bytes, so that this is a stack of
// 200,000 frames.
const maxLine = 16 << 20

// Lines reads a text line by line, whatever the length of a line within 16 MiB. It is for
// one goroutine.
type Lines struct {
	r *bufio.Reader
	// Number is the line that Next returned last, from 1.
	Number int
	// long collects a line that is longer than r's buffer.
	long []byte
}

// NewLines returns the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 1<<16)}
}

// Next returns the next line with its end, valid until the next call, or io.EOF.
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
	// The last line may lack its end.
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

// ByteOrderMark is what some editors begin UTF-8 files with.
const ByteOrderMark = "\uFEFF"
