package ftrace

import "bytes"

// A Mark is a line that a program writes to the kernel's trace. Its fields are separated by
// vertical bars: B|1234|name begins a slice, E|1234 ends it, and C|1234|name|7 sets a counter.
type Mark struct {
	Letter byte
	// Process is the system's number of the process. It is -1 if the line does not state it.
	Process int64
	// Text is the name of the slice or the counter. Value is the value of a counter.
	Text  []byte
	Value int64
}

// ReadMark parses a line. It returns false for a line that is not a mark. The mark's Text is a part
// of the line.
func ReadMark(line []byte) (Mark, bool) {
	line = bytes.TrimRight(line, "\n\x00")
	if len(line) == 0 || len(line) > 1 && line[1] != '|' {
		return Mark{}, false
	}
	m := Mark{Letter: line[0], Process: unknownProcess}
	if len(line) > 1 {
		digits, text, _ := bytes.Cut(line[2:], []byte("|"))
		m.Text = text
		if n, ok := decimal(digits); ok && n < maxTID {
			m.Process = n
		}
	}
	if m.Letter != 'C' {
		return m, true
	}
	// The name of a counter may contain vertical bars.
	i := bytes.LastIndexByte(m.Text, '|')
	if i < 0 {
		return Mark{}, false
	}
	digits, negative := bytes.CutPrefix(m.Text[i+1:], []byte("-"))
	n, ok := decimal(digits)
	if negative {
		n = -n
	}
	m.Text, m.Value = m.Text[:i], n
	return m, ok
}

// maxTID is larger than all thread numbers of Linux.
const maxTID = 1 << 22

// decimal parses decimal digits. It fails for more than 18 digits.
func decimal(digits []byte) (n int64, ok bool) {
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}
