// Package ingest opens recordings. It recognizes the format of a file by its content, not by its
// name, decompresses the file and passes it to the decoder of the format.
//
// [Formats] is the table of the formats. A format reads a [Source]: either the bytes of a file,
// which can be read repeatedly and at any offset, or the files of a folder. A [File] is a Source
// with its format. It is a [trace.Recording], so it can be scanned any number of times.
//
// The standard input, pipes and devices can be read only once. If their first bytes have a known
// format, the input is copied to an unnamed temporary file, which disappears when the program ends.
//
// Files may be compressed with zstd or gzip. Two layers of compression are allowed.
// [Options].MaxExpanded limits the decompressed size, because a kilobyte can expand to a terabyte.
// It also limits the bytes read from a pipe.
//
// A method trace FILE may have a sidecar FILE.flows. The sidecar states where work passes from one
// thread to another (see package flows).
//
// # Errors
//
// Errors name the file. A *syntax.Error also has the position in the file, as an offset in the
// decompressed bytes. The error for a file that is not a recording is an [UnknownError], which
// describes the file's content. If a file changes between two scans, the second scan fails, because
// a call tree must not mix two recordings.
//
// # Concurrency
//
// Several goroutines may scan a File at the same time. After its context is cancelled, a scan ends
// within one read.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/diffprof/diffprof/ingest/clock"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

//go:generate go test . -run TestGenerated -update

// Stdin is the path of the standard input.
const Stdin = "-"

// DefaultMaxExpanded is 4 GiB, which is four times the size of a large trace.
const DefaultMaxExpanded = 4 << 30

// A File is a recording in a file. The caller must close it after use.
type File struct {
	path   string
	opts   Options
	source *source
	format Format
	rule   clock.Rule
}

// Open opens the recording at path, which may be [Stdin]. It reads enough to recognize the format.
// It waits for the first bytes of a pipe until ctx is done.
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

// identify recognizes the format and reads the .flows sidecar.
func (f *File) identify(ctx context.Context, formats []Format) error {
	i, err := recognise(ctx, f.source, formats)
	if err != nil {
		return err
	}
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
		return fmt.Errorf("--flows works only with method traces, and the recordings are %s", f.format.Title)
	}
	return nil
}

// Path returns the path with which the file was opened.
func (f *File) Path() string { return f.path }

// Format returns the format of the file.
func (f *File) Format() Format { return f.format }

// Compression returns the names of the file's compression formats, the outermost layer first. It is
// nil for an uncompressed file.
func (f *File) Compression() []string { return f.source.compression }

// Size returns the size of the file as stored, in bytes. For a pipe, it returns 0 before the first
// scan has ended.
func (f *File) Size() int64 { return f.source.stored() }

// Close releases the resources of the file. All scans must have ended.
func (f *File) Close() error { return f.source.close() }

// Scan reads the recording from the start. It implements [trace.Recording].
func (f *File) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	t, err := f.rule.Scan(ctx, func(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
		return f.format.Decode(ctx, f.source, sink, f.opts)
	}, sink)
	var s *syntax.Error
	if err == nil || errors.As(err, &s) {
		// A file that is still being written looks truncated. In that case, report that it changed.
		if changed := f.source.unchanged(); changed != nil {
			err = changed
		}
	}
	if err != nil {
		return nil, &DecodeError{f.format.Name, f.locate(err)}
	}
	return t, nil
}

// A DecodeError is the error of decoding a file whose format is known.
type DecodeError struct {
	// Format is the name of the format.
	Format string
	Err    error
}

func (e *DecodeError) Error() string { return e.Err.Error() }
func (e *DecodeError) Unwrap() error { return e.Err }

// locate adds the file's path to an error.
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
