package ingest

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/format"
)

// maxOutline bounds how many bytes of a JSON document are read to recognize its format.
const maxOutline = 1 << 29

// recognise returns the index of the source's format, or -1 if no format matches. Formats look at
// the first bytes of a file. In a JSON document, the members that identify the format may come
// later. In that case recognise reads the whole document and shows formats only its outline (see
// package document).
func recognise(ctx context.Context, s *source, formats []Format) (int, error) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Sniff(s) })
	if i >= 0 || len(s.head) < headLen || !format.IsText(s.head) || !isJSON(plainText(s.head)) {
		return i, nil
	}
	raw, size, err := s.bytes(ctx)
	if err != nil {
		return -1, err
	}
	r, err := expand(ctx, io.NewSectionReader(raw, 0, size), s.max)
	if err != nil {
		return -1, err
	}
	defer r.Close()
	outline, err := document.Outline(io.LimitReader(r, maxOutline))
	if err != nil {
		return -1, err
	}
	s.outline = outline
	return slices.IndexFunc(formats, func(f Format) bool { return f.Text && f.Sniff(outlined{s}) }), nil
}

// outlined is a source of a JSON document. Its Head is the document's outline.
type outlined struct{ *source }

func (o outlined) Head() []byte { return o.outline }

// plainText returns a text without its byte order mark and without white space at its start.
func plainText(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
}
