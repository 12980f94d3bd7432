package history

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
)

// Path returns the default path of a folder's history. It is in the folder .diffprof, in the root
// of the repository that contains the folder, or in the folder itself if there is no repository.
func Path(folder string) string {
	if full, err := filepath.Abs(folder); err == nil {
		folder = full
	}
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			folder = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return filepath.Join(folder, ".diffprof", "history.db")
}

// A File is the path of a history. It implements analysis.Store, and opens the file for each call.
type File string

// Runs returns the names of the runs of an entry, given a name such as history:4f2c1a.
func (f File) Runs(ctx context.Context, name string) ([]string, error) {
	s, e, err := f.find(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if len(e.Runs) == 1 {
		return []string{name}, nil
	}
	names := make([]string, len(e.Runs))
	for i, r := range e.Runs {
		names[i] = name + "/" + r.Name
	}
	return names, nil
}

// Load returns the run with the given name, which comes from Runs.
func (f File) Load(ctx context.Context, name string) (*analysis.StoredRun, error) {
	s, e, err := f.find(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Load(ctx, e.Runs[0])
}

// Sum returns a hash of the stored bytes of a run. The run's name comes from Runs.
func (f File) Sum(ctx context.Context, name string) ([]byte, error) {
	s, e, err := f.find(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	packed, err := s.packed(ctx, e.Runs[0])
	sum := sha256.Sum256(packed)
	return sum[:], err
}

// find opens the file and finds the entry with a name. The caller must close the store.
func (f File) find(ctx context.Context, name string) (*Store, *Entry, error) {
	s, err := Open(ctx, string(f))
	if err != nil {
		return nil, nil, err
	}
	e, err := s.Find(ctx, strings.TrimPrefix(name, analysis.StoredPrefix))
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, e, nil
}
