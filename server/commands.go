package server

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/settings"
)

// The commands; docs/protocol.md describes them.
const (
	commandCompare      = "diffprof.compare"
	commandClear        = "diffprof.clear"
	commandSetAlpha     = "diffprof.setAlpha"
	commandListPackages = "diffprof.listPackages"
	commandShowTask     = "diffprof.showTask"
	commandShowMethod   = "diffprof.showMethod"
	commandIgnoreTask   = "diffprof.ignoreTask"
	commandReport       = "diffprof.report"
	commandOpenReport   = "diffprof.openReport"
	commandToggle       = "diffprof.toggleCodeLens"
	commandToggleView   = "diffprof.toggle"
	commandSelectPair   = "diffprof.selectPair"
	commandListPairs    = "diffprof.listPairs"
)

// A command takes at most one argument, an object.
type command struct {
	name   string
	handle handler
	// inOrder commands change the comparison or the view. They begin one at a time, in order
	// of arrival. Other commands run concurrently.
	inOrder bool
}

// commands returns the table of commands.
func commands() []command {
	return []command{
		{commandCompare, request((*session).compareCommand), true},
		{commandClear, request((*session).clear), true},
		{commandSetAlpha, request((*session).setAlpha), true},
		{commandListPackages, request((*session).listPackages), false},
		{commandShowTask, request((*session).showTask), false},
		{commandShowMethod, request((*session).showMethod), false},
		{commandIgnoreTask, compared(ignoreTask), false},
		{commandReport, compared(writeReport), false},
		{commandOpenReport, request((*session).openReport), false},
		{commandSelectPair, request((*session).selectPair), true},
		{commandListPairs, query(listPairs), false},
		{commandToggleView, request((*session).toggle), true},
		{commandToggle, request((*session).toggleLenses), true},
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// executeCommand runs a command by its name.
func (s *session) executeCommand(ctx context.Context, p *lsp.ExecuteCommandParams) (any, error) {
	if len(p.Arguments) > 1 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s takes one argument, an object", p.Command)
	}
	var argument json.RawMessage
	if len(p.Arguments) == 1 {
		argument = p.Arguments[0]
	}
	for _, c := range commands() {
		switch {
		case c.name != p.Command:
		case c.inOrder:
			return c.handle(s, ctx, argument)
		default:
			return rest(func(ctx context.Context) (any, error) { return c.handle(s, ctx, argument) }), nil
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q", p.Command)
}

// compareArguments name the traces to compare. The traces of the settings are the default.
type compareArguments struct {
	Subject   string `json:"subject"`
	Reference string `json:"reference"`
}

// compareCommand starts a comparison and responds when the comparison ends. Cancelling the request
// cancels the comparison.
func (s *session) compareCommand(_ context.Context, a *compareArguments) (rest, error) {
	if (a.Subject == "") != (a.Reference == "") {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "name both the subject and the reference, or none")
	}
	if a.Subject != "" {
		roots := s.workspace.Roots()
		s.workspace.SetInputs(roots.Absolute(a.Subject), roots.Absolute(a.Reference))
	}
	return s.beginComparing()
}

// clear drops the comparison and all of its results.
func (s *session) clear(context.Context, *struct{}) (any, error) {
	s.workspace.SetInputs("", "")
	s.runner.Clear()
	return nil, nil
}

// setAlphaArguments hold "auto" or a number.
type setAlphaArguments struct {
	Alpha any `json:"alpha"`
}

// setAlpha compares with another α. This α overrides the settings until the connection ends.
func (s *session) setAlpha(_ context.Context, a *setAlphaArguments) (rest, error) {
	alpha := 0
	switch n := a.Alpha.(type) {
	case float64:
		alpha = int(n)
		if n < 0 || n > maxAlpha || float64(alpha) != n {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "α is %v: it must be a whole number from 0 to %d, \"auto\" or \"paper\"", n, maxAlpha)
		}
	case string:
		rule, ok := settings.AlphaRule(n)
		if !ok {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "α is %.40q: it must be a whole number, \"auto\" or \"paper\"", n)
		}
		alpha = rule
	default:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "α must be a whole number, \"auto\" or \"paper\"")
	}
	s.workspace.SetAlpha(alpha)
	return s.beginComparing()
}

// maxAlpha is the largest α. No call path has more steps.
const maxAlpha = 1 << 20

// packagesArguments select the format of the list of packages.
type packagesArguments struct {
	// Format is "json", the default, or "text".
	Format string `json:"format"`
}

// packagesResult lists the packages of both inputs.
type packagesResult struct {
	*report.Packages
	shownIn
}

