package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/internal/syntax"
)

// headLen is the number of bytes from which a format can be recognized.
const headLen = 8 << 10

// A source gives formats access to a decompressed file. The file can be read any number of times,
// from the start ([Source].Stream) or at any offset ([Source].At). A source for a folder has no
// bytes, and its files are in [Source].Folder. Methods are safe for concurrent use.
type source struct {
	path     string
	max      int64
	progress func(done, total int64)

	head []byte
	// outline has the names in a JSON document. It is nil if head was enough to recognize the
	// format.
	outline     []byte
	compression []string
	folder      *os.Root
	// handOvers are the hand-overs between threads in the sidecar, or nil.
	handOvers *flows.Flows
	// info describes a regular file as it was when it was opened. It is nil for a pipe.
	info os.FileInfo

	// mu guards raw, size and pipe. raw is the regular file or the copy of a pipe, and size is its
	// length in bytes. pipe is nil once it is fully copied.
	mu   sync.Mutex
	raw  *os.File
	size int64
	pipe *pipe

	// plainMu guards plain and plainSize. plain is a temporary file with the decompressed bytes,
	// written when a format first calls At. plainSize is its length in bytes.
	plainMu   sync.Mutex
	plain     *os.File
	plainSize int64
}

// openSource opens a file and reads its first bytes. It does not copy the rest of a pipe, so a pipe
// of unknown format is never copied.
func openSource(ctx context.Context, path string, o Options) (*source, error) {
	s := &source{path: path, max: o.MaxExpanded, progress: o.Progress}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *source) open(ctx context.Context) error {
	if s.path == Stdin {
		// The process itself closes its standard input later.
		return s.openPipe(ctx, io.NopCloser(os.Stdin))
	}
	file, err := os.Open(s.path)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		return errors.Join(err, file.Close())
	case info.IsDir():
		if err := file.Close(); err != nil {
			return err
		}
		s.folder, err = os.OpenRoot(s.path)
		return err
	case !info.Mode().IsRegular(), info.Size() == 0:
		// Files of /proc have size 0, so they are read like pipes.
		return s.openPipe(ctx, file)
	}
	s.raw, s.info, s.size = file, info, info.Size()
	return s.readHead(ctx, io.NewSectionReader(file, 0, s.size))
}

// readHead detects the compression of r and reads the first decompressed bytes.
func (s *source) readHead(ctx context.Context, r io.Reader) error {
	plain, err := expand(ctx, r, s.max)
	if err != nil {
		return err
	}
	defer plain.Close()
	s.compression = plain.layers
	s.head, err = bufio.NewReaderSize(plain, headLen).Peek(headLen)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && len(s.head) > 0 {
		return nil
	}
	return err
}

// Head returns the first 8 KiB, or the whole file if it is shorter. It returns nil for a folder.
func (s *source) Head() []byte { return s.head }

// Folder returns the files of a folder. It returns nil for a file. Links to files outside of the
// folder are not followed.
func (s *source) Folder() fs.FS {
	if s.folder == nil {
		return nil
	}
	return s.folder.FS()
}

// Path returns the path with which the file was opened.
func (s *source) Path() string { return s.path }

// Flows returns the content of the .flows sidecar. It returns nil if there is none.
func (s *source) Flows() *flows.Flows { return s.handOvers }

// Temp creates a temporary file without a name.
func (s *source) Temp() (format.Temp, error) { return unnamed() }

// File opens a file of the folder. From then on, the source's size is the size of that file.
func (s *source) File(path string) (fs.File, error) {
	file, err := s.Folder().Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = info.Size()
	return file, nil
}

// Stream returns a reader from the start. Reads fail with ctx's error after ctx is done.
func (s *source) Stream(ctx context.Context) (io.ReadCloser, error) {
	raw, size, err := s.bytes(ctx)
	if err != nil {
		return nil, err
	}
	var r io.Reader = io.NewSectionReader(raw, 0, size)
	if s.progress != nil {
		r = &counter{r: r, total: size, report: s.progress}
	}
	return expand(ctx, r, s.max)
}

// At returns a reader at any offset, and the number of bytes. For a compressed file, the first call
// decompresses the file into a temporary file.
func (s *source) At(ctx context.Context) (io.ReaderAt, int64, error) {
	raw, size, err := s.bytes(ctx)
	if err != nil || len(s.compression) == 0 {
		return raw, size, err
	}
	s.plainMu.Lock()
	defer s.plainMu.Unlock()
	if s.plain == nil {
		r, err := s.Stream(ctx)
		if err != nil {
			return nil, 0, err
		}
		defer r.Close()
		plain, err := unnamed()
		if err != nil {
			return nil, 0, err
		}
		if s.plainSize, err = keep(plain, r); err != nil {
			return nil, 0, errors.Join(err, plain.Close())
		}
		s.plain = plain
	}
	return s.plain, s.plainSize, nil
}

// bytes returns the file as stored, and its size. For a pipe, the first call reads the pipe to its
// end.
func (s *source) bytes(ctx context.Context) (*os.File, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.folder != nil:
		return nil, 0, errors.New("a folder, not a file")
	case s.raw == nil:
		return nil, 0, os.ErrClosed
	case s.pipe != nil:
		if err := s.drain(ctx); err != nil {
			return nil, 0, err
		}
	}
	return s.raw, s.size, s.unchanged()
}

// stored returns the size of the file as stored. It is 0 until a pipe was read to its end.
func (s *source) stored() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// readFlows reads hand-overs between threads from the file at path. An empty path means the sidecar
// next to the recording, if there is one.
func (s *source) readFlows(path string) error {
	given := path != ""
	if !given {
		if s.path == Stdin {
			return nil
		}
		path = s.path + ".flows"
	}
	if !given {
		// A sidecar that the user did not name must be a regular file.
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s next to the recording is not a regular file", path)
		}
		if err != nil {
			return err
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s.handOvers, err = flows.Read(file)
	var bad *syntax.Error
	if errors.As(err, &bad) {
		bad.File = path
	}
	return err
}

// unchanged returns an error if the file on disk has changed since it was opened.
func (s *source) unchanged() error {
	if s.info == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if !os.SameFile(s.info, now) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime()) {
		return fmt.Errorf("the file changed while it was read (%s)", now.ModTime().Format(time.RFC3339))
	}
	return nil
}

// close releases the resources of the source.
func (s *source) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, file := range []**os.File{&s.raw, &s.plain} {
		if *file != nil {
			err = errors.Join(err, (*file).Close())
			*file = nil
		}
	}
	if s.pipe != nil {
		err = errors.Join(err, s.pipe.Close())
		s.pipe = nil
	}
	if s.folder != nil {
		err = errors.Join(err, s.folder.Close())
		s.folder = nil
	}
	return err
}

// A counter reports how much of a file was read.
type counter struct {
	r                 io.Reader
	done, next, total int64
	report            func(done, total int64)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	if c.done >= c.next || err != nil {
		c.report(c.done, c.total)
		c.next = c.done + max(c.total/256, 1<<16)
	}
	return n, err
}
