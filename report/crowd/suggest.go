package crowd

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/report/words"
)

// Suggestion proposes a recording of an app, and a recording to compare it with.
type Suggestion struct {
	App string `json:"app"`
	// Clients is the number of devices that ran the app.
	Clients int64 `json:"clients"`
	// Version is the version to record. It is empty if the samples have no versions. When are the
	// conditions of the recording. Drain is the excess under these conditions. It is nil if the app
	// has no excess.
	Version string   `json:"version"`
	When    []string `json:"when"`
	Drain   *Drain   `json:"drain"`
	// Devices are the clients with a bug of the app, the largest excess first. It is set only if
	// the app is not a hog.
	Devices []string `json:"devices"`
	// Against is nil if the fleet does not show what to compare with.
	Against *Against `json:"against"`
	// Commands are the commands that record and compare, in this order. It is empty without Against.
	Commands []Command `json:"commands"`
	// Missing names the fields that the samples lack for a better suggestion.
	Missing []string `json:"missing"`
}

// Against is the other side of a suggested comparison.
type Against struct {
	// Kind is "version", "condition", "app" or "device".
	Kind string `json:"kind"`
	// Name is the version, the condition, the app, or the description of the device. Later is set if
	// this version is newer than the version to record.
	Name  string `json:"name"`
	Later bool   `json:"later"`
	Drain Drain  `json:"drain"`
}

// Command is a line for a shell, with its purpose.
type Command struct {
	For  string `json:"for"`
	Line string `json:"line"`
}

// Suggest proposes a recording of an app. path is the fleet's file. similar are apps with the same
// function. Suggest returns false if fewer than five clients ran the app.
func Suggest(f *fleet.Fleet, path, app string, similar []string, version string) (*Document, bool, error) {
	s, err := f.Suggest(app, similar)
	if err != nil || s == nil {
		return nil, false, err
	}
	d := newDocument(f, version, "suggestion")
	made := &Suggestion{
		App: app, Clients: s.Claim.Clients, Version: s.Version, When: []string{}, Commands: []Command{}, Devices: append([]string{}, s.Devices...),
		Missing: append([]string{}, s.Missing...),
	}
	d.Suggestion = made
	if s.Claim.Hog || s.Claim.Bugs > 0 {
		drain := drainOf(s.Claim.Worst())
		made.Drain = &drain
		for _, c := range s.Claim.Conditions {
			if c.Feature != fleet.Version || s.Version == "" {
				made.When = append(made.When, c.String())
			}
		}
	}
	if !s.Claim.Hog && s.Claim.Bugs > 0 {
		d.note("The app uses more on %s than on other devices; the figure is the median over the devices where it uses more.", words.Some(s.Claim.Bugs, "device"))
	}
	if len(s.Claim.Confounded) > 0 {
		d.note("The fleet cannot distinguish %s from %s: record both.", app, namesText(s.Claim.Confounded))
	}
	if s.Kind != "" {
		made.Against = &Against{Kind: s.Kind, Name: s.Against, Later: s.Later, Drain: drainOf(s.Less)}
		switch s.Kind {
		case fleet.WithoutCondition:
			made.Against.Name = s.Without.String()
		case fleet.OtherDevice:
			made.Against.Name = "another device"
		}
		recorded := []string{app}
		if s.Kind == fleet.SimilarApp {
			recorded = append(recorded, s.Against)
		}
		for _, name := range recorded {
			if _, ok := applicationID(name); !ok {
				made.Missing = append(made.Missing, fmt.Sprintf("%s is not an application id: diffprof record cannot start it", name))
				return d, true, nil
			}
		}
		made.Commands = commands(s, path)
	}
	return d, true, nil
}

