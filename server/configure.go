package server

import (
	"encoding/json"
	"errors"
	"reflect"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/settings"
)

// section is the name of this server's settings in clients.
const section = "diffprof"

// errNoTraces is the error of a comparison without traces.
var errNoTraces = errors.New("no traces to compare: set diffprof.subject and diffprof.reference in the editor, or subject and reference in " + workspace.ProjectFile)

// didChangeConfiguration accepts changed settings. If the client prefers requests, the server
// requests the settings.
func (s *session) didChangeConfiguration(p *lsp.DidChangeConfigurationParams) error {
	if len(p.Settings) > 0 && string(p.Settings) != "null" && !s.client.Can().Workspace.Configuration {
		s.workspace.SetClientSettings(p.Settings)
	}
	s.asking.wake()
	s.configuring.wake()
	return nil
}

// A configurer reads changed settings, and compares again if the inputs changed. Only the goroutine
// of its loop uses it.
type configurer struct {
	s *session
	// shown is the last message about wrong client settings. The same message is not shown
	// twice in a row.
	shown string
}

func newConfigurer(s *session) *configurer { return &configurer{s: s} }

func (c *configurer) configure() error {
	s := c.s
	if s.asking.taken() && s.client.Can().Workspace.Configuration {
		c.ask()
	}
	c.complain(s.workspace.ReadSettings())
	if s.o.configured != nil {
		defer s.o.configured()
	}
	s.workspace.Invalidate()
	o := s.options()
	if o.Subject.Path == "" || o.Reference.Path == "" {
		return nil
	}
	if last, ok := s.runner.Compared(); ok && reflect.DeepEqual(last, o) {
		return nil
	}
	_, err := s.compareNow()
	return err
}

// ask requests the settings from the client.
func (c *configurer) ask() {
	var answers []json.RawMessage
	ask := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: section}}}
	if err := c.s.client.Call(c.s.ctx, protocol.MethodWorkspaceConfiguration, ask, &answers); err != nil {
		c.s.client.Logf("%v", err)
		return
	}
	if len(answers) == 1 && string(answers[0]) != "null" && len(answers[0]) > 0 {
		c.s.workspace.SetClientSettings(answers[0])
	}
}

// complain shows the errors in the client's settings. It does not show the same errors again.
func (c *configurer) complain(wrong []settings.Problem) {
	text := ""
	for _, p := range wrong {
		text += "\n" + p.Message
	}
	again := text == c.shown
	c.shown = text
	if text != "" && !again {
		c.s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{
			Type: protocol.MessageTypeWarning, Message: "diffprof's settings:" + text,
		})
	}
}
