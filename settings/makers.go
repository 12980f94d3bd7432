package settings

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/energy/model"
)

// unstatedUnit is the value of foldedUnit for files without a stated unit.
const unstatedUnit = "unknown"

// argument makes a key for a path that commands take as an argument.
func argument(name, doc string, field func(*Settings) *string) key[Settings] {
	return key[Settings]{name: name, doc: doc, defaultValue: "", schema: textSchema,
		set: func(r *reader, s *Settings, v value) {
			if text, ok := r.text(v); ok {
				*field(s) = r.path(text)
			}
		},
	}
}

// text makes a key whose value is a text. The key has a flag. kind is the word for the value in the
// flag's help.
func text(name, kind, doc string, field func(*Settings) *string) key[Settings] {
	return key[Settings]{name: name, flag: cli{kind: kind}, doc: doc, defaultValue: "", schema: textSchema,
		set: func(r *reader, s *Settings, v value) {
			if text, ok := r.text(v); ok {
				*field(s) = text
			}
		},
	}
}

// folder makes a key for a folder.
func folder(name, doc string, field func(*Settings) *string) key[Settings] {
	k := file(name, doc, field)
	k.flag.kind = KindFolder
	return k
}

// process makes a key for a process, by its name or its number.
func process(name, doc string, field func(*Settings) *string) key[Settings] {
	return key[Settings]{name: name, flag: cli{kind: kindProcess}, doc: doc, defaultValue: "", schema: processSchema,
		set: func(r *reader, s *Settings, v value) { r.process(v, field(s)) },
	}
}

// file returns a key for a path that commands take with a flag. In doc, %s represents " of the
// subject" or " of the reference".
func file(name, doc string, field func(*Settings) *string) key[Settings] {
	k := argument(name, doc, field)
	k.flag.kind = KindFile
	for _, side := range []string{"Subject", "Reference"} {
		if general, ok := strings.CutSuffix(name, side); ok {
			k.doc = fmt.Sprintf(doc, " of the "+strings.ToLower(side))
			k.flag.singleName, k.flag.singleDoc = general, fmt.Sprintf(doc, "")
		}
	}
	return k
}

// measured returns a key for additional measurements of the subject's or the reference's run. doc
// may contain %s as in the function file.
func measured(name, doc string, field func(*Settings) *[]string) key[Settings] {
	k := paths(name, KindFile, "", field)
	side := strings.ToLower(strings.TrimPrefix(name, "with"))
	k.doc, k.flag.singleName, k.flag.singleDoc = fmt.Sprintf(doc, " of the "+side), "with", fmt.Sprintf(doc, "")
	return k
}

// powerModel returns the key of the power model: the name of a built-in model, or a file.
func powerModel() key[Settings] {
	k := text("powerModel", "NAME|FILE", "The power model for components other than the processor: a built-in model, "+
		readyModels()+", or a YAML file. `diffprof profile` compares several models, separated by commas. By default the energy includes only the processor.",
		func(s *Settings) *string { return &s.PowerModel })
	k.schema = object{"type": "string", "examples": model.ReadyNames()}
	k.set = func(r *reader, s *Settings, v value) {
		if text, ok := r.text(v); ok {
			names := strings.Split(text, ",")
			for i, name := range names {
				if names[i] = strings.TrimSpace(name); !model.IsReady(name) {
					names[i] = r.path(names[i])
				}
			}
			s.PowerModel = strings.Join(names, ",")
		}
	}
	return k
}

// readyModels lists the names of the built-in power models.
func readyModels() string {
	names := model.ReadyNames()
	for i, name := range names {
		names[i] = "`" + name + "`"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// positive returns a key for a share above 0. The text auto means 0, which selects a default.
func positive(name, normal, doc string, field func(*Settings) *float64) key[Settings] {
	schema := object{"type": []string{"number", "string"}, "exclusiveMinimum": 0, "maximum": 1, "pattern": positiveOrAuto}
	return key[Settings]{name: name, flag: cli{kind: "PERCENT", percent: true}, doc: doc, defaultValue: normal, schema: schema,
		set: func(r *reader, s *Settings, v value) {
			share, before := 0.0, len(r.problems)
			r.share(v, &share, "auto", 0)
			switch {
			case len(r.problems) > before:
			case share == 0 && v.text != "auto":
				r.wrong(v, "use a percentage above 0, such as 5%, or auto")
			default:
				*field(s) = share
			}
		},
	}
}

// paths makes a key for a list of files or of folders.
func paths(name, kind, doc string, field func(*Settings) *[]string) key[Settings] {
	return key[Settings]{name: name, flag: cli{kind: kind}, doc: doc, defaultValue: []string{}, schema: textsSchema,
		set: func(r *reader, s *Settings, v value) {
			r.paths(v, field(s))
		},
	}
}

// groupsSchema lists the groups of libraries.
func groupsSchema() object {
	groups := []any{}
	for _, group := range platform.Groups() {
		groups = append(groups, group)
	}
	return object{"type": "array", "items": object{"type": "string", "examples": groups}}
}

// packages makes a key for a list of packages.
func packages(name string, schema object, doc string, field func(*Settings) *[]string) key[Settings] {
	return key[Settings]{name: name, flag: cli{kind: "PACKAGE"}, doc: doc, defaultValue: []string{}, schema: schema,
		set: func(r *reader, s *Settings, v value) {
			list, ok := r.texts(v, func(item value) bool {
				if _, err := platform.New(platform.Rules{App: []string{item.text}}, nil); err != nil {
					return r.wrong(item, err.Error())
				}
				return true
			})
			if ok {
				*field(s) = list
			}
		},
	}
}
