package server

import (
	"encoding/json"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// A publisher tells the client what is new. Its loop alone touches it.
type publisher struct {
	s *session
	// shown is the snapshot that was published last, nil before the first.
	shown *workspace.Snapshot
	// pushed has the diagnostics that were published last, encoded, by path.
	pushed map[string]string
}

func newPublisher(s *session) *publisher { return &publisher{s: s, pushed: make(map[string]string)} }

func (p *publisher) publish() error {
	s := p.s
	snapshot, err := s.workspace.Snapshot(s.ctx)
	if err != nil {
		return err
	}
	before := p.shown
	p.shown = snapshot
	// An edit makes clients ask anew by themselves.
	refresh := snapshot != before && !snapshot.OnlyEdited(before)
	can := s.client.Can()
	if !can.Pulls() {
		p.push(snapshot)
	} else if refresh {
		p.refresh(lsp.MethodDiagnosticRefresh)
	}
	if snapshot != before {
		s.client.Tell(lsp.MethodDidChange, struct{}{})
	}
	if refresh && can.Workspace.CodeLens.RefreshSupport {
		p.refresh(lsp.MethodCodeLensRefresh)
	}
	if refresh && can.Workspace.InlayHint.RefreshSupport && (snapshot.Preferences.InlayHints || before != nil && before.Preferences.InlayHints) {
		p.refresh(lsp.MethodInlayHintRefresh)
	}
	if s.o.published != nil {
		s.o.published(snapshot)
	}
	return nil
}

// refresh asks the client to ask again.
func (p *publisher) refresh(method string) {
	p.s.background.Go(func() { p.s.client.Request(method, nil) })
}

// push publishes the diagnostics that differ from those published last.
func (p *publisher) push(snapshot *workspace.Snapshot) {
	next := make(map[string][]protocol.Diagnostic)
	if snapshot.Layout != nil {
		for path := range snapshot.Layout.Files {
			if list := diagnostics(snapshot, path); len(list) > 0 {
				next[path] = list
			}
		}
	}
	for _, project := range snapshot.Preferences.Projects {
		if list := diagnostics(snapshot, project.File); len(list) > 0 {
			next[project.File] = list
		}
	}
	for _, path := range slices.Sorted(maps.Keys(next)) {
		p.pushFile(snapshot, path, next[path])
	}
	for _, path := range slices.Sorted(maps.Keys(p.pushed)) {
		if next[path] == nil {
			p.pushFile(snapshot, path, []protocol.Diagnostic{})
			delete(p.pushed, path)
		}
	}
}

// pushFile publishes a file's diagnostics if they are not those published last.
func (p *publisher) pushFile(snapshot *workspace.Snapshot, path string, list []protocol.Diagnostic) {
	content, err := json.Marshal(list)
	if err != nil {
		p.s.client.Logf("encoding diagnostics: %v", err)
		return
	}
	if p.pushed[path] == string(content) {
		return
	}
	p.pushed[path] = string(content)
	params := &protocol.PublishDiagnosticsParams{URI: snapshot.URIOf(path), Diagnostics: list}
	if d := snapshot.Document(path); d != nil && d.Version > 0 {
		params.Version = uint32(d.Version)
	}
	p.s.client.Notify(protocol.MethodTextDocumentPublishDiagnostics, params)
}
