package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// compareArguments name the traces to compare; without them those of the settings
// are compared.
type compareArguments struct {
	Subject   string `json:"subject"`
	Reference string `json:"reference"`
}

// commandCompare compares and answers at the end; cancelling the request cancels
// the comparison.
func (s *session) commandCompare(ctx context.Context, a *compareArguments) (any, error) {
	if a.Subject != "" || a.Reference != "" {
		if a.Subject == "" || a.Reference == "" {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "name both the subject and the reference, or none")
		}
		subject, reference := s.fromRoot(a.Subject), s.fromRoot(a.Reference)
		s.override(func(o *overrides) { o.subject, o.reference = subject, reference })
	}
	c, err := s.compareNow()
	if err != nil {
		return nil, err
	}
	return s.await(ctx, c)
}

// await waits for a comparison and sums it up.
func (s *session) await(ctx context.Context, c *comparison) (any, error) {
	if err := c.wait(ctx); err != nil {
		if errors.Is(err, errReplaced) {
			return nil, jsonrpc2.NewError(lsp.CodeServerCancelled, err.Error())
		}
		return nil, err
	}
	return s.summary(c.set), nil
}

// commandClear drops the comparison and all that is shown of it.
func (s *session) commandClear(context.Context, *struct{}) (any, error) {
	s.stopWork()
	s.mu.Lock()
	s.set, s.comparing = nil, nil
	s.config.overrides.subject, s.config.overrides.reference = "", ""
	s.mu.Unlock()
	s.placeAll()
	return nil, nil
}

// setAlphaArguments hold "auto" or a number.
type setAlphaArguments struct {
	Alpha any `json:"alpha"`
}

// commandSetAlpha compares with another α until the settings change it.
func (s *session) commandSetAlpha(ctx context.Context, a *setAlphaArguments) (any, error) {
	alpha := 0
	switch n := a.Alpha.(type) {
	case float64:
		alpha = int(n)
		if n < 0 || n > maxAlpha || float64(alpha) != n {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "α is %v: it must be a whole number from 0 to %d, or \"auto\"", n, maxAlpha)
		}
	case string:
		if n != "auto" {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "α is %.40q: it must be a whole number, or \"auto\"", n)
		}
		alpha = analysis.AutoAlpha
	default:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "α must be a whole number, or \"auto\"")
	}
	s.override(func(o *overrides) { o.alpha = &alpha })
	c, err := s.compareNow()
	if err != nil {
		return nil, err
	}
	return s.await(ctx, c)
}

// maxAlpha bounds α: more steps than any call path has.
const maxAlpha = 1 << 20

// packagesResult lists the packages of both inputs.
type packagesResult struct {
	*report.Packages
	energyUnit
}

// commandListPackages says of the packages in both inputs whose each is.
func (s *session) commandListPackages(ctx context.Context, _ *struct{}) (any, error) {
	v, err := s.comparedView(ctx)
	if err != nil {
		return nil, err
	}
	known, err := analysis.Platform(s.options())
	if err != nil {
		return nil, err
	}
	r := v.layout.Set.Result
	list := report.NewPackages([]*analysis.Input{&r.Subject, &r.Reference}, s.o.Version, known)
	return &packagesResult{list, v.words().unitFor()}, nil
}

// taskArguments name a task.
type taskArguments struct {
	Task string `json:"task"`
}

// shownTask is a task as Markdown, for clients that can show it.
type shownTask struct {
	Task     string `json:"task"`
	Message  string `json:"message"`
	Markdown string `json:"markdown"`
}

// commandShowTask says what a task is, and returns its two flasks. Clients that
// draw flasks carry the command out themselves.
func (s *session) commandShowTask(ctx context.Context, a *taskArguments) (any, error) {
	v, i, err := s.taskByID(ctx, a.Task)
	if err != nil {
		return nil, err
	}
	text, err := v.markdown(i)
	if err != nil {
		return nil, err
	}
	shown := shownTask{a.Task, v.words().task(i), text}
	s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: shown.Message})
	return shown, nil
}

// commandIgnoreTask returns the edit by which the project file ignores a task. No
// action need be offered for it: its callers may be in no source of the workspace.
func (s *session) commandIgnoreTask(ctx context.Context, a *taskArguments) (any, error) {
	v, i, err := s.taskByID(ctx, a.Task)
	if err != nil {
		return nil, err
	}
	edit, err := s.ignoreEdit(&v.layout.Set.Tasks[i])
	if err != nil {
		return nil, err
	}
	return edit, nil
}

// taskByID finds a task of the comparison that is shown.
func (s *session) taskByID(ctx context.Context, id string) (*view, int, error) {
	v, err := s.comparedView(ctx)
	if err != nil {
		return nil, 0, err
	}
	i, ok := v.layout.Set.ByID[id]
	if !ok {
		return nil, 0, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the comparison has no task %.40q", id)
	}
	return v, i, nil
}

// commandToggle turns all lenses off, or on again as the settings have them.
func (s *session) commandToggle(context.Context, *struct{}) (any, error) {
	off := false
	s.override(func(o *overrides) {
		o.lensesOff = !o.lensesOff
		off = o.lensesOff
	})
	s.reconfigure()
	return map[string]bool{"enabled": !off}, nil
}

// reportArguments say where to write a report.
type reportArguments struct {
	// Path is below a workspace folder: absolute, or from the first one.
	Path string `json:"path"`
	// Format is "html", "json" or "text". Without one the end of the file's name
	// decides: .html, .txt, and JSON for all others.
	Format string `json:"format"`
	// Overwrite says whether a file that is there already may be replaced.
	Overwrite bool `json:"overwrite"`
}

// commandReport writes the comparison to a file of the workspace.
func (s *session) commandReport(ctx context.Context, a *reportArguments) (any, error) {
	v, err := s.comparedView(ctx)
	if err != nil {
		return nil, err
	}
	path := s.fromRoot(a.Path)
	if a.Path == "" || !s.inside(path) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%.200q does not lie in the workspace: reports go nowhere else", a.Path)
	}
	data, err := v.render(s.o.Version, cmp.Or(a.Format, formatOf(path)))
	if err != nil {
		return nil, err
	}
	if err := writeFile(path, data, a.Overwrite); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return map[string]string{"uri": string(lsp.URIOf(path))}, nil
}
