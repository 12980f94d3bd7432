package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/buffer"
)

// PlaceOf converts a position of the protocol; the column keeps its unit.
func PlaceOf(p protocol.Position) buffer.Position {
	return buffer.Position{Line: int(p.Line), Column: int(p.Character)}
}

// PositionOf converts a position to the protocol's; the column keeps its unit.
func PositionOf(p buffer.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Column)}
}

// Recode converts the column of a position in a text from one unit to another.
func Recode(text *buffer.Buffer, p buffer.Position, from, to buffer.Encoding) buffer.Position {
	return text.Position(text.Offset(p, from), to)
}

// Negotiate picks the unit of columns from a client's offer. It prefers UTF-16, which the index of
// the sources uses. If the client does not offer UTF-16, it picks the first known unit in the
// offer.
func Negotiate(offered []string) buffer.Encoding {
	if slices.Contains(offered, buffer.UTF16.String()) {
		return buffer.UTF16
	}
	for _, name := range offered {
		for _, e := range []buffer.Encoding{buffer.UTF8, buffer.UTF32} {
			if name == e.String() {
				return e
			}
		}
	}
	return buffer.UTF16
}
