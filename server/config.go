package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/settings"
)

// projectFile holds a project's settings, at a workspace root.
const projectFile = settings.FileName

// section is what clients call the settings of this server.
const section = "diffprof"

// preferences say how to show a comparison. They do not change.
type preferences struct {
	settings.Settings
	// lensesOff is set where a command turned all lenses off.
	lensesOff bool
	// problems are the diagnostics of project files, by path.
	problems map[string][]protocol.Diagnostic
}

// overrides are what commands changed, until the connection ends.
type overrides struct {
	subject, reference string
	alpha              *int
	lensesOff          bool
}

// config is what the settings come from and what they come to.
type config struct {
	// client are the settings as the client sent them last: at initialize, with a
	// change, or when it was asked.
	client    json.RawMessage
	overrides overrides
	// ask is set when the client is to be asked for its settings.
	ask bool
	// wrong is what is wrong with the client's settings; complaint is what was last said of the client's settings.
	wrong     []settings.Problem
	complaint string
	// saved is what all sources come to for comparing, prefs for showing.
	saved *settings.Settings
	prefs *preferences
	// compared are the options of the last comparison begun.
	compared *analysis.Options
}

// takeInitializationOptions takes the settings of initialize: the object of the
// settings, or one that has it under its name.
func (s *session) takeInitializationOptions(raw json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.client, s.config.ask = raw, true
}

// didChangeConfiguration takes changed settings, or asks for them where the client
// would rather be asked.
func (s *session) didChangeConfiguration(_ context.Context, p *struct {
	Settings json.RawMessage `json:"settings"`
}) error {
	s.mu.Lock()
	s.config.ask = true
	if len(p.Settings) > 0 && string(p.Settings) != "null" && !s.client.Workspace.Configuration {
		s.config.client = p.Settings
	}
	s.mu.Unlock()
	s.reconfigure()
	return nil
}

// override changes what commands may change. change is called with mu held.
func (s *session) override(change func(*overrides)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.config.overrides)
}

// reconfigure reads the settings anew in the background, and compares if what is
// compared changed.
func (s *session) reconfigure() {
	select {
	case s.configuring <- struct{}{}:
	default:
	}
}

// configure follows the settings until the connection ends.
func (s *session) configure() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.configuring:
		}
		if err := s.configureOnce(); err != nil && s.ctx.Err() == nil {
			s.logf("settings: %v", err)
		}
	}
}

func (s *session) configureOnce() (err error) {
	defer s.recovers("reading the settings", &err)
	s.mu.Lock()
	ask := s.config.ask && s.client.Workspace.Configuration
	s.config.ask = false
	s.mu.Unlock()
	if ask {
		s.pullConfiguration()
	}
	s.readSettings()
	s.complain()
	if s.o.configured != nil {
		defer s.o.configured()
	}
	s.placeAll()
	o := s.options()
	if o.Subject == "" || o.Reference == "" {
		return nil
	}
	s.mu.Lock()
	same := s.config.compared != nil && reflect.DeepEqual(*s.config.compared, o)
	s.mu.Unlock()
	if !same {
		_, err = s.compareNow()
	}
	return err
}

// pullConfiguration asks the client for the settings.
func (s *session) pullConfiguration() {
	var answers []json.RawMessage
	ask := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: section}}}
	if err := s.call(s.ctx, protocol.MethodWorkspaceConfiguration, ask, &answers); err != nil {
		s.logf("%v", err)
		return
	}
	if len(answers) == 1 && string(answers[0]) != "null" && len(answers[0]) > 0 {
		s.mu.Lock()
		s.config.client = answers[0]
		s.mu.Unlock()
	}
}

// compareNow compares what the settings name.
func (s *session) compareNow() (*comparison, error) {
	o := s.options()
	if o.Subject == "" || o.Reference == "" {
		return nil, errNoTraces
	}
	s.mu.Lock()
	s.config.compared = &o
	s.mu.Unlock()
	return s.compare(o), nil
}

// recompare compares again what changed on disk.
func (s *session) recompare() {
	s.mu.Lock()
	wanted := s.config.compared != nil
	s.mu.Unlock()
	if !wanted {
		return
	}
	if _, err := s.compareNow(); err != nil {
		s.logf("comparing again: %v", err)
	}
}

// fromRoot makes a path absolute: from the first workspace folder.
func (s *session) fromRoot(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.roots) == 0 {
		return path
	}
	return filepath.Join(s.roots[0].path, path)
}

// projectFiles are where project files are, or would be.
func (s *session) projectFiles() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []string
	for _, r := range s.roots {
		files = append(files, filepath.Join(r.path, projectFile))
	}
	return files
}
