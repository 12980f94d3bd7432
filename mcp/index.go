package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/diffprof/diffprof/code/source"
)

// An Index has the sources of folders as they are on disk. It is safe for concurrent use.
type Index struct {
	mu    sync.Mutex
	index *source.Index
	// refreshed is the time when the files were last read or checked.
	refreshed time.Time
}

// unchanged is the time for which the files are assumed unchanged. Checking a large project takes
// longer than an answer.
const unchanged = time.Second

// NewIndex returns an index of folders. It reads nothing yet. cache is the folder of the cache,
// empty for none.
func NewIndex(cache string, folders ...string) *Index {
	return &Index{index: source.New(source.Options{Roots: folders, Kept: func() string { return cache }})}
}

// Refresh reads the files that are new or changed, and returns the index. Its only error is ctx's.
func (x *Index) Refresh(ctx context.Context) (*source.Index, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.refreshed.IsZero() {
		if _, err := x.index.Load(ctx, nil); err != nil {
			return nil, err
		}
		x.refreshed = time.Now()
	}
	if time.Since(x.refreshed) < unchanged {
		return x.index, nil
	}
	changed, err := x.index.Changes(ctx)
	for _, path := range changed {
		if err == nil {
			err = x.index.Refresh(ctx, path)
		}
	}
	x.refreshed = time.Now()
	return x.index, err
}
