package server

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
)

// rangeOf converts a site's name to the client's columns.
func (s *session) rangeOf(at place.Site) protocol.Range {
	return protocol.Range{Start: s.positionOf(at.Path, at.From), End: s.positionOf(at.Path, at.To)}
}

// positionOf converts a position in UTF-16 columns to the client's.
func (s *session) positionOf(path string, at buffer.Position) protocol.Position {
	if s.encoding != buffer.UTF16 {
		if text := s.textOf(path); text != nil {
			at = text.Position(text.Offset(at, buffer.UTF16), s.encoding)
		}
	}
	return lsp.PositionOf(at)
}

// placeOf converts a position of the client to UTF-16 columns.
func (s *session) placeOf(path string, p protocol.Position) buffer.Position {
	at := lsp.PlaceOf(p)
	if s.encoding != buffer.UTF16 {
		if text := s.textOf(path); text != nil {
			at = text.Position(text.Offset(at, s.encoding), buffer.UTF16)
		}
	}
	return at
}

// uriFor names a file as the client does: by the name it opened it with, or by its
// path.
func (s *session) uriFor(path string) uri.URI {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[path]; d != nil {
		return d.uri
	}
	return lsp.URIOf(path)
}

func (s *session) location(at place.Site) protocol.Location {
	return protocol.Location{URI: s.uriFor(at.Path), Range: s.rangeOf(at)}
}
