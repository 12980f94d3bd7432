// Package settings has diffprof's settings: one list of keys, with the type, the
// default, the bounds and a text for each, that the project file, the command
// line, the language server and editors share.
//
// Settings come from layers: start from [Default], put the editor's on top with
// [Settings.WithJSON], those of the project file diffprof.yaml with
// [Settings.WithYAML], flags of the command line with [Settings.WithFlag]. A layer changes the keys that it has; a null changes
// nothing. What is wrong in a layer is a [Problem] at its place and changes
// nothing either: one bad value does not take the others down.
//
// Laws:
//
//   - a layer gives the same settings and the same problems each time;
//   - settings that were read are within their bounds, whatever was in the file;
//   - paths in a layer are relative to the folder that it is read for;
//   - [AddIgnore] changes no line of a file that it does not have to.
//
// [Markdown], [Schema], [Contributes] and [Flags] describe the keys for people, for
// editors of diffprof.yaml, for Visual Studio Code and for the command line;
// docs/settings.md, docs/diffprof.schema.json and --help are made of them.
//
// All functions may be called concurrently. Settings are values; what they point
// to is not changed.
package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

//go:generate go test . -run TestGenerated -update

// FileName is the name of a project's file.
const FileName = "diffprof.yaml"

// Auto is the value of Settings.Top, of Settings.MinShare and, as
// analysis.AutoAlpha, of Settings.Alpha that leaves the choice to who needs one.
const Auto = analysis.AutoAlpha

// Settings are the values of all keys.
type Settings struct {
	// Options say what to compare and how.
	analysis.Options
	// Unit is what energy is shown in; nil is one that suits.
	Unit *units.Unit
	// Top is how many tasks a report lists; 0 is all. See [Settings.TopOr].
	Top int
	// MinShare is the share of energy below which nothing is shown, from 0 to 1.
	// See [Settings.MinShareOr].
	MinShare float64
	// Ignore says which tasks not to list.
	Ignore []Ignore
	// Severity is for diagnostics.
	Severity Severity
	// CodeLens says for each kind of lens whether to show it.
	CodeLens map[string]bool
	// InlayHints says whether to show them.
	InlayHints bool
}

// TopOr returns s.Top, or what suits a report if that is [Auto].
func (s *Settings) TopOr(suits int) int {
	if s.Top == Auto {
		return suits
	}
	return s.Top
}

// MinShareOr returns s.MinShare, or what suits the place if that is [Auto].
func (s *Settings) MinShareOr(suits float64) float64 {
	if s.MinShare == Auto {
		return suits
	}
	return s.MinShare
}

// Severity has the least parts of the run's energy, from 0 to 1, from which on a
// diagnostic is an error, a warning, an information; what is below all is a hint.
// A part above 1 is never reached.
type Severity struct{ Error, Warning, Information float64 }

// unreachable is a part that nothing reaches.
const unreachable = 2

// Of returns "error", "warning", "information" or "hint".
func (s Severity) Of(share float64) string {
	switch {
	case share >= s.Error:
		return "error"
	case share >= s.Warning:
		return "warning"
	case share >= s.Information:
		return "information"
	}
	return "hint"
}

// An Ignore says which tasks not to list: those for which all that it has holds.
// At least one of Task and ID is there.
//
// Patterns are compared with a method's whole label, or with the label without
// its descriptor if the pattern has none. A * stands for any characters, or none.
type Ignore struct {
	// Task is a pattern for the label of the task's F-method.
	Task string
	// Path is a pattern for one of the labels above it on its call path, or of the
	// app's methods that call it.
	Path string
	// ID is the task's ID in reports, the same in every run in which the task has
	// the same call path.
	ID string
	// Reason is for people.
	Reason string
}

// Ignored returns the first entry of s.Ignore that a task is subject to, nil if
// there is none. above are the labels on its call path and of its callers.
func (s *Settings) Ignored(id, method string, above []string) *Ignore {
	for i := range s.Ignore {
		g := &s.Ignore[i]
		if g.ID != "" && g.ID != id || g.Task != "" && !matches(g.Task, method) {
			continue
		}
		if g.Path == "" || slices.ContainsFunc(above, func(label string) bool { return matches(g.Path, label) }) {
			return g
		}
	}
	return nil
}

// matches compares a pattern with a label.
func matches(pattern, label string) bool {
	if !strings.Contains(pattern, "(") {
		// As name.Parse: a descriptor has both of its brackets.
		if i := strings.IndexByte(label, '('); i > 0 && strings.IndexByte(label[i:], ')') > 0 {
			label = label[:i]
		}
	}
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == label
	}
	rest, ok := strings.CutPrefix(label, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// Default returns the settings without any layer.
func Default() Settings {
	return Settings{
		Options: analysis.Options{
			Ingest:  ingest.Options{MaxExpanded: ingest.DefaultMaxExpanded},
			Voltage: units.DefaultVoltage,
			Merge:   &preprocess.Steps{Async: true, Entry: true, App: true, Hierarchy: true},
			Alpha:   analysis.AutoAlpha,
		},
		Top: Auto, MinShare: Auto,
		Severity: Severity{Error: 0.1, Warning: 0.02, Information: 0.005},
		CodeLens: map[string]bool{"method": true, "class": true}, InlayHints: true,
	}
}

// A Problem is something wrong in a layer. In a project file Line and Column are
// where it begins and EndColumn where it ends on that line; columns count bytes,
// and all count from 1. In JSON, which has no places that anyone sees, they are 0.
type Problem struct {
	Line, Column, EndColumn int
	// Key is the setting that it is about, such as "severity.error", empty if the
	// file as a whole cannot be read.
	Key string
	// Message says in one sentence what is wrong and what would be right.
	Message string
}

// String writes the problem as "line 3: message", or as the message.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}
