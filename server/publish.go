package server

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// A publisher sends diagnostics and refresh requests to the client. Only the goroutine of its loop
// uses it.
type publisher struct {
	s *session
	// shown is the last published snapshot, nil before the first.
	shown *workspace.Snapshot
	// pushed is what the client last received for each file, by path. seed is for its hashes.
	pushed map[string]pushed
	seed   maphash.Seed
	// moved has tasks whose calls moved by edits. Diagnostics in other files may link to the calls,
	// so those files are published again at the next save.
	moved map[int]bool
}

// pushed identifies the diagnostics that the client last received for a file.
type pushed struct {
	uri protocol.DocumentURI
	// whole is a hash of the diagnostics. bare is a hash without their related information.
	whole, bare uint64
}

func newPublisher(s *session) *publisher {
	return &publisher{s: s, pushed: make(map[string]pushed), seed: maphash.MakeSeed(), moved: make(map[int]bool)}
}

func (p *publisher) publish() error {
	s := p.s
	snapshot, err := s.workspace.Snapshot(s.ctx)
	if err != nil {
		return err
	}
	if s.o.published != nil {
		defer s.o.published(snapshot)
	}
	if !snapshot.Notified() {
		return nil // Announcing the comparison wakes this loop again.
	}
	before := p.shown
	p.shown = snapshot
	// After an edit, clients request again by themselves.
	refresh := snapshot != before && !snapshot.OnlyEdited(before)
	can := s.client.Can()
	if !can.Pulls() {
		// Diagnostics of other files may refer to places that an edit moved. These diagnostics are
		// published again when a file is saved, not with each keystroke.
		saved := s.saved.taken()
		if snapshot.OnlyEdited(before) {
			p.pushEdited(before, snapshot)
		} else {
			p.push(snapshot)
		}
		if saved {
			p.pushMoved(snapshot)
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
	if refresh || before != nil && before.Open() > 0 && snapshot.Open() == 0 {
		// Reading sources, comparing and editing use much more memory than their results, and Go's
		// collector would keep that memory.
		s.o.giveBack()
	}
	return nil
}

// refresh asks the client to request its diagnostics, lenses or hints again.
func (p *publisher) refresh(method string) {
	p.s.background.Go(func() { p.s.client.Request(method, nil) })
}

// pushEdited publishes the diagnostics of files in which findings have moved.
func (p *publisher) pushEdited(before, now *workspace.Snapshot) {
	if before.Layout == now.Layout || before.Layout == nil || now.Layout == nil {
		return
	}
	changed := make(map[string]bool)
	for _, files := range []map[string]*place.Marks{before.Layout.Files, now.Layout.Files} {
		for path := range files {
			if !now.Layout.Files[path].Same(before.Layout.Files[path]) || now.Opened(path) != before.Opened(path) {
				changed[path] = true
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		for _, marks := range []*place.Marks{before.Layout.Files[path], now.Layout.Files[path]} {
			for task := range marks.Tasks() {
				p.moved[task] = true
			}
		}
		p.pushFile(now, path, diagnostics(now, path), false)
	}
}

// pushMoved publishes the diagnostics in other files that link to moved findings.
func (p *publisher) pushMoved(snapshot *workspace.Snapshot) {
	files := make(map[string]bool)
	for task := range p.moved {
		if snapshot.Layout == nil {
			break
		}
		for _, call := range snapshot.Layout.Tasks[task] {
			files[call.Site.Path] = true
		}
	}
	clear(p.moved)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		p.pushFile(snapshot, path, diagnostics(snapshot, path), true)
	}
}

// push publishes the diagnostics that differ from the last publication.
func (p *publisher) push(snapshot *workspace.Snapshot) {
	clear(p.moved)
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

// pushFile publishes a file's diagnostics if they differ from the last publication. If whole is
// false, moved related information alone does not count as a difference.
func (p *publisher) pushFile(snapshot *workspace.Snapshot, path string, list []protocol.Diagnostic, whole bool) {
	now, err := p.encoded(list)
	if err != nil {
		p.s.client.Logf("encoding diagnostics: %v", err)
		return
	}
	now.uri = snapshot.URIOf(path)
	before, known := p.pushed[path]
	if known && before.uri != now.uri {
		// The client now uses another name of the file, such as a link.
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

// encoded computes the hashes of diagnostics.
func (p *publisher) encoded(list []protocol.Diagnostic) (pushed, error) {
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
	return pushed{whole: maphash.Bytes(p.seed, whole), bare: maphash.Bytes(p.seed, text)}, err
}
