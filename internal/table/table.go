// Package table reads tables that users write in YAML, such as power models and triggers. A reader
// walks over the values of a file and records each problem with its line, so that all problems of a
// file are found at once.
//
// The size of a file and the number of its values are bounded: an alias may refer only to a text or
// a number. A Value must not be used concurrently.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/internal/nearest"
	"github.com/diffprof/diffprof/internal/syntax"
)

// MaxFile is the largest size of a file in bytes.
const MaxFile = 1 << 20

// A Fault says why a text is not a single YAML document.
type Fault struct {
	// Line counts from 1 and is within the text.
	Line    int
	Message string
}

// Parse parses a text with one YAML document, and returns its root. It returns nil for an empty
// text.
func Parse(data []byte) (*yaml.Node, *Fault) {
	if len(data) > MaxFile {
		return nil, &Fault{1, fmt.Sprintf("the file is larger than %d bytes", MaxFile)}
	}
	// Editors on Windows write a byte order mark at the start of a file.
	decoder := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	var document, more yaml.Node
	err := decode(decoder, &document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		err = decode(decoder, &more)
	}
	switch {
	case err == nil:
		return nil, &Fault{within(data, more.Line), "the file has two documents; remove the line ---"}
	case !errors.Is(err, io.EOF):
		return nil, fault(data, err)
	case len(document.Content) != 1:
		return nil, nil
	}
	return document.Content[0], nil
}

// decode reads one document. It recovers from panics of the parser, which occur for some unfinished
// files, because a file that is being edited must not end the program.
func decode(d *yaml.Decoder, to *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return d.Decode(to)
}

// fault converts an error of the parser, such as "yaml: line 3: why".
func fault(data []byte, err error) *Fault {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if digits, why, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				line, message = n, why
			}
		}
	}
	return &Fault{within(data, line), "this is not YAML: " + message}
}

// within limits a line to the lines of the text. The parser recognizes more line ends than editors
// do, so its line may be beyond the text.
func within(data []byte, line int) int {
	return min(max(line, 1), bytes.Count(data, []byte("\n"))+1)
}

// Problems are the problems of a file, in the order in which they were found. The error text is the
// first problem with the number of the others.
type Problems []*syntax.Error

// Error implements error.
func (p Problems) Error() string {
	if len(p) == 1 {
		return p[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", p[0], len(p)-1)
}

// maxProblems is the largest number of problems that are recorded for a file.
const maxProblems = 100

// A Value is a value of a file.
type Value struct {
	node   *yaml.Node
	reader *reader
	// path has the keys that lead to the value, such as "components.wifi".
	path string
	// key is the line of the last key in path.
	key int
}

type reader struct {
	format   string
	problems Problems
}

// Read returns the value of a whole file. format is how problems name the kind of file. Errors have
// the type Problems.
func Read(data []byte, format string) (Value, error) {
	v := Value{reader: &reader{format: format}}
	node, bad := Parse(data)
	switch {
	case bad != nil:
		v.reader.note(bad.Line, bad.Message)
	case node == nil:
		v.reader.note(1, "the file is empty")
	}
	v.node = node
	return v, v.Err()
}

// Err returns the problems of the file so far, of type Problems. It returns nil if there are none.
func (v Value) Err() error {
	if len(v.reader.problems) == 0 {
		return nil
	}
	p := slices.Clone(v.reader.problems)
	slices.SortStableFunc(p, func(a, b *syntax.Error) int { return a.Line - b.Line })
	return p
}

// Problems returns the number of problems of the file so far, so that a caller can skip checks of
// values that could not be read.
func (v Value) Problems() int { return len(v.reader.problems) }

func (r *reader) note(line int, message string) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, &syntax.Error{Format: r.format, Line: line, Offset: -1, Err: errors.New(message)})
	}
}

// Fail records a problem with the value.
func (v Value) Fail(format string, a ...any) { v.failAt(v.Line(), format, a...) }

func (v Value) failAt(line int, format string, a ...any) {
	message := fmt.Sprintf(format, a...)
	if v.path != "" {
		message = v.path + ": " + message
	}
	v.reader.note(line, message)
}

// Given reports whether v is a value in a file, and not the zero Value.
func (v Value) Given() bool { return v.node != nil }

// Line returns the line of the value, from 1.
func (v Value) Line() int { return max(v.node.Line, 1) }

// Object reads an object. For each key, it calls the function in keys with the value. Unknown and
// duplicate keys are problems.
func (v Value) Object(keys map[string]func(Value)) {
	names := slices.Sorted(maps.Keys(keys))
	for name, value := range v.Entries() {
		if read, ok := keys[name]; ok {
			read(value)
			continue
		}
		hint := "; the keys are " + strings.Join(names, ", ")
		if near := nearest.Name(name, names); near != "" {
			hint = "; did you mean " + near + "?"
		}
		v.failAt(value.key, "unknown key %q%s", shortened(name), hint)
	}
}

// Entries returns the keys and values of an object, in the order of the file. A duplicate key
// is a problem, and only its first value is used.
func (v Value) Entries() func(yield func(string, Value) bool) {
	return func(yield func(string, Value) bool) {
		if v.node.Kind != yaml.MappingNode {
			v.Fail("use keys and values here, KEY: VALUE")
			return
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(v.node.Content); i += 2 {
			key := v.node.Content[i]
			inner := Value{node: v.node.Content[i+1], reader: v.reader, path: shortened(key.Value), key: key.Line}
			switch {
			case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
				v.failAt(key.Line, "a key is not a text")
				continue
			case seen[key.Value]:
				v.failAt(key.Line, "%s is given twice", inner.path)
				continue
			}
			seen[key.Value] = true
			if v.path != "" {
				inner.path = v.path + "." + inner.path
			}
			if !yield(key.Value, inner) {
				return
			}
		}
	}
}

// List returns the values of a list. A text or a number counts as a list with one value.
func (v Value) List() []Value {
	if v.node.Kind == yaml.SequenceNode {
		out := make([]Value, len(v.node.Content))
		for i, n := range v.node.Content {
			out[i] = Value{node: n, reader: v.reader, path: v.path}
		}
		return out
	}
	if _, ok := v.scalar(); ok {
		return []Value{v}
	}
	v.Fail("use a list here")
	return nil
}

// Text returns a text or a number as written in the file. For a list, an object or an empty value
// it records a problem and returns false.
func (v Value) Text() (string, bool) {
	n, ok := v.scalar()
	if !ok || n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "" {
		v.Fail("use a text here")
		return "", false
	}
	return n.Value, true
}

// scalar returns the node of a text or a number. It follows aliases of these only, because aliases
// of lists and objects could expand without end.
func (v Value) scalar() (*yaml.Node, bool) {
	n := v.node
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n, n.Kind == yaml.ScalarNode
}

// shortened cuts a text so that a message stays on one line.
func shortened(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}
