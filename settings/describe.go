package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// objectSchema returns the JSON Schema of an object with these keys. If each key has a default, the
// object has one, too, because Visual Studio Code's settings page shows only that.
func objectSchema[T any](keys []key[T]) object {
	properties, defaults := object{}, object{}
	for _, k := range keys {
		properties[k.name] = described(k)
		if k.defaultValue != nil {
			defaults[k.name] = k.defaultValue
		}
	}
	schema := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(defaults) == len(keys) {
		schema["default"] = defaults
	}
	return schema
}

// described returns the JSON Schema of a key's value, with a description and the default.
func described[T any](k key[T]) object {
	schema := with(k.schema, "description", plain.Replace(k.doc))
	if k.defaultValue != nil {
		schema["default"] = k.defaultValue
	}
	return schema
}

// with returns a copy of an object in which a name has the given value.
func with(o object, name string, v any) object {
	out := maps.Clone(o)
	out[name] = v
	return out
}

// plain removes the marks of Markdown from a text.
var plain = strings.NewReplacer("`", "")

// Schema returns the JSON Schema of diffprof.yaml, as in docs/diffprof.schema.json.
func Schema() ([]byte, error) {
	s := objectSchema(keys())
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["$id"] = "https://raw.githubusercontent.com/diffprof/diffprof/main/docs/diffprof.schema.json"
	s["title"] = "diffprof.yaml"
	s["description"] = "The settings of diffprof for a project. Paths are relative to the file's folder."
	return encode(s)
}

// Contributes returns the settings in the form of contributes.configuration of a Visual Studio
// Code extension: an object with a title and the properties diffprof.NAME, as in
// vscode-extension/settings.json.
func Contributes() ([]byte, error) {
	properties := object{}
	for i, k := range keys() {
		p := onPage(described(k))
		delete(p, "description")
		p["markdownDescription"] = k.doc
		p["scope"] = "resource"
		p["order"] = i
		properties[section+"."+k.name] = p
	}
	return encode(object{"title": "Diffprof", "properties": properties})
}

// onPage adapts a schema to Visual Studio Code's settings page. The page has input fields only for
// values of one type. So if a value may be a number or a text, onPage allows only texts.
func onPage(schema object) object {
	page := maps.Clone(schema)
	if types, ok := page["type"].([]string); ok && slices.Contains(types, "string") {
		page["type"] = "string"
		for _, name := range []string{"minimum", "maximum", "examples"} {
			delete(page, name)
		}
		if examples, ok := schema["examples"].([]any); ok {
			texts := make([]string, len(examples))
			for i, x := range examples {
				texts[i] = fmt.Sprint(x)
			}
			page["enum"] = texts
			delete(page, "pattern")
		}
	}
	if properties, ok := page["properties"].(object); ok {
		fitted := object{}
		for name, p := range properties {
			fitted[name] = onPage(p.(object))
		}
		page["properties"] = fitted
	}
	return page
}

// encode returns indented JSON, with the keys of objects in alphabetical order.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// Markdown returns the page about the settings, docs/settings.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(introduction)
	stage := ""
	for _, k := range keys() {
		if k.stage != stage {
			stage = k.stage
			fmt.Fprintf(&b, "\n## %s\n", stage)
		}
		fmt.Fprintf(&b, "\n### %s\n\n", k.name)
		if other, ok := strings.CutSuffix(k.name, "Reference"); ok {
			fmt.Fprintf(&b, "As [%sSubject](#%ssubject); `--%s`.\n", other, strings.ToLower(other), flagName(k, k.name))
			continue
		}
		fmt.Fprintf(&b, "%s\n", k.doc)
		facts := factsOf(k)
		if k.flag.kind != "" {
			facts = append(facts, fmt.Sprintf("`--%s`", flagName(k, k.name)))
		}
		if len(facts) > 0 {
			facts[0] = strings.ToUpper(facts[0][:1]) + facts[0][1:]
			fmt.Fprintf(&b, "\n%s.\n", strings.Join(facts, "; "))
		}
		switch k.name {
		case "pairs":
			b.WriteString(pairsExample)
		case "severity":
			rows(&b, severityKeys())
		case "codeLens":
			rows(&b, lensKeys())
		case "ignore":
			rows(&b, ignoreKeys())
			b.WriteString(ignoreExample)
		}
	}
	return b.String()
}

