// Package format defines what a format of recordings consists of. Each format package of
// ingest exports one [Format]; package ingest lists them in one table.
package format

import (
	"context"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/trace"
)

// A Format describes a format of recordings and decodes it. docs/formats.md, diffprof info,
// the message for unknown files and the editors' pickers are made from it.
type Format struct {
	// Name identifies the format in JSON and in Trace.Format.
	Name string
	// Title names recordings of the format for people, in the plural.
	Title string
	// Begins describes the first bytes of a file.
	Begins string
	// Extensions are the usual extensions, without the dot, that few other files have.
	// Pickers filter by them. The content alone decides the format of a file.
	Extensions []string
	// Text marks a text format. Texts of many kinds look like recordings, so a text within
	// a folder is a recording only if it has one of the Extensions.
	Text bool
	// Carries lists what recordings hold, each fact once and in the order of [FactNames].
	// A missing fact is not carried.
	Carries []Fact
	// ThreadClock is advice on how to record processor time, for recordings that have
	// elapsed time alone. It is empty if the format has no such recordings.
	ThreadClock string
	// Flows is set if a file of hand-overs between threads can accompany a recording.
	Flows bool
	// Record are ways to make such files, the commonest first.
	Record []Recipe
	// Sniff reports whether a file has the format. It looks only at the head of the source
	// or at the names in its folder.
	Sniff func(Source) bool
	// Decode reads a source to its end and sends its events to sink. Errors of the file are
	// *syntax.Error without the path.
	Decode func(context.Context, Source, trace.Sink, Options) (*trace.Trace, error)
}

// A Fact is one kind of data that a recording holds, and its form.
type Fact struct{ Name, How string }

// FactNames returns the names of all facts, in display order.
func FactNames() []string {
	return []string{"run", "methods", "threads", "clocks", "energy", "calls", "hand-overs", "signals"}
}

// A Recipe is a way to record.
type Recipe struct {
	// With names the tools.
	With string
	// Steps are commands or instructions.
	Steps []string
	// Note may be empty.
	Note string
}

// A Source is a file as a format reads it: decompressed, and any number of times. A folder
// has files and no bytes. Methods may be called concurrently.
type Source interface {
	// Path returns the path that the file was opened by.
	Path() string
	// Head returns the first 8 KiB, or the whole file if it is shorter; nil for a folder.
	Head() []byte
	// Stream returns the bytes from the start. Reads fail with ctx's error once ctx is done.
	Stream(ctx context.Context) (io.ReadCloser, error)
	// At returns the bytes for reading at any offset, and their number.
	At(ctx context.Context) (io.ReaderAt, int64, error)
	// Folder returns the files of a folder, nil for a file. Links do not lead out of it.
	Folder() fs.FS
	// File opens a file of the folder. Its size becomes the size of the source.
	File(path string) (fs.File, error)
	// Flows returns the hand-overs of the sidecar, nil if there is none.
	Flows() *flows.Flows
	// Temp creates a temporary file without a name. The system removes it when it is closed.
	Temp() (Temp, error)
}

// A Temp is a temporary file.
type Temp interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Opener returns a function that opens the stream of s, for decoders that read a file
// several times.
func Opener(ctx context.Context, s Source) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return s.Stream(ctx) }
}

// A Stream decodes a file that it reads once, from its start to its end.
type Stream func(context.Context, io.Reader, trace.Sink, Options) (*trace.Trace, error)

// Streamed returns the Decode function of a format whose files are read once.
func Streamed(decode Stream) func(context.Context, Source, trace.Sink, Options) (*trace.Trace, error) {
	return func(ctx context.Context, s Source, sink trace.Sink, o Options) (*trace.Trace, error) {
		r, err := s.Stream(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return decode(ctx, r, sink, o)
	}
}

// IsText reports whether b is UTF-8 without control characters. The end of b may cut a
// character.
func IsText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(b)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r':
			return false
		}
		b = b[n:]
	}
	return true
}
