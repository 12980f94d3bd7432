package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// KindFile and KindFolder are the Kind of flags that take a file or a folder.
const (
	KindFile   = "FILE"
	KindFolder = "FOLDER"
)

// kindProcess is the kind of flags that choose a process.
const kindProcess = "NAME|PID"

// kindSwitch is the kind of flags that need no value, as named by package pflag.
const kindSwitch = "bool"

var (
	// matchCommands has the commands that match recordings with each other.
	matchCommands = []string{"compare", "flask", "group", "baseline", "doctor"}
	// pairCommands has the commands that read a subject and a reference.
	pairCommands = []string{"compare", "flask", "top", "lines", "baseline", "doctor"}
	// sideCommands has the commands that read a subject or a reference. showing has the commands
	// that show energies. all has the commands that read traces.
	sideCommands   = append(slices.Clone(pairCommands), "noise", "tree", "profile", "packages", "info", "convert")
	reportCommands = append(slices.Clone(pairCommands), "noise", "tree", "profile", "packages", "info", "group")
	all            = append(slices.Clone(sideCommands), "group")
	// historyCommands has the commands that read the runs of a history, commit by commit.
	historyCommands = []string{"trend", "blame"}
)

// A cli describes the flag of a setting. The flag's name is derived from the setting's name.
type cli struct {
	// kind is the word for the value in help. It is empty if there is no flag.
	kind string
	// commands are the commands that have the flag.
	commands []string
	// singleName is the setting's name in commands that read one trace. For example, mappingSubject
	// is mapping there. singleDoc is the help for these commands. Both fields are empty for a
	// setting that is not about the subject or the reference.
	singleName, singleDoc string
	// commas means that the flag takes the whole list, separated by commas, or "none". Otherwise
	// the flag is given once per entry.
	commas bool
	// percent means that a number without a percent sign is also a percentage.
	percent bool
}

// A Flag is the command-line flag of a setting.
type Flag struct {
	// Setting is the setting's name. Stage is its heading in help.
	Setting, Stage string
	// Name is the flag's name without dashes. Kind is the word for its value in help, such as FILE.
	Name, Kind string
	// Usage is the flag's text in help, with the default.
	Usage string
	// Words are values for shell completion. Other values may be allowed.
	Words []string
	// Switch means that the flag may be given without a value, which means true.
	Switch bool
}

// Flags returns the flags of a command for settings, in the order of the documentation.
// [Settings.WithFlag] reads their values.
//
// A flag is named after its setting: --folded-unit sets foldedUnit. A flag that is given once
// per entry of a list is in the singular: --app-package sets appPackages. A command that reads
// one trace reads it as the subject, so its --mapping sets mappingSubject.
func Flags(command string) []Flag {
	all := flagsAlone
	if slices.Contains(pairCommands, command) {
		all = flagsOfPair
	}
	var flags []Flag
	for _, f := range all() {
		if slices.Contains(f.commands, command) {
			flags = append(flags, f.Flag)
		}
	}
	return flags
}

// A commandFlag is a flag with the commands that have it.
type commandFlag struct {
	Flag
	commands []string
}

// flagsOfPair returns the flags of commands that read two recordings. flagsAlone returns those of
// other commands. Each start of the program lists the flags of all commands, so they are made once.
var (
	flagsOfPair = sync.OnceValue(func() []commandFlag { return flagsFor(true) })
	flagsAlone  = sync.OnceValue(func() []commandFlag { return flagsFor(false) })
)

func flagsFor(pair bool) []commandFlag {
	var flags []commandFlag
	for _, k := range keys() {
		name, doc := k.name, k.doc
		if k.flag.singleName != "" && !pair {
			if name != k.flag.singleName+"Subject" {
				continue
			}
			name, doc = k.flag.singleName, k.flag.singleDoc
		}
		flags = append(flags, commandFlag{commands: k.flag.commands, Flag: Flag{
			Setting: k.name, Stage: k.stage, Name: flagName(k, name), Kind: k.flag.kind,
			Usage: usage(k, doc), Words: words(k), Switch: k.flag.kind == kindSwitch,
		}})
	}
	return flags
}

// flagName converts the name of a setting to the name of its flag, such as folded-unit for foldedUnit.
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

// WithFlag returns s with the values of a setting's flag, in the order given. An error explains the
// allowed values, and does not name the flag.
func (s Settings) WithFlag(setting string, given ...string) (Settings, error) {
	for _, k := range keys() {
		if k.name != setting || k.flag.kind == "" || len(given) == 0 {
			continue
		}
		r := &reader{}
		changed := s
		k.set(r, &changed, k.flag.value(k.schema, given))
		if wrong := Faults(r.problems); len(wrong) > 0 {
			return s, errors.New(wrong[0].Message)
		}
		return changed, nil
	}
	return s, fmt.Errorf("no flag sets the setting %q", setting)
}

// value converts a flag's texts to a value.
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

// list converts a flag's texts to a list.
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

// usage returns the text for help: the first sentence of doc, the values that are
// allowed, and the default.
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
	normal := inline(k.defaultValue)
	if list, ok := k.defaultValue.([]string); ok {
		normal = strings.Join(list, ",")
	}
	if normal != "" && k.flag.kind != kindSwitch {
		text += " (default " + normal + ")"
	}
	return text
}

// words returns the values listed in the schema of a setting.
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
