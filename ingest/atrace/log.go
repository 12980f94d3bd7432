package atrace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine limits the length of an event. The kernel writes less than 8 KiB.
const maxLine = 64 << 10

// A log yields the events of a file in order.
type log struct {
	r    *bufio.Reader
	line int
	// page is set for an HTML page. inside is set between the lines that enclose the data. quoted
	// is set if the data is a JavaScript string, whose lines end in \n\.
	page, inside, quoted bool
	// promised is the number of events stated in the first lines, or 0. cut is set if the file's
	// compressed data ends too early.
	promised int64
	cut      bool
	// lost is the number of events that the kernel reports as lost.
	lost int64
	// bad counts the lines that are not events. firstBad is the first of these lines.
	bad, firstBad int64
}

func newLog(r io.Reader) *log {
	l := &log{r: bufio.NewReaderSize(r, maxLine)}
	head, _ := l.r.Peek(8 << 10)
	l.page = isPage(head)
	l.inside = !l.page && dataAt(head) == 0
	return l
}

// next reads the next event. It returns io.EOF at the end.
func (l *log) next(e *event) error {
	for {
		line, whole, err := l.readLine()
		if err != nil {
			return err
		}
		if l.edge(line) || !l.inside {
			continue
		}
		if l.quoted {
			line = bytes.TrimSuffix(line, []byte(`\n\`))
		}
		switch {
		case len(line) == 0:
		case line[0] == '#':
			l.head(line)
		case whole && e.read(line):
			return nil
		case l.loss(line):
		default:
			if l.bad++; l.firstBad == 0 {
				l.firstBad = int64(l.line)
			}
		}
	}
}

// readLine returns the next line without its line break. If the line is too long for an event,
// whole is false and the result is only the start of the line.
func (l *log) readLine() (line []byte, whole bool, err error) {
	line, err = l.r.ReadSlice('\n')
	l.line++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		// line is a part of the reader's buffer, so the needed bytes are copied.
		line = bytes.Clone(line[:min(len(line), 256)])
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = l.r.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		return line, false, nil
	case err == io.EOF && len(line) == 0:
		return nil, false, io.EOF
	case err != nil && err != io.EOF:
		return nil, false, err
	}
	return bytes.TrimRight(line, "\r\n"), true, nil
}

// edge reports whether the data begins or ends at this line, and updates l.inside.
func (l *log) edge(line []byte) bool {
	was := l.inside
	switch line = bytes.TrimLeft(line, " "); {
	case !l.page:
		l.inside = l.inside || string(line) == "TRACE:"
	case l.inside:
		l.inside = !bytes.HasPrefix(line, []byte("</script>"))
	case bytes.HasPrefix(line, []byte(`<script class="trace-data"`)):
		l.inside, l.quoted = true, false
	case bytes.HasPrefix(line, []byte(`var linuxPerfData = "`)):
		l.inside, l.quoted = true, true
	}
	return l.inside != was
}

// head reads the comment with the number of events.
func (l *log) head(line []byte) {
	text, ok := bytes.CutPrefix(line, []byte("# entries-in-buffer/entries-written: "))
	if !ok {
		return
	}
	var kept, written int64
	if n, _ := fmt.Sscanf(string(text[:min(len(text), 64)]), "%d/%d", &kept, &written); n == 2 && kept >= 0 && kept <= written {
		l.promised += kept
		l.lost += written - kept
	}
}

// loss handles lines such as CPU:3 [LOST 12345 EVENTS]. It adds the number to l.lost, and reports
// whether line is such a line.
func (l *log) loss(line []byte) bool {
	_, text, ok := bytes.Cut(line, []byte(" [LOST "))
	digits, after, lost := bytes.Cut(text, []byte(" EVENTS]"))
	if !ok || !lost || len(after) > 0 || !bytes.HasPrefix(line, []byte("CPU:")) {
		return false
	}
	n, ok := number(digits)
	l.lost += n
	return ok
}