// factsOf describes the values of a setting and its default. It leaves out text, which the page's
// introduction explains, the values of a truth value with a default, and objects, whose keys follow.
func factsOf[T any](k key[T]) []string {
	kind, normal := kindOf(k.schema), inline(k.defaultValue)
	kind = strings.ToLower(kind[:1]) + kind[1:]
	stated := normal != "" && normal != "[]" && normal != "{}"
	var facts []string
	if !slices.Contains([]string{"text", "keys and values", "list of entries"}, kind) && !(stated && kind == "`true` or `false`") {
		facts = append(facts, kind)
	}
	if stated && kind == "list of any of `"+strings.ReplaceAll(strings.Trim(normal, "[]"), ", ", "`, `")+"`" {
		facts = append(facts, "default all")
	} else if stated {
		facts = append(facts, "default `"+normal+"`")
	}
	return facts
}

// rows writes the keys of an object as a list. A text that all keys have is not repeated.
func rows[T any](b *strings.Builder, keys []key[T]) {
	b.WriteString("\n")
	for i, k := range keys {
		about := strings.Join(factsOf(k), "; ")
		if about != "" {
			about = " (" + about + ")"
		}
		if i > 0 && k.doc == keys[0].doc {
			fmt.Fprintf(b, "- `%s`%s\n", k.name, about)
		} else {
			fmt.Fprintf(b, "- `%s`%s: %s\n", k.name, about, k.doc)
		}
	}
}

// kindOf describes the allowed values of a schema.
func kindOf(schema object) string {
	if words, ok := schema["enum"].([]string); ok {
		return "One of `" + strings.Join(words, "`, `") + "`"
	}
	switch kind := schema["type"].(type) {
	case string:
		switch kind {
		case "array":
			items := schema["items"].(object)
			if items["enum"] != nil {
				return "List of any of `" + strings.Join(items["enum"].([]string), "`, `") + "`"
			}
			if items["type"] == "object" {
				return "List of entries"
			}
			return "List of texts"
		case "object":
			return "Keys and values"
		case "boolean":
			return "`true` or `false`"
		case "number":
			return "Number"
		case "integer":
			return "Whole number"
		}
		return "Text"
	default:
		return mixed[schema["pattern"].(string)]
	}
}

// mixed describes settings that allow both numbers and texts. The keys are the patterns of the
// texts.
var mixed = map[string]string{
	alphaPattern:                     "Whole number, `auto` or `paper`",
	namePattern:                      "Name or number",
	countPattern:                     "Whole number or `auto`",
	"^" + sizePattern + "$":          "Size",
	"^(" + sizePattern + "|auto)$":   "Size or `auto`",
	"^(" + sharePattern + "|auto)$":  "Percentage, fraction or `auto`",
	"^(" + sharePattern + "|never)$": "Percentage, fraction or `never`",
	positiveOrAuto:                   "Percentage, fraction or `auto`",
}

// inline formats a default as in a project file, on one line.
func inline(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case []any:
		return "[]"
	case object:
		return "{}"
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

const introduction = `# Settings

<!-- Written by go generate ./settings; change settings/keys.go and settings/describe.go. -->

The file ` + "`diffprof.yaml`" + ` at a project's root has its settings, all of them optional. The language server and all commands that read traces
use it: from the current folder, or from the nearest folder above it up to the root of the repository. Paths are relative to the file.
Editors that know JSON Schema complete and check it with [diffprof.schema.json](diffprof.schema.json).

` + "`foldedUnit: ms`" + ` in the file is ` + "`--folded-unit ms`" + ` on the [command line](cli.md), which overrides the file. The file overrides editors:
` + "`diffprof.foldedUnit`" + ` in Visual Studio Code, ` + "`settings = { foldedUnit = 'ms' }`" + ` in Neovim.

A value is a text, unless stated. The flag of a list is in the singular, and is given once for each entry: ` + "`--app-package`" + ` for ` + "`appPackages`" + `.
Commands that read a single trace have ` + "`--mapping`" + `, ` + "`--flows`" + ` and ` + "`--with`" + `; by default they use those of the trace's side in the file.

` + "```yaml" + `
# diffprof.yaml
subject: traces/new.trace
reference: traces/old.trace
mappingSubject: app/build/outputs/mapping/release/mapping.txt
appPackages: [com.mine.*]
unit: uAh
severity:
  error: 5%
ignore:
  - task: android.util.Log.d
    reason: not in release builds
` + "```" + `
`

const pairsExample = `
` + "```yaml" + `
pairs:
  free: {subject: traces/free.trace, reference: traces/free-1.9.trace}
  paid:
    subject: traces/paid.trace
    reference: traces/paid-1.9.trace
    mappingSubject: app/build/outputs/mapping/paidRelease/mapping.txt
` + "```" + `
`

const ignoreExample = `
` + "```yaml" + `
ignore:
  # Wherever it is called
  - task: android.util.Log.*
  # Only below this method of the app
  - task: android.widget.TextView.setText(Ljava/lang/CharSequence;)V
    path: com.mine.Clock.tick
    reason: the clock has to move
` + "```" + `
`
