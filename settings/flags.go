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

// Kinds of values that commands treat in ways of their own.
const (
	// KindFile is of flags that name a file.
	KindFile = "FILE"
	// kindSwitch is of flags that need no value, as package pflag calls them.
	kindSwitch = "bool"
)

// comparing are the commands that read a subject and a reference, all those that
// read traces.
var (
	comparing = []string{"compare", "flask"}
	all       = append(slices.Clone(comparing), "tree", "packages", "info")
)

// A cli says how the command line has a setting; its flag is named as the setting.
type cli struct {
	// kind is what help calls the value; empty where there is no flag.
	kind string
	// commands are those that have the flag.
	commands []string
	// alone is what the setting of one side is called where there is one side only,
	// and aloneDoc its text there; empty for a setting of both sides.
	alone, aloneDoc string
	// commas says that one value is the whole list, or "none". A flag for any other
	// list is given once for each entry.
	commas bool
	// percent says that a number without a sign is a percentage too.
	percent bool
}

// A Flag is a flag of the command line that stands for a setting.
type Flag struct {
	// Setting is the setting's name, and Stage what it is about.
	Setting, Stage string
	// Name is without dashes. Kind is what help calls the value, such as FILE.
	Name, Kind string
	// Usage is its text for help, with the default.
	Usage string
	// Words are values to offer; without any, every text may be one.
	Words []string
	// Switch says that the flag without a value means true.
	Switch bool
}

// Flags returns the flags of a command that stand for settings, in the order of
// their documentation. What they say is a layer that [Settings.WithFlag] puts on.
//
// A flag is named as its setting is: foldedUnit is --folded-unit. The flag for a list
// is given once for each entry and is in the singular: appPackages is
// --app-package. A command that reads one trace takes it as the subject, so that
// mappingSubject is --mapping there.
func Flags(command string) []Flag {
	var flags []Flag
	for _, k := range keys() {
		if !slices.Contains(k.flag.commands, command) {
			continue
		}
		name, doc := k.name, k.doc
		if k.flag.alone != "" && !slices.Contains(comparing, command) {
			if name != k.flag.alone+"Subject" {
				continue
			}
			name, doc = k.flag.alone, k.flag.aloneDoc
		}
		flags = append(flags, Flag{
			Setting: k.name, Stage: k.stage, Name: flagName(k, name), Kind: k.flag.kind,
			Usage: usage(k, doc), Words: words(k), Switch: k.flag.kind == kindSwitch,
		})
	}
	return flags
}

// flagName writes a setting's name as flags are written.
func flagName(k key[Settings], name string) string {
	if k.schema["type"] == "array" && !k.flag.commas {
		name = strings.TrimSuffix(name, "s")
	}
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// WithFlag puts on top of s what the flag for a setting says: all the values that
// it was given, in their order. An error says what would be right, and not what
// flag it is about.
func (s Settings) WithFlag(setting string, given ...string) (Settings, error) {
	for _, k := range keys() {
		if k.name != setting || k.flag.kind == "" || len(given) == 0 {
			continue
		}
		r := &reader{}
		changed := s
		if k.set(r, &changed, k.flag.value(k.schema, given)); len(r.problems) > 0 {
			return s, errors.New(r.problems[0].Message)
		}
		return changed, nil
	}
	return s, fmt.Errorf("no flag stands for a setting %q", setting)
}

// value makes a layer's value of what a flag was given.
func (c cli) value(schema object, given []string) value {
	last := given[len(given)-1]
	switch schema["type"] {
	case "array":
		return c.list(given)
	case "boolean":
		if on, err := strconv.ParseBool(last); err == nil {
			return value{kind: boolValue, text: strconv.FormatBool(on)}
		}
	case "string":
		return value{kind: textValue, text: last}
	}
	_, err := strconv.ParseFloat(last, 64)
	switch {
	case err != nil:
		return value{kind: textValue, text: last}
	case c.percent:
		return value{kind: textValue, text: last + "%"}
	}
	return value{kind: numberValue, text: last}
}

// list makes a list of what a flag was given.
func (c cli) list(given []string) value {
	if c.commas {
		last := given[len(given)-1]
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
func usage(k key[Settings], doc string) string {
	doc = plain.Replace(doc)
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
	if normal != "" && k.flag.kind != kindSwitch {
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
