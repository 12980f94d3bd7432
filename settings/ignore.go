package settings

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// AddIgnore returns the content of a project file with another entry at the end of the list ignore.
// data may be empty. All other lines stay unchanged, including their comments and line ends. But if
// the list is written in brackets, the file is rewritten with its comments. A file that is not
// YAML, or that has problems in ignore, is an error.
func AddIgnore(data []byte, g Ignore) ([]byte, error) {
	if g.Task == "" && g.ID == "" {
		return nil, errors.New("ignoring: an entry needs a task or an id")
	}
	before, problems := Default().WithYAML(data, "")
	for _, p := range problems {
		if p.Key == "" && !strings.HasPrefix(p.Message, "unknown") || strings.HasPrefix(p.Key, "ignore") {
			return nil, fmt.Errorf("ignoring: %s: %s", FileName, p)
		}
	}
	want := before
	want.Ignore = append(append([]Ignore{}, before.Ignore...), g)
	for _, write := range []func([]byte, Ignore) ([]byte, error){insertEntry, rewriteEntry} {
		out, err := write(data, g)
		if err != nil {
			continue
		}
		// YAML has many forms. So the result is parsed again and compared with the expected
		// settings.
		if after, now := Default().WithYAML(out, ""); len(now) == len(problems) && reflect.DeepEqual(after, want) {
			return out, nil
		}
	}
	return nil, fmt.Errorf("ignoring: %s is written in a way that cannot be added to; add the entry by hand", FileName)
}

// entry returns an entry of ignore as a YAML node.
func entry(g Ignore) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	add := func(name, text string) {
		if text == "" {
			return
		}
		value := &yaml.Node{}
		value.SetString(text)
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
	}
	add("task", g.Task)
	add("path", g.Path)
	add("id", g.ID)
	add("reason", g.Reason)
	return n
}

func encodeNode(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// otherBreaks are characters that end a line for the parser. In a file with them, the parser's
// line numbers differ from the numbers in this package.
const otherBreaks = "\r\u0085\u2028\u2029"

var errOtherForm = errors.New("the file has another form")

// insertEntry adds an entry by inserting lines.
func insertEntry(data []byte, g Ignore) ([]byte, error) {
	root, problem := parse(data)
	if problem != nil {
		return nil, problem.asError()
	}
	text, err := encodeNode(entry(g))
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		newline = "\r\n"
	}
	item := func(indent int) string {
		var b strings.Builder
		lead := strings.Repeat(" ", indent) + "- "
		for line := range strings.Lines(string(text)) {
			b.WriteString(lead + strings.TrimSuffix(line, "\n") + newline)
			lead = strings.Repeat(" ", indent+2)
		}
		return b.String()
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if bytes.ContainsAny(bytes.ReplaceAll(data, []byte("\r\n"), nil), otherBreaks) {
		return nil, errOtherForm
	}
	insert := func(after int, s string) []byte {
		head := bytes.Join(lines[:after], nil)
		if len(head) > 0 && !bytes.HasSuffix(head, []byte("\n")) {
			head = append(head, newline...)
		}
		return append(append(head, s...), bytes.Join(lines[after:], nil)...)
	}
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" && root.Value == "" {
		return insert(len(lines), "ignore:"+newline+item(2)), nil
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return nil, errOtherForm
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, list := root.Content[i], root.Content[i+1]
		switch {
		case name.Value != "ignore":
		case list.Kind == yaml.ScalarNode && list.Value == "":
			return insert(name.Line, item(2)), nil
		case list.Kind == yaml.SequenceNode && list.Style&yaml.FlowStyle == 0 && len(list.Content) > 0:
			last := list.Content[len(list.Content)-1].Line
			return insert(endOf(lines, last, list.Column), item(list.Column-1)), nil
		default:
			return nil, errOtherForm
		}
	}
	return insert(len(lines), "ignore:"+newline+item(2)), nil
}

// endOf returns the last line of a list entry. The entry begins on the line `from`, with a dash in
// the column dash. Lines that are indented further than the dash belong to it.
func endOf(lines [][]byte, from, dash int) int {
	last := from
	for i := from; i < len(lines); i++ {
		line := bytes.TrimRight(lines[i], "\r\n")
		text := bytes.TrimLeft(line, " ")
		if len(text) == 0 {
			continue
		}
		if len(line)-len(text) < dash {
			break
		}
		last = i + 1
	}
	return last
}

// rewriteEntry adds an entry by writing the whole file from its nodes.
func rewriteEntry(data []byte, g Ignore) ([]byte, error) {
	root, problem := parse(data)
	if problem != nil {
		return nil, problem.asError()
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, errOtherForm
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "ignore" {
			continue
		}
		list := root.Content[i+1]
		if list.Kind != yaml.SequenceNode {
			*list = yaml.Node{Kind: yaml.SequenceNode, HeadComment: list.HeadComment, LineComment: list.LineComment, FootComment: list.FootComment}
		}
		list.Style &^= yaml.FlowStyle
		list.Content = append(list.Content, entry(g))
		return encodeNode(root)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{entry(g)}}
	root.Style &^= yaml.FlowStyle
	root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "ignore"}, list)
	return encodeNode(root)
}

// asError returns the problem as an error that names the project file.
func (p *Problem) asError() error { return fmt.Errorf("%s: %s", FileName, p) }
