package settings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Suggestion is a text that may be inserted at a position of a project file.
type Suggestion struct {
	// Label is the text that editors show in their list. Insert is the text to insert. Doc is the
	// explanation in Markdown.
	Label, Insert, Doc string
	// Key is set for the name of a setting. Otherwise it is a value.
	Key bool
}

// A spot describes a position in a project file. It is found from the lines above, without parsing
// the file, because the file may be incomplete.
type spot struct {
	// path are the keys around the position, from the outermost. An entry of a list is "-".
	path []string
	// key is the key on the line, or "". value reports that the position is after the key's colon.
	// word is the word at the position. from and to are its range in bytes of the line.
	key      string
	value    bool
	word     string
	from, to int
}

// keyLine matches a line of a project file: its indentation, the dashes of lists, a key with
// its colon.
var keyLine = regexp.MustCompile(`^(\s*)((?:- +)*)(?:([A-Za-z0-9_.-]+|"[^"]*"|'[^']*')\s*:(?:\s|$))?`)

// spotAt interprets a position. line and column count from 0, in bytes.
func spotAt(data []byte, line, column int) spot {
	lines := strings.Split(string(data), "\n")
	if line < 0 || line >= len(lines) {
		return spot{}
	}
	text := strings.TrimRight(lines[line], "\r")
	column = min(max(column, 0), len(text))
	var s spot
	m := keyLine.FindStringSubmatchIndex(text)
	indent := m[5]
	if m[6] >= 0 {
		s.key = strings.Trim(text[m[6]:m[7]], `"'`)
		s.value = column > m[7]
	}
	word := func(b byte) bool {
		return b == '_' || b == '@' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || s.value && (b == '%' || b == '.')
	}
	for s.from = column; s.from > 0 && word(text[s.from-1]); s.from-- {
	}
	for s.to = column; s.to < len(text) && word(text[s.to]); s.to++ {
	}
	s.word = text[s.from:s.to]
	inList := m[4] < m[5]
	if inList {
		s.path = append(s.path, "-")
		indent = m[3]
	}
	for i := line - 1; i >= 0 && (indent > 0 || inList); i-- {
		above := strings.TrimRight(lines[i], "\r")
		m := keyLine.FindStringSubmatchIndex(above)
		entry, keyed := m[4] < m[5], m[6] >= 0
		switch {
		case strings.TrimSpace(above) == "" || strings.HasPrefix(strings.TrimSpace(above), "#"), !entry && !keyed:
		case entry && m[5] == indent && !inList:
			// The entry's first key is on the line of its dash.
			s.path, indent, inList = append(s.path, "-"), m[3], true
		case keyed && !entry && (m[5] < indent || inList && m[5] == indent):
			s.path, indent, inList = append(s.path, strings.Trim(above[m[6]:m[7]], `"'`)), m[3], false
		}
	}
	slices.Reverse(s.path)
	return s
}

// schemaOf returns the schema of the value at a path of keys, or nil.
func schemaOf(path []string) object {
	s := objectSchema(keys())
	for _, name := range path {
		switch properties, ok := s["properties"].(object); {
		case name == "-":
			s, _ = s["items"].(object)
		case ok:
			s, _ = properties[name].(object)
		default:
			s, _ = s["additionalProperties"].(object)
		}
		if s == nil {
			return nil
		}
	}
	return s
}

// Suggest returns the suggestions at a position of a project file, in order: keys, or the
// values of a key. line and column count from 0, in bytes.
func Suggest(data []byte, line, column int) []Suggestion {
	at := spotAt(data, line, column)
	if at.value {
		return values(schemaOf(append(slices.Clone(at.path), at.key)))
	}
	s := schemaOf(at.path)
	properties, _ := s["properties"].(object)
	var out []Suggestion
	add := func(name string) {
		if p, ok := properties[name].(object); ok {
			insert := name + ": "
			if kind := p["type"]; kind == "object" || kind == "array" && p["items"].(object)["type"] == "object" {
				insert = name + ":"
			}
			out = append(out, Suggestion{Label: name, Insert: insert, Doc: explained(name, p), Key: true})
		}
	}
	if len(at.path) == 0 {
		for _, k := range keys() {
			add(k.name)
		}
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		add(name)
	}
	return append(out, values(s)...)
}

// values returns the values that a schema lists.
func values(schema object) []Suggestion {
	var out []Suggestion
	add := func(text, doc string) { out = append(out, Suggestion{Label: text, Insert: text, Doc: doc}) }
	if items, ok := schema["items"].(object); ok {
		schema = items
	}
	docs, _ := schema["enumDescriptions"].([]string)
	if words, ok := schema["enum"].([]string); ok {
		for i, w := range words {
			doc := ""
			if i < len(docs) {
				doc = docs[i]
			}
			add(w, doc)
		}
	}
	if examples, ok := schema["examples"].([]any); ok {
		for _, x := range examples {
			add(fmt.Sprint(x), "")
		}
	}
	if schema["type"] == "boolean" {
		add("true", "")
		add("false", "")
	}
	if len(out) == 0 && schema["default"] != nil && schema["type"] != "array" && schema["type"] != "object" && schema["default"] != "" {
		add(inline(schema["default"]), "the default")
	}
	return out
}

// explained describes a key in Markdown.
func explained(name string, schema object) string {
	doc, _ := schema["description"].(string)
	for _, k := range keys() {
		if k.name == name && plain.Replace(k.doc) == doc {
			doc = k.doc
			if k.flag.kind != "" {
				doc += " The flag `--" + flagName(k, k.name) + "`."
			}
		}
	}
	text := fmt.Sprintf("**%s** %s", name, doc)
	about := kindOf(schema)
	if normal := inline(schema["default"]); normal != "" {
		about += ", default `" + normal + "`"
	}
	return text + "\n\n" + about + "."
}

// Explain describes the key at a position of a project file in Markdown, and returns its range
// in bytes of the line. It returns false if there is no known key.
func Explain(data []byte, line, column int) (doc string, from, to int, ok bool) {
	at := spotAt(data, line, column)
	if at.value || at.key == "" || at.word != at.key {
		return "", 0, 0, false
	}
	s := schemaOf(append(slices.Clone(at.path), at.key))
	if s == nil || s["description"] == nil {
		return "", 0, 0, false
	}
	return explained(at.key, s), at.from, at.to, true
}

// Find returns the position of the value of a setting in a project file. The keys are a path,
// and the last one has the value. It returns false if the setting is not given.
func Find(data []byte, keys ...string) (at Problem, ok bool) {
	n, problem := parse(data)
	if problem != nil || n == nil {
		return Problem{}, false
	}
	for _, name := range keys {
		if n.Kind != yaml.MappingNode {
			return Problem{}, false
		}
		var value *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				value = n.Content[i+1]
			}
		}
		if value == nil {
			return Problem{}, false
		}
		n = value
	}
	p := (&yamlReader{lines: splitLines(data)}).place(n)
	return Problem{Line: p.line, Column: p.column, EndColumn: p.end, Key: strings.Join(keys, ".")}, true
}
