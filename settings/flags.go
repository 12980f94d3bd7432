package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cli says how the command line has a setting.
type cli struct {
	// name is the flag's, without dashes; kind is what help calls its value.
	name, kind string
	// commas says that one value is the whole list, or "none". A flag for any other
	// list is given once for each entry.
	commas bool
}

// A Flag is a flag of the command line that stands for a setting.
type Flag struct {
	// Name is without dashes. Kind is what help calls the value, such as FILE.
	Name, Kind string
	// Usage is its text for help, with the default.
	Usage string
	// Words are values to offer; without any, every text may be one.
	Words []string
}

// Flags returns the flags that stand for settings, in the order of their
// documentation. What they say is a layer that [Settings.WithFlag] puts on.
func Flags() []Flag {
	var flags []Flag
	for _, k := range keys() {
		if k.flag.name != "" {
			flags = append(flags, Flag{Name: k.flag.name, Kind: k.flag.kind, Usage: usage(k), Words: words(k)})
		}
	}
	return flags
}

// WithFlag puts on top of s what a flag says: all the values that it was given, in
// their order. An error says what would be right, and not what flag it is about.
func (s Settings) WithFlag(name string, given ...string) (Settings, error) {
	for _, k := range keys() {
		if name == "" || k.flag.name != name || len(given) == 0 {
			continue
		}
		r := &reader{}
		changed := s
		if k.set(r, &changed, k.flag.value(k.schema, given)); len(r.problems) > 0 {
			return s, errors.New(r.problems[0].Message)
		}
		return changed, nil
	}
	return s, fmt.Errorf("no setting has a flag --%s", name)
}

// value makes a layer's value of a flag's.
func (c cli) value(schema object, given []string) value {
	last := given[len(given)-1]
	if schema["type"] != "array" {
		v := value{kind: textValue, text: last}
		if _, err := strconv.ParseFloat(last, 64); err == nil && schema["type"] != "string" {
			v.kind = numberValue
		}
		return v
	}
	if c.commas {
		if given = strings.Split(last, ","); last == "none" {
			given = nil
		}
	}
	list := value{kind: listValue}
	for _, text := range given {
		if c.commas {
			text = strings.TrimSpace(text)
		}
		list.items = append(list.items, value{kind: textValue, text: text})
	}
	return list
}

// usage is the text for help: the first sentence of the documentation, what may be
// given, and the default.
func usage(k key[Settings]) string {
	doc := plain.Replace(k.doc)
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i]
	}
	first, size := utf8.DecodeRuneInString(doc)
	text := string(unicode.ToLower(first)) + strings.TrimSuffix(doc[size:], ".")
	switch {
	case k.flag.commas:
		steps := words(k)
		text += ", any of " + strings.Join(steps[:len(steps)-1], ",") + ", or none"
	case k.schema["type"] == "array":
		text += "; repeatable"
	case k.schema["enum"] != nil:
		text += ", one of " + strings.Join(words(k), ", ")
	}
	normal := inline(k.normal)
	if list, ok := k.normal.([]string); ok {
		normal = strings.Join(list, ",")
	}
	if normal != "" {
		text += " (default " + normal + ")"
	}
	return text
}

// words are the values that a schema knows.
func words(k key[Settings]) []string {
	schema := k.schema
	if items, ok := schema["items"].(object); ok {
		schema = items
	}
	var all []string
	if words, ok := schema["enum"].([]string); ok {
		all = slices.Clone(words)
	}
	if examples, ok := schema["examples"].([]any); ok {
		for _, x := range examples {
			all = append(all, fmt.Sprint(x))
		}
	}
	if k.flag.commas {
		all = append(all, "none")
	}
	return all
}
