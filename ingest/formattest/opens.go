package formattest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A source is a format.Source of bytes in memory. It counts the streams that are open. If err is
// set, nothing can be opened.
type source struct {
	data []byte
	err  error
	open int
}

func (s *source) Path() string                        { return "app" }
func (s *source) Head() []byte                        { return s.data[:min(len(s.data), 8<<10)] }
func (s *source) Folder() fs.FS                       { return nil }
func (s *source) File(string) (fs.File, error)        { return nil, fs.ErrNotExist }
func (s *source) Flows() *flows.Flows                 { return nil }
func (s *source) Temp() (temp format.Temp, err error) { return nil, errors.ErrUnsupported }

func (s *source) At(context.Context) (io.ReaderAt, int64, error) {
	return bytes.NewReader(s.data), int64(len(s.data)), s.err
}

func (s *source) Stream(context.Context) (io.ReadCloser, error) {
	if s.err != nil {
		return nil, s.err
	}
	s.open++
	return &stream{bytes.NewReader(s.data), s}, nil
}

type stream struct {
	io.Reader
	of *source
}

func (s *stream) Close() error {
	s.of.open--
	return nil
}

// Opens checks the description of a format with a recording: the format recognizes and decodes the
// recording, closes what it opens, and passes on errors. It states whether recordings are text, and
// its kinds of data are in display order.
func Opens(t *testing.T, f format.Format, data []byte) {
	t.Helper()
	s := &source{data: data}
	if !f.Sniff(s) {
		t.Errorf("%s: the recording is not recognized", f.Name)
	}
	if f.Sniff(&source{}) || f.Sniff(&source{data: []byte("{}")}) || f.Sniff(&source{data: []byte("\x00\x01\x02")}) {
		t.Errorf("%s: other files are recognized", f.Name)
	}
	if got := format.IsText(data); got != f.Text {
		t.Errorf("%s: the recording is text: %v, but the format states %v", f.Name, got, f.Text)
	}
	tr, err := f.Decode(t.Context(), s, tracetest.Discard{}, format.Options{})
	switch {
	case err != nil:
		t.Errorf("%s: %v", f.Name, err)
	case tr.Format != f.Name:
		t.Errorf("%s: the decoded recording states the format %s", f.Name, tr.Format)
	case s.open != 0:
		t.Errorf("%s: %d streams are left open", f.Name, s.open)
	}
	closed := errors.New("closed")
	if _, err := f.Decode(t.Context(), &source{data: data, err: closed}, tracetest.Discard{}, format.Options{}); !errors.Is(err, closed) {
		t.Errorf("%s: a file that cannot be opened: %v", f.Name, err)
	}
	names := format.FactNames()
	for _, fact := range f.Facts {
		at := slices.Index(names, fact.Name)
		if at < 0 {
			t.Fatalf("%s: %q is unknown, repeated or out of order", f.Name, fact.Name)
		}
		names = names[at+1:]
	}
}

// Opens checks the description of the format with the first sample that can be decoded.
func (f Format) Opens(t *testing.T, of format.Format) {
	for _, data := range samples(t) {
		s := &source{data: data}
		if _, err := of.Decode(t.Context(), s, tracetest.Discard{}, format.Options{}); err == nil && of.Sniff(s) {
			Opens(t, of, data)
			return
		}
	}
	t.Errorf("%s: no sample is a recording", of.Name)
}
