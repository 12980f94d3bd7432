package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// writeIndented writes a value as json.Encoder does with SetIndent("", "  ") and
// SetEscapeHTML(false). It takes the text of the encoder to be JSON, and so takes a fraction of the time.
func writeIndented(w io.Writer, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	if _, err := (&indenter{w: w}).write(text.Bytes()); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// indentAtOnce is how many bytes an indenter writes at a time.
const indentAtOnce = 1 << 15

// An indenter writes JSON without white space so that each element has a line.
type indenter struct {
	w     io.Writer
	out   []byte
	depth int
}

func (in *indenter) write(text []byte) (int, error) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '"':
			end := i + 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			in.out = append(in.out, text[i:end+1]...)
			i = end
		case '{', '[':
			in.out = append(in.out, c)
			if text[i+1] == c+2 { // '}' and ']' come two after '{' and '['
				i++
				in.out = append(in.out, text[i])
				break
			}
			in.depth++
			in.line()
		case '}', ']':
			in.depth--
			in.line()
			in.out = append(in.out, c)
		case ',':
			in.out = append(in.out, c)
			in.line()
		case ':':
			in.out = append(in.out, ':', ' ')
		default:
			in.out = append(in.out, c)
		}
		if len(in.out) >= indentAtOnce {
			if err := in.flush(); err != nil {
				return i, err
			}
		}
	}
	return len(text), in.flush()
}

// line begins a line.
func (in *indenter) line() {
	in.out = append(in.out, '\n')
	for range in.depth {
		in.out = append(in.out, "  "...)
	}
}

func (in *indenter) flush() error {
	_, err := in.w.Write(in.out)
	in.out = in.out[:0]
	return err
}
