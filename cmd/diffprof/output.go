package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// outputs are the files that a command writes. Each is written to a temporary file, and commit
// renames it. If the command fails, the old file stays, and readers never see half a report. Files
// are opened before the work begins, so that errors are reported at once.
type outputs struct {
	stdout *os.File

	mu      sync.Mutex
	pending []*output
	closed  bool
	// wait is how long an interrupted run may take to finish.
	wait time.Duration
}

// waitFor extends the time that an interrupted run may take to finish, for example to stop programs
// on other devices.
func (o *outputs) waitFor(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wait = d
}

// grace returns how long an interrupted run may take to finish.
func (o *outputs) grace() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return max(o.wait, grace)
}

// An output is one file to be written.
type output struct {
	io.Writer
	file *os.File
	// temporary is the path of file until commit renames it to target. It is empty if
	// file is the target itself.
	temporary, target string
}

var errStopped = errors.New("stopped")

// open prepares to write to path. "-" and the empty path are the standard output. It refuses to
// overwrite an input, and to write to the same file twice.
func (o *outputs) open(path string, inputs ...string) (io.Writer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errStopped
	}
	if path == "" || path == "-" {
		return o.add(&output{Writer: o.stdout, target: "-"})
	}
	now, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("writing %s: it is a broken link; create its target, or name another file", path)
		}
	case err != nil:
		return nil, fmt.Errorf("writing %w", err)
	case now.IsDir():
		return nil, fmt.Errorf("writing %s: it is a directory; name a file in it", path)
	default:
		if out, err := o.stdout.Stat(); err == nil && os.SameFile(now, out) {
			return o.add(&output{Writer: o.stdout, target: "-"})
		}
		for _, input := range inputs {
			if in, err := os.Stat(input); err == nil && os.SameFile(now, in) {
				return nil, fmt.Errorf("writing %s: it is an input", path)
			}
		}
		// Renaming would replace a read-only file, so check that it can be opened.
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("writing %w", err)
		}
		if !now.Mode().IsRegular() {
			return o.add(&output{Writer: file, file: file, target: path})
		}
		if err := file.Close(); err != nil {
			return nil, fmt.Errorf("writing %w", err)
		}
		// Keep a link, and replace the file that it points to.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, fmt.Errorf("writing %w", err)
		}
	}
	file, err := createTemporary(path)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	if now != nil {
		if err := file.Chmod(now.Mode().Perm()); err != nil {
			return nil, errors.Join(fmt.Errorf("writing %w", err), file.Close(), os.Remove(file.Name()))
		}
	}
	return o.add(&output{Writer: file, file: file, temporary: file.Name(), target: path})
}

// add adds an output. The caller holds the lock.
func (o *outputs) add(new *output) (io.Writer, error) {
	for _, old := range o.pending {
		if old.target == new.target {
			return nil, fmt.Errorf("writing %s: two outputs cannot go to the same place", new.target)
		}
	}
	o.pending = append(o.pending, new)
	return new, nil
}

// createTemporary creates a temporary file in the folder of path, with the permissions of
// a new file.
func createTemporary(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf(".%s.%d-%d.part", filepath.Base(path), os.Getpid(), n)
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		var at *fs.PathError
		if errors.As(err, &at) {
			// Remove the name of the temporary file from the error.
			err = at.Err
		}
		return file, err
	}
}

// commit renames all temporary files to their targets.
func (o *outputs) commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errStopped
	}
	for len(o.pending) > 0 {
		out := o.pending[0]
		if out.file != nil {
			if err := out.file.Close(); err != nil {
				return fmt.Errorf("writing %s: %w", out.target, err)
			}
		}
		if out.temporary != "" {
			if err := os.Rename(out.temporary, out.target); err != nil {
				return fmt.Errorf("writing %s: %w", out.target, err)
			}
		}
		o.pending = o.pending[1:]
	}
	return nil
}

// abandon removes all files that are not committed. After it, all calls fail.
func (o *outputs) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, out := range o.pending {
		if out.temporary != "" {
			// The run has already failed with another error.
			_ = out.file.Close()
			_ = os.Remove(out.temporary)
		}
	}
	o.pending = nil
}

// finish commits the files of a command if all were written without an error.
func finish(files *outputs, write *bufio.Writer, err error) error {
	if err != nil {
		return err
	}
	if err := write.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return files.commit()
}
