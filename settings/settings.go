// Package settings has the list of diffprof's settings. Each setting has one name, a type,
// bounds, a default and a text. The project file diffprof.yaml, the command line, the language
// server and the editors share the list.
//
// Settings are read in layers. [Default] is the lowest one. [Settings.WithJSON] adds an editor's
// settings, [Settings.WithYAML] a project file's and [Settings.WithFlag] a flag's. A layer changes
// the settings that it names. A null changes nothing. A wrong value is reported as a [Problem] and
// changes nothing. The other values of the layer still count.
//
// Laws:
//
//   - reading a layer twice gives the same settings and the same problems;
//   - settings are within their bounds for any layer;
//   - relative paths of a layer are resolved in the folder that is given with the layer;
//   - [AddIgnore] changes no other line of a file unless it must.
//
// Texts for people and for editors are generated from the list: docs/settings.md by [Markdown],
// docs/diffprof.schema.json by [Schema], the settings of the extension for Visual Studio Code
// by [Contributes], the settings of the plug-in for Neovim by [Annotations] and [Help], and the
// flags' help by [Flags].
//
// All functions are safe for concurrent use. Settings are values, and the data to which they
// point is immutable.
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

// Auto is a value of Settings.Alpha, Settings.Top and Settings.MinShare. It means that the value is
// chosen automatically. It equals analysis.AutoAlpha.
const Auto = analysis.AutoAlpha

// Settings are the values of all settings.
type Settings struct {
	// Options select the inputs and the methods of the comparison.
	analysis.Options
	// Pairs are named pairs of traces. Pair is the name of the pair to compare (see
	// [Settings.Selected]).
	Pairs []Pair
	Pair  string
	// History is the file of the history, empty for the default.
	History string
	// Unit is the unit of displayed energies. If it is nil, the unit depends on the amounts.
	Unit *units.Unit
	// Battery is the charge of a full battery. 0 is unknown.
	Battery units.Charge
	// Activities are reference activities for the energy of a run.
	Activities []Activity
	// Top is the number of tasks in a report. 0 means all tasks. For Auto see [Settings.TopOr].
	Top int
	// Group groups tasks in reports. Empty means no groups.
	Group finding.Grouping
	// Nest lists nested tasks after their enclosing tasks in reports.
	Nest bool
	// MinShare is the smallest displayed share of energy, from 0 to 1. For Auto see
	// [Settings.MinShareOr].
	MinShare float64
	// Ignore selects tasks not to list.
	Ignore []Ignore
	// OwnOnly lists only the app's own code.
	OwnOnly bool
	// Severity sets the severity of diagnostics.
	Severity finding.Severity
	// CodeLens enables each kind of code lens in editors.
	CodeLens map[string]bool
	// InlayHints, Diagnostics and LineHeat enable inlay hints, diagnostics for findings, and
	// coloured lines in editors.
	InlayHints, Diagnostics, LineHeat bool
	// SourceCache enables the language server's cache of sources.
	SourceCache bool
}

// An Activity empties a full battery in a number of hours.
type Activity struct {
	Name  string
	Hours float64
}

// Files returns the distinct paths of all files that the settings name.
func (s *Settings) Files() []string {
	files := s.Options.Files()
	if s.History != "" {
		files = append(files, s.History)
	}
	return files
}

// TopOr returns s.Top, or suits if s.Top is [Auto]. Each report passes its own default.
func (s *Settings) TopOr(suits int) int {
	if s.Top == Auto {
		return suits
	}
	return s.Top
}

// MinShareOr returns s.MinShare, or suits if s.MinShare is [Auto]. Each output passes its own
// default.
func (s *Settings) MinShareOr(suits float64) float64 {
	if s.MinShare == Auto {
		return suits
	}
	return s.MinShare
}

// An Ignore selects the tasks that match all its fields. These tasks are not listed. An empty field
// matches every task. Task or ID is not empty.
//
// A pattern is compared with a method's whole label. If the pattern has no descriptor, it is
// compared with the label without its descriptor. A * matches any number of characters.
type Ignore struct {
	// Task is a pattern for the label of the task's framework method.
	Task string
	// Path is a pattern for the label of a method above the task on its call path, or of a
	// method of the app that calls it.
	Path string
	// ID is the task's ID in reports. It is the same in all runs in which the task has the same call
	// path.
	ID string
	// Reason is the reason for ignoring the task, for readers of the file.
	Reason string
}

// Ignored returns the first entry of s.Ignore that matches a task, or nil. method is the label of
// the task's framework method. The function above yields the labels that [Ignore].Path may match.
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

// matches reports whether a pattern matches a label.
func matches(pattern, label string) bool {
	if !strings.Contains(pattern, "(") {
		// A descriptor has both brackets, as in name.Parse.
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
			Ingest:      ingest.Options{MaxExpanded: ingest.DefaultMaxExpanded},
			Voltage:     units.DefaultVoltage,
			Merge:       &merge,
			Alpha:       analysis.AutoAlpha,
			MinRelevant: analysis.DefaultMinRelevant,
		},
		Top: Auto, MinShare: Auto,
		Severity: finding.DefaultSeverity(),
		CodeLens: map[string]bool{"method": true, "class": true, "api": true, "fleet": true, "since": true}, InlayHints: true, Diagnostics: true, SourceCache: true,
	}
}

// A Problem is a fault in a layer.
type Problem struct {
	// Line, Column and EndColumn are the range of the fault in a project file. Lines and bytes
	// count from 1. All are 0 for JSON, which comes from an editor and not from a file.
	Line, Column, EndColumn int
	// Key is the setting at fault, such as "severity.error". It is empty if the file as a whole
	// cannot be read.
	Key string
	// Message is one sentence that states the fault and the allowed values.
	Message string
	// Warning is set for a valid value that is probably a mistake.
	Warning bool
}

// Faults returns the problems that are not warnings.
func Faults(all []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(all), func(p Problem) bool { return p.Warning })
}

// String returns "line 3: message", or the message alone if there is no line.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}
