package document

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Head says which members a file begins with, of which only the first bytes are known: the
// paths of names down to three levels, parted by dots, without what arrays are elements of.
// So [{"ph":"X","args":{"a":1}}] has ph, args and args.a. It is empty for what is no JSON.
func Head(head []byte) map[string]bool {
	paths := make(map[string]bool)
	d := jsontext.NewDecoder(bytes.NewReader(head), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var names []string // of the objects that are open; arrays have none
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
			return paths // a text or a number alone
		}
		if len(open) == 0 {
			return paths
		}
		isName = open[len(open)-1] == '{'
	}
}

// dotted joins names that are not empty.
func dotted(names []string) string {
	return strings.Join(names, ".")
}
