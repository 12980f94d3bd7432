package server

import (
	"cmp"
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
)

// Bounds of the rows that diffprof/flask answers with: an editor draws them all.
const (
	defaultRows = 2_000
	maxRows     = 100_000
)

// flaskParams are those of diffprof/flask.
type flaskParams struct {
	// Task is a task's id; empty is the whole run.
	Task string `json:"task"`
	// MinShare leaves out branches with less of the task's energy on both sides.
	MinShare float64 `json:"minShare"`
	// MaxRows bounds the rows; 0 is defaultRows.
	MaxRows int `json:"maxRows"`
}

// A flaskResult is both call trees of a task.
type flaskResult struct {
	*report.Flask
	energyUnit
}

// flask returns both call trees of a task, aligned and pruned.
func (s *session) flask(ctx context.Context, p *flaskParams) (*flaskResult, error) {
	if p.MinShare < 0 || p.MinShare > 1 || p.MaxRows < 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "minShare is a part of 1, maxRows is not negative")
	}
	task := analysis.WholeRun
	v, err := s.comparedView(ctx)
	if err == nil && p.Task != "" {
		v, task, err = s.taskByID(ctx, p.Task)
	}
	if err != nil {
		return nil, err
	}
	r := v.layout.Set.Result
	rows := min(cmp.Or(p.MaxRows, defaultRows), maxRows)
	return &flaskResult{report.NewFlask(r, r.Flask(task, analysis.Prune{MinShare: p.MinShare, MaxRows: rows})), v.words().unitFor()}, nil
}
