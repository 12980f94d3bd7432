package ingest

import (
	"errors"
	"io/fs"
	"os"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/internal/syntax"
)

// readFlows reads the hand-overs that belong to the file, if there are any.
func (f *File) readFlows() error {
	path := f.opts.Flows
	if path == "" {
		if f.path == Stdin {
			return nil
		}
		path = f.path + ".flows"
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && f.opts.Flows == "" {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	f.flows, err = art.ReadFlows(file)
	var s *syntax.Error
	if errors.As(err, &s) {
		s.File = path
	}
	return err
}
