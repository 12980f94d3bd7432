// Package ingest opens recordings: it finds a file's format by its content, never
// by its name, undoes compression, and hands the bytes to the format's decoder.
//
// A [File] is a [trace.Recording]: it can be scanned any number of times, each
// time from its begin. A pipe or the standard input, which can be read once, is
// copied to a temporary file that has no name, so that nothing is left behind.
//
// Compression is gzip, of any number of members, and zstd; one may lie within the
// other, and no deeper. What comes out is bounded by [Options].MaxExpanded, since
// a kilobyte can hold a terabyte.
//
// A sidecar with hand-overs between threads, FILE.flows, is read where it lies
// beside a method trace; package art says what it holds.
//
// # Errors
//
// Errors name the file, and a *syntax.Error the place in it, counted in
// decompressed bytes. A file that is no recording gives [ErrUnknownFormat] with
// what it looks like. A file that changes between two scans is an error: a tree
// built from two different runs would be nonsense.
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
	"io"
	"os"
	"sync"
	"time"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// DefaultMaxExpanded is four times the largest trace that is common.
const DefaultMaxExpanded = 4 << 30

// Options say how to read a file. The zero Options suit every format.
type Options struct {
	// Flows is the path of a file of hand-overs. Empty takes the file's path with
	// .flows appended, if there is such a file.
	Flows string
	// MaxExpanded bounds the decompressed bytes of a compressed file; 0 is
	// DefaultMaxExpanded, negative is no bound.
	MaxExpanded int64
	// Partial takes what there is of a method trace that is cut short.
	Partial bool
	// Unit is the unit of the values of files that state none, such as folded
	// stacks.
	Unit units.ValueUnit
	// Voltage turns charge into energy; 0 is units.DefaultVoltage.
	Voltage units.Voltage
	// Progress, if not nil, is called during a scan, some hundred times at most,
	// with the bytes of the file that were read and those that there are. It is
	// called from the scan's goroutine.
	Progress func(done, total int64)
}

// A File is a recording in a file. Close it after use.
type File struct {
	path string
	opts Options

	// info is what a regular file was when it was opened.
	info os.FileInfo

	mu sync.Mutex
	// spool holds the bytes of what is no regular file, once they were read.
	spool *os.File
	pipe  io.ReadCloser
	// clock is that of a method trace that states it last, once it is known.
	clock trace.Clock
	flows *art.Flows
}

// Open opens the recording at path, which may be [Stdin]. It reads as much as
// tells the format; of a pipe it reads nothing, and the errors that it would
// return come from the first scan.
func Open(path string, o Options) (*File, error) {
	if o.MaxExpanded == 0 {
		o.MaxExpanded = DefaultMaxExpanded
	}
	f := &File{path: path, opts: o}
	if err := f.open(); err != nil {
		f.Close()
		return nil, f.locate(err)
	}
	return f, nil
}

func (f *File) open() error {
	if err := f.readFlows(); err != nil {
		return err
	}
	if f.path == Stdin {
		f.pipe = io.NopCloser(os.Stdin)
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	if f.info, err = file.Stat(); err != nil {
		file.Close()
		return err
	}
	switch mode := f.info.Mode(); {
	case mode.IsRegular():
		defer file.Close()
		in, err := f.identify(context.Background(), file)
		if err != nil {
			return err
		}
		in.close()
		return nil
	case mode.IsDir():
		file.Close()
		return errors.New("a folder, not a trace")
	}
	f.pipe = file
	return nil
}

// Path returns the path that the file was opened by.
func (f *File) Path() string { return f.path }

// Close releases what the file holds. Scans must be over.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.spool != nil {
		err = f.spool.Close()
		f.spool = nil
	}
	if f.pipe != nil {
		err = errors.Join(err, f.pipe.Close())
		f.pipe = nil
	}
	return err
}

// Scan reads the recording from its begin; it implements [trace.Recording].
func (f *File) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	t, err := f.scan(ctx, sink)
	if err != nil {
		return nil, f.locate(err)
	}
	return t, nil
}

func (f *File) scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	for {
		t, again, err := f.pass(ctx, sink)
		if err != nil || !again {
			return t, err
		}
	}
}

// pass reads the file once. It asks for another pass where a file states its
// clock at the end: which of an event's fields its time belongs to has to be known
// from the start, so that this rare form is read twice.
func (f *File) pass(ctx context.Context, sink trace.Sink) (t *trace.Trace, again bool, err error) {
	source, size, done, err := f.begin(ctx)
	if err != nil {
		return nil, false, err
	}
	defer done()
	if f.opts.Progress != nil {
		source = &meter{r: source, total: size, report: f.opts.Progress}
	}
	in, err := f.identify(ctx, source)
	if err != nil {
		return nil, false, err
	}
	defer in.close()
	if late := in.format.lateClock; late != nil && f.knownClock() == 0 && late(in.head) {
		sink, again = nothing{}, true
	}
	t, err = in.format.decode(ctx, in.r, sink, f)
	var s *syntax.Error
	if err == nil || errors.As(err, &s) {
		// A file that is being written looks cut short; that it changed says more.
		if changed := f.unchanged(); changed != nil {
			err = changed
		}
	}
	if err != nil {
		return nil, false, err
	}
	if again {
		f.mu.Lock()
		f.clock = t.Clock
		f.mu.Unlock()
	}
	return t, again, nil
}

func (f *File) knownClock() trace.Clock {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clock
}

// begin opens the bytes of the file for one scan. done closes them.
func (f *File) begin(ctx context.Context) (r io.Reader, size int64, done func(), err error) {
	if f.info != nil && f.info.Mode().IsRegular() {
		if err := f.unchanged(); err != nil {
			return nil, 0, nil, err
		}
		file, err := os.Open(f.path)
		if err != nil {
			return nil, 0, nil, err
		}
		return file, f.info.Size(), func() { file.Close() }, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spool == nil {
		if f.pipe == nil {
			return nil, 0, nil, os.ErrClosed
		}
		if f.spool, err = spool(ctx, f.pipe); err != nil {
			return nil, 0, nil, err
		}
	}
	if size, err = f.spool.Seek(0, io.SeekEnd); err != nil {
		return nil, 0, nil, err
	}
	return io.NewSectionReader(f.spool, 0, size), size, func() {}, nil
}

// unchanged says whether the file on disk is still the one that was opened.
func (f *File) unchanged() error {
	if f.info == nil || !f.info.Mode().IsRegular() {
		return nil
	}
	now, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if !os.SameFile(f.info, now) || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return fmt.Errorf("the file changed while it was read (%s)", now.ModTime().Format(time.RFC3339))
	}
	return nil
}

// locate puts the file's path into an error.
func (f *File) locate(err error) error {
	var s *syntax.Error
	var p *os.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &p):
		return err
	case errors.As(err, &s):
		if s.File == "" {
			s.File = f.path
		}
		return err
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// nothing is a sink for scans that are made for their Trace.
type nothing struct{}

func (nothing) Events([]trace.Event) error   { return nil }
func (nothing) Samples([]trace.Sample) error { return nil }
