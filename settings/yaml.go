package settings

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/internal/table"
)

// MaxFile is the maximum size in bytes of a project file.
const MaxFile = table.MaxFile

// WithYAML returns s with the content of a project file. Relative paths are resolved in folder,
// the file's folder. If it is empty they are unchanged.
func (s Settings) WithYAML(data []byte, folder string) (Settings, []Problem) {
	document, problem := parse(data)
	if problem != nil {
		return s, []Problem{*problem}
	}
	if document == nil {
		return s, nil
	}
	y := &yamlReader{lines: splitLines(data)}
	root := y.value(document, deepest)
	if root.kind == nullValue {
		return s, nil
	}
	return s.with(root, folder)
}

// parse returns the only document of a file, or nil if the file is empty.
func parse(data []byte) (*yaml.Node, *Problem) {
	document, fault := table.Parse(data)
	if fault != nil {
		return nil, onLine(data, fault.Line, fault.Message)
	}
	return document, nil
}

// onLine returns a problem that concerns a whole line of the file.
func onLine(data []byte, line int, message string) *Problem {
	lines := bytes.Split(data, []byte("\n"))
	return &Problem{Line: line, Column: 1, EndColumn: len(bytes.TrimRight(lines[line-1], "\r")) + 1, Message: message}
}

func splitLines(data []byte) [][]byte { return bytes.Split(data, []byte("\n")) }

// A yamlReader converts the nodes of a file to values.
type yamlReader struct{ lines [][]byte }

func (y *yamlReader) value(n *yaml.Node, depth int) value {
	v := value{at: y.place(n), kind: oddValue}
	if n.Kind == yaml.AliasNode && n.Alias != nil && n.Alias.Kind == yaml.ScalarNode {
		// Aliases of lists and objects could expand without end, and no setting needs them.
		n = n.Alias
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v.text = n.Value
		switch n.ShortTag() {
		case "!!null":
			v.kind = nullValue
		case "!!bool":
			v.kind, v.text = boolValue, strings.ToLower(n.Value)
		case "!!int", "!!float":
			v.kind, v.text = numberValue, strings.ReplaceAll(n.Value, "_", "")
		case "!!str", "!!timestamp":
			v.kind = textValue
		}
	case yaml.SequenceNode:
		if v.kind = listValue; depth == 0 {
			v.kind = oddValue
			return v
		}
		for _, item := range n.Content {
			v.items = append(v.items, y.value(item, depth-1))
		}
	case yaml.MappingNode:
		if v.kind = objectValue; depth == 0 {
			v.kind = oddValue
			return v
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i]
			v.names = append(v.names, value{kind: textValue, text: name.Value, at: y.place(name)})
			v.items = append(v.items, y.value(n.Content[i+1], depth-1))
		}
	}
	return v
}

// place returns the position of a node. A node of several lines ends with its first line.
func (y *yamlReader) place(n *yaml.Node) place {
	if n.Line < 1 || n.Line > len(y.lines) {
		return place{1, 1, 1}
	}
	line := bytes.TrimRight(y.lines[n.Line-1], "\r")
	if n.Line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	// The parser counts columns in characters.
	start := 0
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(line[start:])
		start += size
	}
	rest := line[start:]
	end := len(bytes.TrimRight(rest, " \t"))
	switch {
	case n.Kind == yaml.ScalarNode && n.Style == 0 && bytes.HasPrefix(rest, []byte(n.Value)):
		end = len(n.Value)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && len(rest) > 1:
		if i := bytes.IndexByte(rest[1:], rest[0]); i >= 0 {
			end = i + 2
		}
	default:
		if i := bytes.Index(rest[:end], []byte(" #")); i >= 0 {
			end = len(bytes.TrimRight(rest[:i], " \t"))
		}
	}
	if n.Line == 1 {
		start += len(y.lines[0]) - len(bytes.TrimPrefix(y.lines[0], []byte("\ufeff")))
	}
	return place{n.Line, start + 1, start + max(end, 0) + 1}
}
