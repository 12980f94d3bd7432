// Package ingest opens recordings: it finds a file's format by its content, never
// by its name, undoes compression, and hands the file to the format's decoder.
//
// [Formats] is the table of the formats. A format reads a [Source], which gives it
// the file's bytes as often as it likes, in order or at any offset, or the files of
// a folder. A [File] is a Source with its format. It is a [trace.Recording]: it can
// be scanned any number of times, each time from its begin.
//
// The standard input, pipes and devices can be read once. Their head tells the
// format; where there is one, they are copied to a temporary file that has no name,
// so that nothing is left behind.
//
// Compression is gzip, of any number of members, and zstd; one may lie within the
// other, and no deeper. What comes out is bounded by [Options].MaxExpanded, since
// a kilobyte can hold a terabyte, and so is what comes through a pipe.
//
// A sidecar with hand-overs between threads, FILE.flows, is read where it lies
// beside a method trace; package flows says what it holds.
//
// # Errors
//
// Errors name the file, and a *syntax.Error the place in it, counted in
// decompressed bytes. A file that is no recording gives an [UnknownError] with what
// it looks like. A file that changes between two scans is an error: a tree built
// from two different runs would be nonsense.
//
// # Concurrency
//
// A File may be scanned by several goroutines at once. A scan ends within one
// read of its context being cancelled.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

//go:generate go test . -run TestGenerated -update

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// DefaultMaxExpanded is four times the largest trace that is common.
const DefaultMaxExpanded = 4 << 30

// A File is a recording in a file. Close it after use.
type File struct {
	path   string
	opts   Options
	source *source
	format Format
}

// Open opens the recording at path, which may be [Stdin], and reads as much as
// tells its format. It waits for the head of a pipe until ctx is done.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	return open(ctx, path, o, Formats())
}

func open(ctx context.Context, path string, o Options, formats []Format) (*File, error) {
	if o.MaxExpanded == 0 {
		o.MaxExpanded = DefaultMaxExpanded
	}
	f := &File{path: path, opts: o}
	source, err := openSource(ctx, path, o)
	if err != nil {
		return nil, f.locate(err)
	}
	f.source = source
	if err := f.identify(ctx, formats); err != nil {
		f.Close()
		return nil, f.locate(err)
	}
	return f, nil
}

// identify finds the format, and what lies beside the file.
func (f *File) identify(ctx context.Context, formats []Format) error {
	i := slices.IndexFunc(formats, func(format Format) bool { return format.Sniff(f.source) })
	if i < 0 && f.source.Folder() != nil {
		if err := f.holds(ctx); err != nil {
			return err
		}
	}
	if i < 0 {
		return newUnknown(f.source)
	}
	f.format = formats[i]
	if f.format.Flows {
		return f.source.readFlows(f.opts.Flows)
	}
	if f.opts.Flows != "" {
		return fmt.Errorf("a flows file needs a method trace, and these are %s", f.format.Title)
	}
	return nil
}

// Path returns the path that the file was opened by.
func (f *File) Path() string { return f.path }

// Format returns the format of the file.
func (f *File) Format() Format { return f.format }

// Compression names how the file is compressed, the outermost layer first; nil if
// it is not.
func (f *File) Compression() []string { return f.source.compression }

// Size returns the bytes of the file as it is stored; those of a pipe once it was
// scanned.
func (f *File) Size() int64 { return f.source.stored() }

// Close releases what the file holds. Scans must be over.
func (f *File) Close() error { return f.source.close() }

// Scan reads the recording from its begin; it implements [trace.Recording].
func (f *File) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	t, err := f.format.Decode(ctx, f.source, sink, f.opts)
	var s *syntax.Error
	if err == nil || errors.As(err, &s) {
		// A file that is being written looks cut short; that it changed says more.
		if changed := f.source.unchanged(); changed != nil {
			err = changed
		}
	}
	if err != nil {
		return nil, f.locate(err)
	}
	return t, nil
}

// locate puts the file's path into an error.
func (f *File) locate(err error) error {
	var s *syntax.Error
	var p *os.PathError
	var in *FolderError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &p), errors.As(err, &in):
		return err
	case errors.As(err, &s):
		if s.File == "" {
			s.File = f.path
		}
		return err
	}
	return fmt.Errorf("%s: %w", f.path, err)
}
