package settings

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// A key is a setting, or a key of an object among the settings: what describes it,
// and what reads it into a T.
type key[T any] struct {
	// doc is Markdown; its first sentence says all that a flag's help has room for.
	name, doc string
	// flag is what the command line has for it, zero if it has nothing.
	flag cli
	// normal is the default as the project file would have it; nil is none.
	normal any
	// schema is the JSON Schema of its values, without texts and default.
	schema object
	set    func(*reader, *T, value)
}

type object = map[string]any

var (
	textSchema  = object{"type": "string"}
	textsSchema = object{"type": "array", "items": textSchema}
	flagSchema  = object{"type": "boolean"}
	shareSchema = object{"type": []string{"number", "string"}, "minimum": 0, "maximum": 1, "pattern": `^[0-9]+(\.[0-9]+)?%$`}
	limitSchema = object{"type": []string{"number", "string"}, "minimum": 0, "maximum": 1, "pattern": `^([0-9]+(\.[0-9]+)?%|never)$`}
)

// alphaPattern is of texts: editors have a field for values of one type only.
const alphaPattern = "^(auto|0|[1-9][0-9]{0,8})$"

// keys are the settings, in the order of their documentation.
func keys() []key[Settings] {
	return []key[Settings]{
		path("subject", "", "The trace that is reported on: your app, the new version.",
			func(s *Settings) *string { return &s.Subject }),
		path("reference", "", "The trace that it is held against: a similar app, the old version.",
			func(s *Settings) *string { return &s.Reference }),
		{
			name: "alpha", flag: cli{name: "alpha", kind: "auto|N"}, normal: "auto", set: setAlpha,
			doc: "How many steps the call paths of a pair may differ by: a whole number, or `auto` for the smallest one up to 5 with which a fifth of the subject's tasks find a counterpart.",
			schema: object{"type": []string{"integer", "string"}, "minimum": 0, "maximum": math.MaxInt32, "pattern": alphaPattern,
				"examples": []any{"auto", 0, 1, 2, 3, 4, 5}},
		},
		packages("appPackages", "app-package", "Packages to take for the app's: `com.mine`, or `com.mine.*` for it and those below. By default what the built-in tables of Android and the JDK do not list is the app's.",
			func(s *Settings) *[]string { return &s.AppPackages }),
		packages("frameworkPackages", "framework-package", "Packages to take for the framework's: `okhttp3`, or `okhttp3.*` for it and those below.",
			func(s *Settings) *[]string { return &s.FrameworkPackages }),
		{
			name: "merge", flag: cli{name: "merge", kind: "LIST", commas: true}, normal: preprocess.StepNames(), set: setMerge,
			doc: "Steps of preprocessing to run. An empty list runs none.",
			schema: object{"type": "array", "uniqueItems": true, "items": object{"type": "string", "enum": preprocess.StepNames(), "enumDescriptions": []string{
				"hangs work that the framework did later under the app call that asked for it",
				"begins a path where its work begins, however the thread got there",
				"merges the app's own methods into the callback that called them",
				"merges a superclass's method into the subclass's that calls it, and makes them equal",
			}}},
		},
		path("mappingSubject", "mapping-subject", "The mapping.txt that undoes R8's or ProGuard's naming of the subject.",
			func(s *Settings) *string { return &s.MappingSubject }),
		path("mappingReference", "mapping-reference", "The mapping.txt that undoes R8's or ProGuard's naming of the reference.",
			func(s *Settings) *string { return &s.MappingReference }),
		{
			name: "classpath", flag: cli{name: "classpath", kind: "FILE"}, normal: []string{}, schema: textsSchema,
			doc: "The app's class hierarchy: jars, APKs, dex or class files, or folders of them.",
			set: func(r *reader, s *Settings, v value) {
				if files, ok := r.texts(v, nil); ok {
					for i := range files {
						files[i] = r.path(files[i])
					}
					s.Classpath = files
				}
			},
		},
		path("powerProfile", "power-profile", "The power_profile.xml of Android to model energy with; without one, a generic phone's.",
			func(s *Settings) *string { return &s.PowerProfile }),
		{
			name: "voltage", flag: cli{name: "voltage", kind: "V"}, normal: 3.7, set: setVoltage,
			doc:    "The battery's voltage, for power profiles and for energy in µAh.",
			schema: object{"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
		},
		{
			name: "unit", flag: cli{name: "unit", kind: "UNIT"}, normal: "auto", set: setUnit,
			doc:    "The unit of energy in texts and editors. `auto` is one that suits.",
			schema: object{"type": "string", "enum": unitNames()},
		},
		{
			name: "minShare", normal: "0.1%", schema: shareSchema,
			doc: "The least part of the run's energy for something to be shown in source code, such as `0.1%`.",
			set: func(r *reader, s *Settings, v value) { r.share(v, &s.MinShare, "") },
		},
		{
			name: "severity", schema: objectSchema(severityKeys()),
			doc: "From which part of the run's energy on a diagnostic is an error, a warning, an information; below all it is a hint. `never` leaves a severity out.",
			set: func(r *reader, s *Settings, v value) { readObject(r, v, &s.Severity, severityKeys()) },
		},
		{
			name: "codeLens", schema: objectSchema(lensKeys()),
			doc: "Which code lenses to show, by kind.",
			set: func(r *reader, s *Settings, v value) {
				lenses := maps.Clone(s.CodeLens)
				if lenses == nil {
					lenses = map[string]bool{}
				}
				if readObject(r, v, &lenses, lensKeys()) {
					s.CodeLens = lenses
				}
			},
		},
		{
			name: "inlayHints", normal: true, schema: flagSchema,
			doc: "Show behind each call that starts a task what it drains, in editors that have inlay hints.",
			set: func(r *reader, s *Settings, v value) { r.boolean(v, func(on bool) { s.InlayHints = on }) },
		},
		{
			name: "ignore", normal: []any{}, set: setIgnore,
			doc: "Tasks that are not to be listed, with a reason. Their energy stays in the totals. What an entry has must all hold; it has `task`, `id` or both.",
			schema: object{"type": "array", "items": with(objectSchema(ignoreKeys()), "anyOf",
				[]any{object{"required": []string{"task"}}, object{"required": []string{"id"}}})},
		},
	}
}

// severityKeys are the severities that have a threshold.
func severityKeys() []key[Severity] {
	level := func(name, normal string, of func(*Severity) *float64) key[Severity] {
		return key[Severity]{
			name: name, doc: "The least part for it.", normal: normal, schema: limitSchema,
			set: func(r *reader, s *Severity, v value) { r.share(v, of(s), "never") },
		}
	}
	return []key[Severity]{
		level("error", "10%", func(s *Severity) *float64 { return &s.Error }),
		level("warning", "2%", func(s *Severity) *float64 { return &s.Warning }),
		level("information", "0.5%", func(s *Severity) *float64 { return &s.Information }),
	}
}

// lensKeys are the kinds of code lens.
func lensKeys() []key[map[string]bool] {
	kind := func(name, doc string) key[map[string]bool] {
		return key[map[string]bool]{
			name: name, doc: doc, normal: true, schema: flagSchema,
			set: func(r *reader, m *map[string]bool, v value) { r.boolean(v, func(on bool) { (*m)[name] = on }) },
		}
	}
	return []key[map[string]bool]{
		kind("class", "On each class, what the tasks of its methods drain."),
		kind("method", "On each method that starts tasks, what they drain."),
	}
}

// ignoreKeys are the keys of an entry of ignore.
func ignoreKeys() []key[Ignore] {
	text := func(name, doc string, schema object, of func(*Ignore) *string) key[Ignore] {
		return key[Ignore]{name: name, doc: doc, schema: schema, set: func(r *reader, g *Ignore, v value) {
			if text, ok := r.text(v); ok {
				*of(g) = text
			}
		}}
	}
	return []key[Ignore]{
		text("task", "The framework method, such as `android.widget.TextView.setText`: with its descriptor for one overload, without for all. A `*` stands for any characters.",
			textSchema, func(g *Ignore) *string { return &g.Task }),
		text("path", "Only where a method like this is above it on its call path or, in the app's code, calls it; written as `task`.",
			textSchema, func(g *Ignore) *string { return &g.Path }),
		text("id", "Only the task that has this id in reports: the same in every run in which it has the same call path.",
			textSchema, func(g *Ignore) *string { return &g.ID }),
		text("reason", "Why, for those who read the file.",
			textSchema, func(g *Ignore) *string { return &g.Reason }),
	}
}

// path makes a key whose value is a file.
func path(name, flag, doc string, of func(*Settings) *string) key[Settings] {
	return key[Settings]{name: name, flag: cli{name: flag, kind: "FILE"}, doc: doc, normal: "", schema: textSchema,
		set: func(r *reader, s *Settings, v value) {
			if text, ok := r.text(v); ok {
				*of(s) = r.path(text)
			}
		},
	}
}

// packages makes a key whose value is a list of packages.
func packages(name, flag, doc string, of func(*Settings) *[]string) key[Settings] {
	return key[Settings]{name: name, flag: cli{name: flag, kind: "PACKAGE"}, doc: doc, normal: []string{}, schema: textsSchema,
		set: func(r *reader, s *Settings, v value) {
			list, ok := r.texts(v, func(item value) bool {
				if _, err := platform.New([]string{item.text}, nil, nil); err != nil {
					return r.wrong(item, err.Error())
				}
				return true
			})
			if ok {
				*of(s) = list
			}
		},
	}
}

func setAlpha(r *reader, s *Settings, v value) {
	n, err := strconv.ParseInt(v.text, 10, 32)
	switch {
	case v.kind == textValue && v.text == "auto":
		s.Alpha = analysis.AutoAlpha
	case (v.kind == numberValue || v.kind == textValue && strconv.FormatInt(n, 10) == v.text) && err == nil && n >= 0:
		s.Alpha = int(n)
	default:
		r.wrong(v, "use auto, or a whole number from 0 up")
	}
}

func setMerge(r *reader, s *Settings, v value) {
	var merge preprocess.Steps
	_, ok := r.texts(v, func(item value) bool {
		return merge.Add(item.text) || r.wrong(item, "there is no such step"+meant(item.text, preprocess.StepNames())+"; use any of "+strings.Join(preprocess.StepNames(), ", "))
	})
	if ok {
		s.Merge = merge
	}
}

func setVoltage(r *reader, s *Settings, v value) {
	volts, err := units.ParseVoltage(v.text)
	if v.kind != numberValue && v.kind != textValue || err != nil {
		r.wrong(v, "use a number of volts above 0 and up to 1000, such as 3.7")
		return
	}
	s.Voltage = volts
}

func unitNames() []string { return append([]string{"auto"}, units.UnitNames()...) }

func setUnit(r *reader, s *Settings, v value) {
	unit, err := units.ParseUnit(v.text)
	switch {
	case v.kind == textValue && v.text == "auto":
		s.Unit = nil
	case v.kind == textValue && err == nil:
		s.Unit = &unit
	default:
		r.wrong(v, "use one of "+strings.Join(unitNames(), ", "))
	}
}

func setIgnore(r *reader, s *Settings, v value) {
	list := []Ignore{}
	if v.kind != listValue {
		r.wrong(v, "use a list of entries with task and reason")
		return
	}
	for _, item := range v.items {
		var g Ignore
		before := len(r.problems)
		if readObject(r, item, &g, ignoreKeys()); len(r.problems) > before {
			// An entry with less in it than was meant would ignore too much.
			continue
		}
		if g.Task == "" && g.ID == "" {
			r.wrong(item, "an entry needs the task, or its id, that is to be ignored")
			continue
		}
		list = append(list, g)
	}
	s.Ignore = list
}
