package server

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/settings"
)

// errNoTraces is the answer to comparing without anything to compare.
var errNoTraces = errors.New("there is nothing to compare: set diffprof.subject and diffprof.reference, in the editor or in " + projectFile)

// maxProjectFile is more than the largest project file that package settings
// reads: it says what is wrong with larger ones.
const maxProjectFile = 2 << 20

// readSettings reads the settings: the client's, and on top the project files',
// the first workspace folder's last.
//
// What is shown follows a project file as the editor has it, so that ignoring a
// task, and taking that back, shows at once. What is compared follows the file as
// it was saved: a path that is being typed is not there.
func (s *session) readSettings() {
	s.mu.Lock()
	raw, over, roots := s.config.client, s.config.overrides, s.roots
	s.mu.Unlock()
	base := settings.Default()
	if len(raw) > 0 {
		folder := ""
		if len(roots) > 0 {
			folder = roots[0].path
		}
		var problems []settings.Problem
		base, problems = base.WithJSON(raw, folder)
		s.mu.Lock()
		s.config.wrong = problems
		s.mu.Unlock()
	}
	saved, shown := base, base
	problems := make(map[string][]protocol.Diagnostic)
	for _, r := range slices.Backward(roots) {
		path := filepath.Join(r.path, projectFile)
		text, err := s.projectText(path)
		if err != nil {
			s.logf("settings: %v", err)
			continue
		}
		saved, _ = saved.WithYAML(text, r.path)
		s.mu.Lock()
		if d := s.documents[path]; d != nil {
			text = []byte(d.text.Text())
		}
		s.mu.Unlock()
		var found []settings.Problem
		shown, found = shown.WithYAML(text, r.path)
		if len(found) > 0 {
			problems[path] = s.problems(string(text), found)
		}
	}
	s.mu.Lock()
	s.config.saved = &saved
	s.config.prefs = &preferences{shown, over.lensesOff, problems}
	s.mu.Unlock()
}

// projectText reads a project file; nil where there is none.
func (s *session) projectText(path string) ([]byte, error) {
	if !s.inside(path) {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxProjectFile))
}

// complain says what is wrong with the client's settings, once.
func (s *session) complain() {
	text := ""
	s.mu.Lock()
	for _, p := range s.config.wrong {
		text += "\n" + p.Message
	}
	again := text == s.config.complaint
	s.config.complaint = text
	s.mu.Unlock()
	if text != "" && !again {
		s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{
			Type: protocol.MessageTypeWarning, Message: "diffprof's settings:" + text,
		})
	}
}

// problems makes diagnostics of what is wrong in a project file.
func (s *session) problems(text string, found []settings.Problem) []protocol.Diagnostic {
	b := buffer.New(text)
	var out []protocol.Diagnostic
	for _, p := range found {
		at := func(column int) protocol.Position {
			offset := b.Offset(buffer.Position{Line: max(p.Line-1, 0), Column: max(column-1, 0)}, buffer.UTF8)
			return lsp.PositionOf(b.Position(offset, s.encoding))
		}
		d := protocol.Diagnostic{
			Range:    protocol.Range{Start: at(p.Column), End: at(p.EndColumn)},
			Severity: protocol.DiagnosticSeverityError, Source: "diffprof", Code: codeSetting, Message: p.Message,
		}
		if s.client.DiagnosticsShow().CodeDescriptionSupport {
			d.CodeDescription = &protocol.CodeDescription{Href: helpPage + "#" + codeSetting}
		}
		out = append(out, d)
	}
	return out
}

// severities are the protocol's, by their names in the settings.
var severities = map[string]protocol.DiagnosticSeverity{
	"error":       protocol.DiagnosticSeverityError,
	"warning":     protocol.DiagnosticSeverityWarning,
	"information": protocol.DiagnosticSeverityInformation,
	"hint":        protocol.DiagnosticSeverityHint,
}

// options are what to compare and how, by the settings and by what commands
// changed since.
func (s *session) options() analysis.Options {
	s.mu.Lock()
	o := s.config.saved.Options
	over := s.config.overrides
	s.mu.Unlock()
	if over.subject != "" {
		o.Subject, o.Reference = over.subject, over.reference
	}
	if over.alpha != nil {
		o.Alpha = *over.alpha
	}
	o.Coverage = true
	if o.Matching.Threads == 0 {
		// Requests are answered beside a comparison: it leaves them a processor.
		o.Matching.Threads = max(runtime.GOMAXPROCS(0)-1, 1)
	}
	return o
}

// inputs are the files that a comparison reads.
func (s *session) inputs() []string {
	o := s.options()
	return o.Files()
}