// listPackages lists the packages in both inputs, with their owners.
func (s *session) listPackages(ctx context.Context, a *packagesArguments) (any, error) {
	snap, err := s.comparedSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	known, err := analysis.Platform(s.options())
	if err != nil {
		return nil, err
	}
	r := snap.Set.Result
	list := report.NewPackages([]*analysis.Input{&r.Subject, &r.Reference}, s.o.Version, known, 0)
	switch a.Format {
	case "", "json":
		return &packagesResult{list, inScale(snap.Scale())}, nil
	case "text":
		return packagesTable(list, report.Options{Unit: snap.Preferences.Unit, Voltage: r.Voltage, Width: reportWidth})
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown format %.40q: use json or text", a.Format)
}

// packagesTable returns the list as the text that the command diffprof packages prints.
func packagesTable(list *report.Packages, o report.Options) (map[string]string, error) {
	renderer, _ := render.Find(report.PackageList, "text")
	var b strings.Builder
	if err := renderer.Render(&b, &report.Document{View: report.PackageList, Packages: list}, o); err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	return map[string]string{"text": b.String()}, nil
}

// taskArguments name a task.
type taskArguments struct {
	Task string `json:"task"`
	// Tasks are all tasks to show. Task is the first. Empty means only Task.
	Tasks []string `json:"tasks,omitempty"`
}

// A shownTask describes a task in a plain sentence and, with its flasks, in Markdown.
type shownTask struct {
	Task     string `json:"task"`
	Message  string `json:"message"`
	Markdown string `json:"markdown"`
}

// showTask describes a task in a message and returns its two flasks. Clients that draw flasks
// themselves handle this command without the server.
func (s *session) showTask(ctx context.Context, a *taskArguments) (any, error) {
	snap, err := s.comparedSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	i, err := taskByID(snap, a.Task)
	if err != nil {
		return nil, err
	}
	text, err := flasks(snap, i)
	if err != nil {
		return nil, err
	}
	shown := shownTask{a.Task, words.Finding(snap.Set, i, snap.Scale()), text}
	if more := len(a.Tasks) - 1; more > 0 {
		shown.Message += "; " + words.Some(more, "more task") + " here"
		for _, id := range a.Tasks[1:min(len(a.Tasks), maxHoverTasks)] {
			i, err := taskByID(snap, id)
			if err != nil {
				return nil, err
			}
			text, err := flasks(snap, i)
			if err != nil {
				return nil, err
			}
			shown.Markdown += "\n\n---\n\n" + text
		}
	}
	s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: shown.Message})
	return shown, nil
}

// methodArguments name a method, or a class by the prefix of its methods' labels.
type methodArguments struct {
	Method string `json:"method,omitempty"`
	Class  string `json:"class,omitempty"`
}

// showMethod describes the energy of a method or a class. It is the command of lenses without
// tasks, because each lens must have a command.
func (s *session) showMethod(ctx context.Context, a *methodArguments) (any, error) {
	snap, err := s.comparedSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	cost := snap.Set.Classes()[a.Class]
	if i := slices.IndexFunc(snap.Set.Methods(), func(c finding.Cost) bool { return c.Method.Label() == a.Method }); i >= 0 {
		cost = &snap.Set.Methods()[i]
	}
	if cost == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the subject has no method %.80q and no class %.80q", a.Method, a.Class)
	}
	text := &prose{plain: true}
	describeMethod(text, snap, &place.Method{Cost: cost})
	message := text.content().Value
	s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: message})
	return map[string]string{"message": message}, nil
}

// ignoreTask returns the edit that makes the project file ignore a task or app code. Unlike
// the code action, it also works for rows without a source in the workspace.
func ignoreTask(_ context.Context, snap *workspace.Snapshot, a *taskArguments) (*lsp.WorkspaceEdit, error) {
	if at, ok := snap.Set.Find(a.Task); ok && at.Code {
		return ignoreEdit(snap, snap.Set.Result.AppCode.Rows[at.Index].Method, a.Task)
	}
	i, err := taskByID(snap, a.Task)
	if err != nil {
		return nil, err
	}
	return ignoreEdit(snap, snap.Set.Tasks()[i].Callee, a.Task)
}

// taskByID finds a task of the shown comparison.
func taskByID(snap *workspace.Snapshot, id string) (int, error) {
	i, ok := snap.Set.ByID(id)
	if !ok {
		return 0, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the comparison has no task %.40q", id)
	}
	return i, nil
}

// toggleArguments name the kind of annotation to turn off or on.
type toggleArguments struct {
	What string `json:"what"`
}

// toggle turns a kind of annotation on or off, by the name of its setting, until the
// connection ends.
func (s *session) toggle(_ context.Context, a *toggleArguments) (any, error) {
	on, ok := s.workspace.Toggle(a.What)
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%.40q cannot be turned off: use one of %s", a.What, strings.Join(workspace.Toggles(), ", "))
	}
	s.configuring.wake()
	return map[string]bool{"enabled": on}, nil
}

// toggleLenses turns all lenses off, or back on according to the settings.
func (s *session) toggleLenses(ctx context.Context, _ *struct{}) (any, error) {
	return s.toggle(ctx, &toggleArguments{workspace.CodeLens})
}
