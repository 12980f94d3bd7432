package document

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Head returns the names of the members at the start of a file as dotted paths, down to three
// levels. Arrays do not count as a level: for [{"ph":"X","args":{"a":1}}], it returns ph, args and
// args.a. The result is empty if head is not JSON.
func Head(head []byte) map[string]bool {
	paths := make(map[string]bool)
	d := jsontext.NewDecoder(bytes.NewReader(head), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var names []string // names has the names of the open objects. The name of an array is empty.
	var open []byte
	isName := false
	for {
		token, err := d.ReadToken()
		if err != nil {
			return paths
		}
		kind := byte(token.Kind())
		switch {
		case isName && kind == '"':
			names[len(names)-1] = token.String()
			if path := dotted(names); strings.Count(path, ".") < 3 {
				paths[path] = true
			}
			isName = false
			continue
		case kind == '{':
			names = append(names, "")
			open = append(open, kind)
		case kind == '[':
			open = append(open, kind)
		case kind == '}':
			names = names[:len(names)-1]
			open = open[:len(open)-1]
		case kind == ']':
			open = open[:len(open)-1]
		case len(open) == 0:
			return paths // The document is a single text or number.
		}
		if len(open) == 0 {
			return paths
		}
		isName = open[len(open)-1] == '{'
	}
}

// dotted joins the names that are not empty with dots.
func dotted(names []string) string {
	return strings.Join(names, ".")
}
