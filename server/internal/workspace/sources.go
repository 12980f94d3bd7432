package workspace

import (
	"context"
	"time"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// Sources are the indexed sources of the workspace folders. They are safe for concurrent use.
// Unlike the rest of a snapshot, their index is mutable: it always has the current files.
type Sources struct {
	index *source.Index
	// loaded is closed after the files are read.
	loaded chan struct{}
	// before has the previous sources, until Load.
	before *Sources
}

// newSources returns sources that replace previous ones, which may be nil. kept has the same
// meaning as Kept in source.Options.
func newSources(roots Roots, before *Sources, kept func() string) *Sources {
	return &Sources{index: source.New(source.Options{Roots: roots.Paths(), Kept: kept}), loaded: make(chan struct{}), before: before}
}

// Load reads the files. It is called once, and ends with ctx. progress gets the number of
// files read.
func (s *Sources) Load(ctx context.Context, progress func(done, total int)) ([]source.Warning, error) {
	defer close(s.loaded)
	if s.before != nil {
		s.before.index.Release()
		s.before = nil
	}
	return s.index.Load(ctx, progress)
}

// Await waits for the end of Load, or until late receives. If late is nil, the wait has no limit.
// Await fails if ctx ends.
func (s *Sources) Await(ctx context.Context, late <-chan time.Time) error {
	select {
	case <-s.loaded:
		return nil
	case <-late:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Classes returns the classes that the sources declare.
func (s *Sources) Classes() []classes.Class { return s.index.Classes() }

// Declares reports whether the sources have a class.
func (s *Sources) Declares(class string) bool {
	found, _ := s.index.Find(name.OfClass(class, "", ""), time.Time{})
	return len(found) > 0
}

// Index returns the index.
func (s *Sources) Index() *source.Index { return s.index }

// Loaded reports whether Load has ended.
func (s *Sources) Loaded() bool {
	select {
	case <-s.loaded:
		return true
	default:
		return false
	}
}

// Changes returns the files that changed on disk after they were read.
func (s *Sources) Changes(ctx context.Context) ([]string, error) { return s.index.Changes(ctx) }