// anID matches the application ids that diffprof record accepts.
var anID = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)+$`)

// applicationID returns the id of a process's application, and whether it is valid. A process may
// have its own name after a colon.
func applicationID(process string) (string, bool) {
	id, _, _ := strings.Cut(process, ":")
	return id, anID.MatchString(id)
}

// minutesOfRecording is the suggested length of a run. An excess is too small to be measured over a
// few seconds.
const minutesOfRecording = "2m"

// commands returns the commands that record and compare a suggestion.
func commands(s *fleet.Suggestion, path string) []Command {
	app := s.Claim.App
	record := func(app, more, to string) string {
		id, _ := applicationID(app)
		return fmt.Sprintf("diffprof record --package %s%s --for %s --repeat 5 --perfetto -o %s", id, more, minutesOfRecording, to)
	}
	var all []Command
	on, _ := setup(s.Claim.Conditions)
	if on != "" {
		all = append(all, Command{"settings of the device for the recording", on})
	}
	subject, reference := "runs/subject", "runs/reference"
	switch s.Kind {
	case fleet.OtherVersion:
		builds := fmt.Sprintf(" --subject-apk %s --reference-apk %s", quoted(s.Version+".apk"), quoted(s.Against+".apk"))
		all = append(all, Command{fmt.Sprintf("version %s and version %s, in turn", s.Version, s.Against), record(app, builds, "runs")})
	case fleet.WithoutCondition:
		all = append(all, Command{strings.Join(texts(s.Claim.Conditions), ", "), record(app, "", subject)})
		if off, ok := setup([]claim.Condition{s.Without}); ok {
			all = append(all, Command{"settings of the device for the other recording", off})
		}
		all = append(all, Command{strings.Join(texts([]claim.Condition{s.Without}), ""), record(app, "", reference)})
	case fleet.OtherDevice:
		all = append(all, Command{"a device on which the app uses more", record(app, "", subject)}, Command{"another device", record(app, "", reference)})
	case fleet.SimilarApp:
		all = append(all, Command{"the app", record(app, "", subject)}, Command{"the similar app that uses least", record(s.Against, "", reference)})
	}
	return append(all, Command{
		"compare both runs with the fleet; set --battery to the capacity of your device's battery",
		fmt.Sprintf("diffprof compare --fleet %s --fleet-app %s --battery 4000mAh %s %s", quoted(path), quoted(app), subject, reference),
	})
}

// texts formats the conditions of a recording.
func texts(all []claim.Condition) []string {
	var list []string
	for _, c := range all {
		text := c.String()
		if c.Feature == samples.System || c.Feature == samples.Model {
			text = "a device with " + text
		}
		list = append(list, text)
	}
	return list
}

// setup returns the command that sets the conditions on a device. It returns false if there is no
// such command.
func setup(all []claim.Condition) (string, bool) {
	var lines []string
	for _, c := range all {
		for _, part := range c.Components() {
			switch {
			case part == "cellular":
				lines = append(lines, "adb shell svc data enable", "adb shell svc wifi disable")
			case part == "wifi" && c.Feature == samples.Network:
				lines = append(lines, "adb shell svc wifi enable", "adb shell svc data disable")
			case part == "wifi" || part == "bluetooth":
				lines = append(lines, "adb shell svc "+part+" enable")
			}
		}
	}
	return strings.Join(lines, " && "), len(lines) > 0
}

// quoted quotes a word for a shell.
func quoted(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:+@%", r))
	}) < 0 && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Recording describes the recording in words.
func (s *Suggestion) Recording() string {
	text := s.App
	if s.Version != "" {
		text += ", version " + s.Version
	}
	if len(s.When) > 0 {
		text += ", with " + strings.Join(s.When, ", ")
	}
	if len(s.Devices) > 0 {
		text += ", on a device such as " + namesText(s.Devices)
	}
	return text
}

// Text describes the other side of the comparison in words.
func (a *Against) Text() string {
	switch a.Kind {
	case fleet.OtherVersion:
		if a.Later {
			return "version " + a.Name + ", the first later one that uses less"
		}
		return "version " + a.Name + ", the last earlier one that uses less"
	case fleet.OtherDevice:
		return "the same app on another device; the figure is for all devices together"
	case fleet.WithoutCondition:
		return "the same with " + a.Name
	}
	return a.Name + ", the similar app that uses least"
}

func textSuggestion(b io.Writer, s *Suggestion) {
	if s.Drain != nil {
		fmt.Fprintf(b, "record   %s: %s more\n", s.Recording(), words.PercentPerHour(s.Drain.Excess, s.Drain.Half))
	}
	if s.Against != nil {
		fmt.Fprintf(b, "against  %s: %s\n", s.Against.Text(), words.ExcessPerHour(s.Against.Drain.Excess, s.Against.Drain.Half))
	}
	for _, c := range s.Commands {
		fmt.Fprintf(b, "\n# %s\n%s\n", c.For, c.Line)
	}
	for i, m := range s.Missing {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "missing: %s\n", m)
	}
}
