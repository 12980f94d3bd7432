// Package settings holds the list of diffprof's settings. Each setting has one name,
// a type, bounds, a default and a text. The project file diffprof.yaml, the command
// line, the language server and the editors share the list.
//
// Settings are read in layers. [Default] is the lowest one. [Settings.WithJSON] puts an
// editor's settings on top, [Settings.WithYAML] a project file's and
// [Settings.WithFlag] a flag's. A layer changes the settings that it names; a null
// changes nothing. A wrong value is reported as a [Problem] and changes nothing
// either, so that the other values of the layer still count.
//
// Laws:
//
//   - reading a layer twice gives the same settings and the same problems;
//   - settings are within their bounds, whatever a layer says;
//   - relative paths of a layer begin at the folder that it is read for;
//   - [AddIgnore] changes no other line of a file unless it must.
//
// Texts for people and for editors are made of the list: docs/settings.md by
// [Markdown], docs/diffprof.schema.json by [Schema], the settings of the extension
// for Visual Studio Code by [Contributes], those of the plug-in for Neovim by
// [Annotations] and [Help], and the flags' help by [Flags].
//
// All functions may be called concurrently. Settings are values, and nothing changes
// what they point to.
package settings

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

//go:generate go test . -run TestGenerated -update

// FileName is the name of a project's file.
const FileName = "diffprof.yaml"

// Auto stands for a value that is chosen where it is needed, in Settings.Alpha,
// Settings.Top and Settings.MinShare. It equals analysis.AutoAlpha.
const Auto = analysis.AutoAlpha

// Settings are the values of all keys.
type Settings struct {
	// Options say what to compare and how.
	analysis.Options
	// Pairs are pairs of traces by name, and Pair names the one to compare; see
	// [Settings.Selected].
	Pairs []Pair
	Pair  string
	// History is the file of the history, empty for the default.
	History string
	// Unit is the unit that energy is shown in; nil chooses it by the amounts.
	Unit *units.Unit
	// Battery is what a full battery holds; 0 is unknown.
	Battery units.Charge
	// Top is the number of tasks that a report lists; 0 is all, Auto is described at
	// [Settings.TopOr].
	Top int
	// Group says what the tasks of a group have in common in reports; empty is no groups.
	Group finding.Grouping
	// Nest says whether reports list tasks behind the one that they lie inside of.
	Nest bool
	// MinShare is the least share of energy that is shown, from 0 to 1; Auto is
	// described at [Settings.MinShareOr].
	MinShare float64
	// Ignore says which tasks not to list.
	Ignore []Ignore
	// OwnOnly lists the app's own code alone.
	OwnOnly bool
	// Severity says how severe a diagnostic is.
	Severity finding.Severity
	// CodeLens says for each kind of code lens whether editors show it.
	CodeLens map[string]bool
	// InlayHints, Diagnostics and LineHeat say whether editors show inlay hints,
	// diagnostics of what was found, and lines in colours.
	InlayHints, Diagnostics, LineHeat bool
	// SourceCache says whether the language server keeps what it read of the sources.
	SourceCache bool
}

// Files returns the paths of all files that the settings name, each once.
func (s *Settings) Files() []string {
	files := s.Options.Files()
	if s.History != "" {
		files = append(files, s.History)
	}
	return files
}

// TopOr returns s.Top. If that is [Auto] it returns suits, the number for the report
// at hand.
func (s *Settings) TopOr(suits int) int {
	if s.Top == Auto {
		return suits
	}
	return s.Top
}

// MinShareOr returns s.MinShare. If that is [Auto] it returns suits, the share for
// what is to be shown.
func (s *Settings) MinShareOr(suits float64) float64 {
	if s.MinShare == Auto {
		return suits
	}
	return s.MinShare
}

// An Ignore says which tasks are not listed: those that all its fields fit. An empty
// field fits every task. Task or ID is not empty.
//
// A pattern is compared with a method's whole label. If the pattern has no descriptor
// it is compared with the label without its descriptor. A * stands for any number of
// characters.
type Ignore struct {
	// Task is a pattern for the label of the task's F-method.
	Task string
	// Path is a pattern for the label of a method above the task on its call path, or
	// of a method of the app that calls it.
	Path string
	// ID is the task's ID in reports. It is the same in every run in which the task
	// has the same call path.
	ID string
	// Reason says why the task is ignored, for readers of the file.
	Reason string
}

// Ignored returns the first entry of s.Ignore that fits a task, or nil. method is the
// label of the task's F-method, above are the labels of the methods above it on its
// call path and of its callers.
func (s *Settings) Ignored(id, method string, above iter.Seq[string]) *Ignore {
	for i := range s.Ignore {
		g := &s.Ignore[i]
		if g.ID != "" && g.ID != id || g.Task != "" && !matches(g.Task, method) {
			continue
		}
		if g.Path == "" {
			return g
		}
		for label := range above {
			if matches(g.Path, label) {
				return g
			}
		}
	}
	return nil
}

// matches reports whether a pattern fits a label.
func matches(pattern, label string) bool {
	if !strings.Contains(pattern, "(") {
		// A descriptor has both of its brackets, as name.Parse reads it.
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
	merge := preprocess.AllSteps()
	return Settings{
		Options: analysis.Options{
			Ingest:  ingest.Options{MaxExpanded: ingest.DefaultMaxExpanded},
			Voltage: units.DefaultVoltage,
			Merge:   &merge,
			Alpha:   analysis.AutoAlpha,
			Matters: analysis.Matters,
		},
		Top: Auto, MinShare: Auto,
		Severity: finding.DefaultSeverity(),
		CodeLens: map[string]bool{"method": true, "class": true, "fleet": true, "since": true}, InlayHints: true, Diagnostics: true, SourceCache: true,
	}
}

// A Problem is a fault in a layer.
type Problem struct {
	// Line and Column are where the fault begins in a project file, and EndColumn is
	// where it ends on that line. Lines and bytes are counted from 1. All are 0 for a
	// layer in JSON, which nobody sees as a file.
	Line, Column, EndColumn int
	// Key is the setting at fault, such as "severity.error". It is empty if the file
	// as a whole cannot be read.
	Key string
	// Message is one sentence that says what is wrong and what to write instead.
	Message string
	// Warning is set for a value that counts all the same, though few mean it.
	Warning bool
}

// Faults are the problems that are no warnings.
func Faults(all []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(all), func(p Problem) bool { return p.Warning })
}

// String returns "line 3: message", or the message alone where there is no line.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}
