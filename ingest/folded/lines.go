package folded

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

// lines reads a text line by line, whatever the length of a line within maxLine.
type lines struct {
	r *bufio.Reader
	// number is the line that next returned last, from 1.
	number int
	// long collects a line that is longer than r's buffer.
	long []byte
}

func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, 1<<16)}
}

// next returns the next line with its end, valid until the next call, or io.EOF.
func (l *lines) next() ([]byte, error) {
	l.number++
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
		l.number--
	}
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	return line, err
}

// byteOrderMark is what some editors begin UTF-8 files with.
const byteOrderMark = "\uFEFF"
