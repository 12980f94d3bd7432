package server

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// The commands; docs/lsp.md describes them.
const (
	commandCompare      = "diffprof.compare"
	commandClear        = "diffprof.clear"
	commandSetAlpha     = "diffprof.setAlpha"
	commandListPackages = "diffprof.listPackages"
	commandShowTask     = "diffprof.showTask"
	commandIgnoreTask   = "diffprof.ignoreTask"
	commandReport       = "diffprof.report"
	commandToggle       = "diffprof.toggleCodeLens"
)

// A command takes at most one argument, an object.
type command struct {
	name string
	run  func(s *session, ctx context.Context, argument json.RawMessage) (any, error)
}

// commands is the table of commands.
func commands() []command {
	return []command{
		{commandCompare, argument((*session).commandCompare)},
		{commandClear, argument((*session).commandClear)},
		{commandSetAlpha, argument((*session).commandSetAlpha)},
		{commandListPackages, argument((*session).commandListPackages)},
		{commandShowTask, argument((*session).commandShowTask)},
		{commandIgnoreTask, argument((*session).commandIgnoreTask)},
		{commandReport, argument((*session).commandReport)},
		{commandToggle, argument((*session).commandToggle)},
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// argument gives a command its argument as a value; it is the zero value without
// one.
func argument[A any](f func(*session, context.Context, *A) (any, error)) func(*session, context.Context, json.RawMessage) (any, error) {
	return func(s *session, ctx context.Context, raw json.RawMessage) (any, error) {
		var a A
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &a); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the command's argument does not fit: %v", err)
			}
		}
		return f(s, ctx, &a)
	}
}

func (s *session) executeCommand(ctx context.Context, p *lsp.ExecuteCommandParams) (any, error) {
	if len(p.Arguments) > 1 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s takes one argument, an object", p.Command)
	}
	var raw json.RawMessage
	if len(p.Arguments) == 1 {
		raw = p.Arguments[0]
	}
	for _, c := range commands() {
		if c.name == p.Command {
			return c.run(s, ctx, raw)
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %q", p.Command)
}
