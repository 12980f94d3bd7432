package settings

import (
	"fmt"
	"strings"
)

// Annotations returns the file of the Neovim plug-in with the settings as types. With this
// file, Lua's language server completes and explains settings in a call of setup.
func Annotations() string {
	var b strings.Builder
	b.WriteString("---@meta\n-- Written by go generate ./settings; change settings/keys.go.\n\n---@class diffprof.Settings\n")
	for _, k := range keys() {
		fmt.Fprintf(&b, "---@field %s? %s %s\n", k.name, luaType(k.schema), k.doc)
	}
	return b.String()
}

// luaType returns the Lua type of the values that a schema allows.
func luaType(schema object) string {
	kinds, ok := schema["type"].([]string)
	if !ok {
		kinds = []string{schema["type"].(string)}
	}
	var types []string
	for _, kind := range kinds {
		switch kind {
		case "array":
			kind = luaType(schema["items"].(object)) + "[]"
		case "object":
			kind = "table"
		}
		types = append(types, kind)
	}
	return strings.Join(types, "|")
}

// Help returns the page about the settings for Neovim's :help.
func Help() string {
	const name = "*diffprof-settings*"
	var b strings.Builder
	fmt.Fprintf(&b, "%s\tThe settings of diffprof\n\nWritten by go generate ./settings; change settings/keys.go.\n\n", name)
	b.WriteString(`A project's settings are in diffprof.yaml at its root. Settings for all projects are
given to |diffprof-setup| by the same names: >

	require('diffprof').setup{ settings = { foldedUnit = 'ms' } }
<
If both state a setting, diffprof.yaml counts. Relative paths begin at the
project's root.
`)
	for _, k := range keys() {
		tag := "*diffprof." + k.name + "*"
		fmt.Fprintf(&b, "\n%s%s%s\n", k.name, strings.Repeat(" ", max(1, helpWidth-len(k.name)-len(tag))), tag)
		what := plain.Replace(kindOf(k.schema))
		if normal := inline(k.defaultValue); normal != "" {
			what += ", default " + normal
		}
		b.WriteString(indented(what + "."))
		b.WriteString(indented(plain.Replace(k.doc)))
	}
	b.WriteString("\n vim:tw=78:ts=8:noet:ft=help:norl:\n")
	return b.String()
}

// helpWidth is the width of help pages in columns.
const helpWidth = 78

// indented breaks a text into lines that begin with a tab of 8 columns.
func indented(text string) string {
	var b strings.Builder
	room := 0
	for word := range strings.FieldsSeq(text) {
		if need := len(word) + 1; need > room || b.Len() == 0 {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("\t" + word)
			room = helpWidth - 8 - len(word)
		} else {
			b.WriteString(" " + word)
			room -= need
		}
	}
	return b.String() + "\n"
}
