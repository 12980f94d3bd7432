package history

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
)

// Path is where the history of a folder lies by default: in .diffprof, beside the root of its
// repository, or in the folder itself where that is in none.
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

// A File is the path of a history. It is an analysis.Keep, which opens the file whenever it is
// asked for a run, and holds nothing in between.
type File string

// Runs returns the names of the runs that a name such as history:4f2c1a stands for.
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

// Load returns the run of a name that Runs gave.
func (f File) Load(ctx context.Context, name string) (*analysis.Kept, error) {
	s, e, err := f.find(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Load(ctx, e.Runs[0])
}

// Sum returns the hash of what the file keeps of the run of a name that Runs gave.
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

// find opens the file, which the caller closes, and finds what a name stands for.
func (f File) find(ctx context.Context, name string) (*Store, *Entry, error) {
	s, err := Open(ctx, string(f))
	if err != nil {
		return nil, nil, err
	}
	e, err := s.Find(ctx, strings.TrimPrefix(name, analysis.KeptPrefix))
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, e, nil
}
