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
	// pushed has what was published last, by path.
	pushed map[string]pushed
}

// pushed is what was published of a file.
type pushed struct {
	uri protocol.DocumentURI
	// whole are the diagnostics, encoded, and bare the same without the places of related
	// information.
	whole, bare string
}

func newPublisher(s *session) *publisher {
	return &publisher{s: s, pushed: make(map[string]pushed)}
}

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
		// An edit moves places that the diagnostics of other files name. To publish those
		// with each keystroke helps nobody; they are when the file is saved.
		if s.saved.taken() || !snapshot.OnlyEdited(before) {
			p.push(snapshot)
		} else {
			p.pushEdited(before, snapshot)
		}
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

// pushEdited publishes the diagnostics of files in which an edit moved something.
func (p *publisher) pushEdited(before, now *workspace.Snapshot) {
	if before.Layout == now.Layout || before.Layout == nil || now.Layout == nil {
		return
	}
	files := maps.Clone(now.Layout.Files)
	maps.Copy(files, before.Layout.Files)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if !now.Layout.Files[path].Same(before.Layout.Files[path]) || now.URIOf(path) != before.URIOf(path) {
			p.pushFile(now, path, diagnostics(now, path), false)
		}
	}
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
		p.pushFile(snapshot, path, next[path], true)
	}
	for _, path := range slices.Sorted(maps.Keys(p.pushed)) {
		if next[path] == nil {
			p.pushFile(snapshot, path, []protocol.Diagnostic{}, true)
			delete(p.pushed, path)
		}
	}
}

// pushFile publishes a file's diagnostics if they are not those published last. Unless
// whole is set, places of related information do not matter.
func (p *publisher) pushFile(snapshot *workspace.Snapshot, path string, list []protocol.Diagnostic, whole bool) {
	now, err := encoded(list)
	if err != nil {
		p.s.client.Logf("encoding diagnostics: %v", err)
		return
	}
	now.uri = snapshot.URIOf(path)
	before, known := p.pushed[path]
	if known && before.uri != now.uri {
		// The client calls the file by another name now, as one behind a link.
		p.s.client.Notify(protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
		before = pushed{}
	}
	if before.whole == now.whole || !whole && before.bare == now.bare {
		return
	}
	p.pushed[path] = now
	params := &protocol.PublishDiagnosticsParams{URI: now.uri, Diagnostics: list}
	if d := snapshot.Document(path); d != nil && d.Version > 0 {
		params.Version = uint32(d.Version)
	}
	p.s.client.Notify(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// encoded encodes diagnostics, with and without the places of related information.
func encoded(list []protocol.Diagnostic) (pushed, error) {
	whole, err := json.Marshal(list)
	if err != nil {
		return pushed{}, err
	}
	bare := slices.Clone(list)
	for i := range bare {
		bare[i].RelatedInformation = slices.Clone(bare[i].RelatedInformation)
		for j := range bare[i].RelatedInformation {
			bare[i].RelatedInformation[j].Location.Range = protocol.Range{}
		}
	}
	text, err := json.Marshal(bare)
	return pushed{whole: string(whole), bare: string(text)}, err
}
