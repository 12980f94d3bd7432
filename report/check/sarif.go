package check

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// information is where people read what the rules mean.
const information = "https://github.com/diffprof/diffprof/blob/main/docs/ci.md"

// rules are the kinds of issues, with what they mean.
var rules = []struct {
	code             finding.Code
	name, text, help string
}{
	{finding.CostlierTask, "CostlierTask", "The reference uses less energy for the task.", "Compare the two call trees with diffprof flask: they show where the difference is."},
	{finding.UnmatchedTask, "UnmatchedTask", "The reference has no such task.", "Check whether the app needs this work, this often and at this time."},
	{finding.CostlierCode, "CostlierCode", "The method itself uses more energy than in the reference.", "Look at the code of the method and at its number of calls."},
	{finding.FleetSuspect, "FleetSuspect", "The app uses much in a fleet of devices, and the task may be the cause.", "Record the app as diffprof fleet suggest says, and look at how the task uses the component."},
	{finding.HeldWakelock, "HeldWakelock", "A wakelock keeps the device awake for longer than the work takes.", "Release the wakelock as soon as the work is done, on every path."},
	{finding.LeftOn, "LeftOn", "A component is still on when the recording ends.", "Stop or close the component as soon as nothing needs it."},
	{finding.AvoidableTail, "AvoidableTail", "A component becomes active again and again, and each time a tail follows.", "Do the operations together, so that they share one tail."},
	{finding.RepeatedIO, "RepeatedIO", "A call uses a component again and again with other work in between.", "Do all operations at once, before or after the other work."},
}

// levels has SARIF's levels, by severity.
var levels = map[string]string{"error": "error", "warning": "warning", "information": "note", "hint": "note"}

// SARIF writes issues in the Static Analysis Results Interchange Format, version 2.1.0.
// Fingerprints are the identities of findings.
func SARIF(w io.Writer, d *report.Document, o report.Options) error {
	p := newPage(d, o)
	run := sarif.NewRunWithInformationURI("diffprof", information)
	run.Tool.Driver.WithSemanticVersion(semantic(p.version()))
	run.WithColumnKind("utf16CodeUnits")
	index := make(map[finding.Code]int)
	for i, rule := range rules {
		index[rule.code] = i
		run.Tool.Driver.AddRule(sarif.NewRule(string(rule.code)).WithName(rule.name).WithHelpURI(information + "#" + string(rule.code)).
			WithShortDescription(sentence(rule.text)).WithFullDescription(sentence(rule.text)).WithHelp(sentence(rule.help)))
	}
	for _, i := range p.issues {
		at := sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(p.artifact(&i)).
			WithRegion(sarif.NewRegion().WithStartLine(max(i.line, 1))))
		if i.method.Name != "" {
			at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(clean(i.method.Label())).WithKind("function"))
		} else {
			at.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(i.component).WithKind("resource"))
		}
		result := sarif.NewRuleResult(string(i.code)).WithRuleIndex(index[i.code]).WithLevel(levels[i.severity]).WithMessage(sarif.NewTextMessage(i.message + ".")).
			AddLocation(at).WithPartialFingerprints(map[string]string{"diffprof/v1": i.id, "primaryLocationLineHash": i.id + ":1"})
		if i.suspect != nil {
			result.WithProperties(sarif.NewPropertyBag().Add("suspect", i.suspect))
		}
		run.AddResult(result)
	}
	made := sarif.NewReport()
	made.AddRun(run)
	return writeSARIF(w, made)
}

// artifact is the file of an issue. GitHub takes no report in which one issue has none.
func (p *page) artifact(i *issue) *sarif.ArtifactLocation {
	at := &url.URL{Path: p.where(i)}
	if filepath.IsAbs(filepath.FromSlash(at.Path)) {
		at.Scheme, at.Path = "file", "/"+strings.TrimPrefix(at.Path, "/")
	}
	location := sarif.NewSimpleArtifactLocation(at.String())
	if i.path != "" && at.Scheme == "" {
		location.WithURIBaseID("%SRCROOT%")
	}
	return location
}

// writeSARIF writes a report without unset values. The library writes -1 for an unset index, and
// empty arrays, and validators warn about them.
func writeSARIF(w io.Writer, made *sarif.Report) error {
	data, err := json.Marshal(made)
	if err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	var document any
	if err := json.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(set(document)); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	return nil
}

// set returns a value of JSON without the properties of its objects that are not set. A run
// keeps its results, even if there are none.
func set(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, of := range v {
			of = set(of)
			if list, ok := of.([]any); ok && len(list) == 0 && name != "results" || of == nil || of == -1.0 {
				delete(v, name)
			} else {
				v[name] = of
			}
		}
	case []any:
		for i := range v {
			v[i] = set(v[i])
		}
	}
	return value
}

func sentence(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}

// semantic is a version of the program that is one of semver.org.
func semantic(version string) string {
	if version == "" || version[0] < '0' || version[0] > '9' {
		return "0.0.0-development"
	}
	return version
}
