// Package format defines the type [Format], which describes a format of recordings. Each format
// package of ingest exports one Format, and package ingest lists them in one table.
package format

import (
	"context"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/trace"
)

// A Format describes a format of recordings and decodes its files. docs/formats.md, diffprof info,
// the message for unknown files and the file pickers of editors are made from it.
type Format struct {
	// Name identifies the format in JSON and in Trace.Format.
	Name string
	// Title names recordings of the format in messages, in the plural.
	Title string
	// Start describes the first bytes of a file.
	Start string
	// Extensions are the usual file name extensions without the dot, for the file pickers of
	// editors. Extensions that many other files have are left out. The format of a file is
	// determined only by its content.
	Extensions []string
	// Text is set for a text format. In a folder, a text file counts as a recording only if it has
	// one of the Extensions, because many kinds of text look like recordings.
	Text bool
	// Facts lists the kinds of data that recordings of the format may have. Each kind occurs
	// once, in the order of [FactNames].
	Facts []Fact
	// ThreadClock is advice for users whose recording has only elapsed time. It says how to record
	// processor time. It is empty if the format has no such recordings.
	ThreadClock string
	// Flows is set if a .flows sidecar may accompany a recording (see package flows).
	Flows bool
	// Record lists ways to make such recordings, the most common first.
	Record []Recipe
	// Sniff reports whether a file has the format. It reads only the Head of the source, or the
	// names in its Folder.
	Sniff func(Source) bool
	// Decode reads a source to its end, and sends its events to sink. Errors in the file are
	// *syntax.Error without the path.
	Decode func(context.Context, Source, trace.Sink, Options) (*trace.Trace, error)
}

// A Fact is one kind of data in recordings, such as "threads". Detail describes it for one format.
type Fact struct{ Name, Detail string }

// FactNames returns the names of all kinds of data, in display order.
func FactNames() []string {
	return []string{"run", "methods", "lines", "threads", "clocks", "energy", "calls", "hand-overs", "signals"}
}

// A Recipe is a way to record.
type Recipe struct {
	// Tools names the tools.
	Tools string
	// Steps are commands or instructions.
	Steps []string
	// Note may be empty.
	Note string
}

// A Source gives a Format access to a decompressed file, which can be read any number of times. A
// Source for a folder has files and no bytes. Methods are safe for concurrent use.
type Source interface {
	// Path returns the path with which the file was opened.
	Path() string
	// Head returns the first 8 KiB, or the whole file if it is shorter. It returns nil for a
	// folder.
	Head() []byte
	// Stream returns a reader from the start. Reads fail with ctx's error after ctx is done.
	Stream(ctx context.Context) (io.ReadCloser, error)
	// At returns a reader at any offset, and the number of bytes.
	At(ctx context.Context) (io.ReaderAt, int64, error)
	// Folder returns the files of a folder. It returns nil for a file. Links to files outside of
	// the folder are not followed.
	Folder() fs.FS
	// File opens a file of the folder. From then on, the source's size is the size of that file.
	File(path string) (fs.File, error)
	// Flows returns the content of the .flows sidecar, or nil.
	Flows() *flows.Flows
	// Temp creates a temporary file without a name. The system removes the file when it is closed.
	Temp() (Temp, error)
}

// A Temp is a temporary file.
type Temp interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Opener returns a function that opens the stream of s from the start. Decoders use it to read a
// file several times.
func Opener(ctx context.Context, s Source) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return s.Stream(ctx) }
}

// A Stream decodes a file by reading it once from start to end.
type Stream func(context.Context, io.Reader, trace.Sink, Options) (*trace.Trace, error)

// Streamed returns the Format.Decode function for a Stream.
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

// IsText reports whether b is UTF-8 without control characters. The last character of b may be
// incomplete.
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
