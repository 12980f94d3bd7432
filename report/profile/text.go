package profile

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// A text writes JSON as a stream. Its callers write brackets and commas themselves. Flush returns
// the errors of the underlying writer.
type text struct{ *bufio.Writer }

func newText(w io.Writer) text { return text{bufio.NewWriterSize(w, 1<<16)} }

// put writes strings unchanged, values as JSON, and integers in digits.
func (t text) put(parts ...any) {
	for _, part := range parts {
		switch x := part.(type) {
		case string:
			t.WriteString(x)
		case int64:
			t.number(x)
		case int:
			t.number(int64(x))
		case int32:
			t.number(int64(x))
		case quoted:
			t.quote(string(x))
		}
	}
}

// quoted is a text that put writes as a JSON string.
type quoted string

func (t text) quote(s string) {
	// A string can always be encoded.
	quoted, _ := json.Marshal(s)
	t.Write(quoted)
}

func (t text) number(n int64) {
	var room [20]byte
	t.Write(strconv.AppendInt(room[:0], n, 10))
}

// comma writes a comma before each element of a list except the first.
func (t text) comma(first *bool) {
	if !*first {
		t.WriteString(",\n")
	}
	*first = false
}

// decimal writes the fraction n/parts as a decimal number. parts is a power of ten.
func (t text) decimal(n, parts int64) {
	t.number(n / parts)
	if rest := n % parts; rest != 0 {
		t.WriteByte('.')
		t.WriteString(strings.TrimRight(strconv.FormatInt(parts+rest, 10)[1:], "0"))
	}
}

// list writes a list of numbers.
func list[T int64 | int32](t text, numbers []T) {
	t.WriteByte('[')
	for i, n := range numbers {
		if i > 0 {
			t.WriteByte(',')
		}
		t.number(int64(n))
	}
	t.WriteByte(']')
}

// repeat writes a list of n equal elements.
func (t text) repeat(element string, n int) {
	t.WriteByte('[')
	for i := range n {
		if i > 0 {
			t.WriteByte(',')
		}
		t.WriteString(element)
	}
	t.WriteByte(']')
}
