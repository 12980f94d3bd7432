package workspace

import (
	"context"
	"time"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source"
)

// Sources are the indexed sources of the workspace folders. They are safe for
// concurrent use. Unlike the rest of a snapshot, their index follows the edits: it
// answers from the files as they are.
type Sources struct {
	index *source.Index
	// loaded is closed when the files have been read.
	loaded chan struct{}
	// before are the sources whose place these take, until Load.
	before *Sources
}

// newSources returns sources that take the place of those before, which may be nil. kept is
// as in source.Options.
func newSources(roots Roots, before *Sources, kept func() string) *Sources {
	var paths []string
	for _, r := range roots {
		paths = append(paths, r.path)
	}
	return &Sources{index: source.New(source.Options{Roots: paths, Kept: kept}), loaded: make(chan struct{}), before: before}
}

// Load reads the files. It is called once, and ends with ctx. progress is told how
// many files were read.
func (s *Sources) Load(ctx context.Context, progress func(done, total int)) ([]source.Warning, error) {
	defer close(s.loaded)
	if s.before != nil {
		s.before.index.Release()
		s.before = nil
	}
	return s.index.Load(ctx, progress)
}

// Await waits for the end of Load, until late at the longest; a nil late is never. It fails
// if ctx ends.
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

// Classes are the classes that the sources declare.
func (s *Sources) Classes() []classes.Class { return s.index.Classes() }

// Declares reports whether the sources have a class.
func (s *Sources) Declares(class string) bool {
	found, _ := s.index.Find(name.OfClass(class, "", ""), time.Time{})
	return len(found) > 0
}

// Loaded reports whether Load has ended.
func (s *Sources) Loaded() bool {
	select {
	case <-s.loaded:
		return true
	default:
		return false
	}
}

// Changes returns the files that changed on disk since they were read.
func (s *Sources) Changes(ctx context.Context) ([]string, error) { return s.index.Changes(ctx) }
