package server

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// runParams name a recording.
type runParams struct {
	Path string `json:"path"`
}

// runResult is the data for a page of package html about a single run.
type runResult struct {
	Tree    *report.Tree     `json:"tree"`
	Profile *report.Overview `json:"profile"`
	// Volts, Unit and Top are as in reportResult.
	Volts float64            `json:"volts"`
	Unit  string             `json:"unit"`
	Top   *report.MethodList `json:"top"`
}

// oneRun reads a single recording and returns its call tree and methods. It uses the settings,
// including the recording's mapping file and hand-overs (which code continues another's work).
func oneRun(ctx context.Context, snap *workspace.Snapshot, p *runParams) (*runResult, error) {
	if p.Path == "" {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "give the path of a recording")
	}
	o := snap.Preferences.Project().Saved.Options
	path := snap.Roots.Absolute(p.Path)
	switch path {
	case o.Subject.Path:
	case o.Reference.Path:
		o.Subject.Mapping, o.Subject.Flows, o.Subject.Process = o.Reference.Mapping, o.Reference.Flows, o.Reference.Process
		o.Subject.With = o.Reference.With
	default:
		o.Subject.Mapping, o.Subject.Flows, o.Subject.Process, o.Subject.With = "", "", "", nil
	}
	o.Subject.Repeats, o.Reference.Repeats = nil, nil
	o.Subject.Path, o.Reference.Path, o.Reference.Mapping, o.Reference.Flows, o.Reference.Process, o.Reference.With = path, "", "", "", "", nil
	var err error
	if o.Classes, err = snap.Classes(ctx); err != nil {
		return nil, err
	}
	page, _ := render.Find(report.Contexts, "html")
	o.Bundles = page.Bundles && o.PowerModel != ""
	in, err := analysis.Read(ctx, o)
	if err != nil {
		return nil, err
	}
	scale := words.ScaleFor(in.Unit(snap.Preferences.Unit), o.Voltage, in.Energy)
	tree := report.NewTree(in, snap.Version, false, report.Prune{Most: page.Contexts})
	return &runResult{tree, report.NewOverview(in), scale.Volts(), scale.Unit(), report.NewMethodList(in)}, nil
}
