package server

import (
	"cmp"
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// The number of rows of diffprof/flask is limited, because an editor draws all of them.
const (
	defaultRows = 2_000
	maxRows     = 100_000
)

// flaskParams are the parameters of diffprof/flask.
type flaskParams struct {
	// Task is a task's id, or "" for the whole run.
	Task string `json:"task"`
	// MinShare hides branches with a smaller share of the task's energy in both runs, from 0 to 1.
	MinShare float64 `json:"minShare"`
	// MaxRows is the largest number of rows; 0 is defaultRows.
	MaxRows int `json:"maxRows"`
}

// A flaskResult has both call trees of a task.
type flaskResult struct {
	*report.Flask
	shownIn
}

// flask returns both call trees of a task, aligned and pruned.
func flask(_ context.Context, snap *workspace.Snapshot, p *flaskParams) (*flaskResult, error) {
	if p.MinShare < 0 || p.MinShare > 1 || p.MaxRows < 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "minShare must be from 0 to 1, and maxRows must not be negative")
	}
	task := analysis.WholeRun
	if p.Task != "" {
		var err error
		if task, err = taskByID(snap, p.Task); err != nil {
			return nil, err
		}
	}
	rows := min(cmp.Or(p.MaxRows, defaultRows), maxRows)
	return &flaskResult{report.NewFlask(snap.Set, snap.Set.Result.Flask(task, analysis.Prune{MinShare: p.MinShare, MaxRows: rows})), inScale(snap.Scale())}, nil
}

// shownIn tells clients the unit in which to show figures.
type shownIn struct {
	// Unit is the symbol of the unit, such as "mJ". If it is empty, each figure has a suitable
	// unit.
	Unit string `json:"unit"`
	// Volts is the battery's voltage, for showing energy as charge.
	Volts float64 `json:"volts"`
}

// inScale converts a scale for clients.
func inScale(s words.Scale) shownIn { return shownIn{s.Unit(), s.Volts()} }
