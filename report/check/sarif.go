package check

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// information is the address of the page that describes the rules.
const information = "https://github.com/diffprof/diffprof/blob/main/docs/ci.md"

// rules are the kinds of issues with their meanings.
var rules = []struct {
	code             finding.Code
	name, text, help string
}{
	{finding.CostlierTask, "CostlierTask", "The reference uses less energy for the task.", "Compare the two call trees with diffprof flask: they show where the difference is."},
	{finding.UnmatchedTask, "UnmatchedTask", "The reference has no such task.", "Check whether the app needs this work, this often and at this time."},
	{finding.CostlierCode, "CostlierCode", "The method itself uses more energy than in the reference.", "Look at the code of the method and at its number of calls."},
	{finding.FleetSuspect, "FleetSuspect", "The app uses a lot of energy on many devices of a fleet. This task may be the cause.", "Record the app as diffprof fleet suggest says, and look at how the task uses the component."},
	{finding.HeldWakelock, "HeldWakelock", "A wakelock keeps the device awake after the work is done.", "Release the wakelock as soon as the work is done, on every path."},
	{finding.LeftOn, "LeftOn", "A component is still on when the recording ends.", "Stop or close the component as soon as nothing needs it."},
	{finding.AvoidableTail, "AvoidableTail", "A component becomes active again and again, and each time a tail follows.", "Do the operations together, so that only one tail follows."},
	{finding.RepeatedIO, "RepeatedIO", "A call uses a component again and again with other work in between.", "Do all operations at once, before or after the other work."},
}

// levels has SARIF's levels, by severity.
var levels = map[string]string{"error": "error", "warning": "warning", "information": "note", "hint": "note"}

// SARIF writes issues in the Static Analysis Results Interchange Format, version 2.1.0. The
// fingerprint of a result is the finding's identity.
func SARIF(w io.Writer, d *report.Document, o report.Options) error {
	p := newPage(d, o)
	run := sarifRun{ColumnKind: "utf16CodeUnits", Language: "en-US", NewlineSequences: []string{"\r\n", "\n"}, Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{
		Contents:       []string{"localizedData", "nonLocalizedData"},
		InformationURI: information, Language: "en-US", Name: "diffprof", SemanticVersion: semantic(p.version()),
	}
	index := make(map[finding.Code]int)
	for i, rule := range rules {
		index[rule.code] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.code, Name: rule.name, HelpURI: information + "#" + string(rule.code),
			ShortDescription: sarifText{rule.text}, FullDescription: sarifText{rule.text}, Help: sarifText{rule.help},
		})
	}
	for _, i := range p.issues {
		run.Results = append(run.Results, sarifResult{
			Kind: "fail", Level: levels[i.severity], Locations: []sarifLocation{p.location(&i)}, Message: sarifText{i.message + "."},
			PartialFingerprints: sarifPrints{i.id, i.id + ":1"}, Properties: properties(&i), RuleID: i.code, RuleIndex: index[i.code],
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(sarifLog{Schema: sarifSchema, Runs: []sarifRun{run}, Version: "2.1.0"}); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	return nil
}

// location returns the place of an issue: a line of a file, and the method or component.
func (p *page) location(i *issue) sarifLocation {
	var at sarifLocation
	at.PhysicalLocation.ArtifactLocation = p.artifact(i)
	at.PhysicalLocation.Region.StartLine = max(i.line, 1)
	if i.method.Name != "" {
		at.LogicalLocations = []sarifLogical{{clean(i.method.Label()), "function"}}
	} else {
		at.LogicalLocations = []sarifLogical{{i.component, "resource"}}
	}
	return at
}

// artifact returns the file of an issue. GitHub rejects a report if one issue has no file.
func (p *page) artifact(i *issue) sarifArtifact {
	at := &url.URL{Path: p.where(i)}
	if filepath.IsAbs(filepath.FromSlash(at.Path)) {
		at.Scheme, at.Path = "file", "/"+strings.TrimPrefix(at.Path, "/")
	}
	location := sarifArtifact{URI: at.String()}
	if i.path != "" && at.Scheme == "" {
		location.URIBaseID = "%SRCROOT%"
	}
	return location
}

// properties returns why the data of a fleet makes an issue suspect, or nil.
func properties(i *issue) *sarifProperties {
	if i.suspect == nil {
		return nil
	}
	return &sarifProperties{sarifSuspect{i.suspect.Component, i.suspect.Energy, i.suspect.Message, i.suspect.Method}}
}

// semantic returns the version if it is a semantic version (semver.org), and a development version
// otherwise.
func semantic(version string) string {
	if version == "" || version[0] < '0' || version[0] > '9' {
		return "0.0.0-development"
	}
	return version
}
