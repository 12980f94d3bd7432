package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/source"
)

// loadSources indexes the workspace's sources in the background, in the place of
// any loading before. loaded is closed at its end.
func (s *session) loadSources() {
	s.mu.Lock()
	if s.stopLoading != nil {
		s.stopLoading()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.stopLoading = cancel
	var roots []string
	for _, r := range s.roots {
		roots = append(roots, r.path)
	}
	index := source.New(source.Options{Roots: roots})
	loaded := make(chan struct{})
	s.desk.index, s.loaded = index, loaded
	s.loads++
	token := fmt.Sprintf("diffprof/index/%d", s.loads)
	for path := range s.documents {
		s.desk.dirty[path] = true
	}
	s.desk.stale = true
	s.mu.Unlock()

	p := &shownProgress{changed: make(chan struct{}, 1), over: make(chan struct{})}
	if len(roots) > 0 {
		p = s.show(ctx, token, "diffprof: reading sources", cancel)
	}
	s.background.Go(func() {
		defer close(loaded)
		defer cancel()
		message := "done"
		if err := s.runLoad(ctx, index, p); err != nil {
			message = "cancelled"
			if !errors.Is(err, context.Canceled) {
				s.logf("reading sources: %v", err)
				message = "failed"
			}
		}
		p.end(message)
		s.placeAll()
	})
}

func (s *session) runLoad(ctx context.Context, index *source.Index, p *shownProgress) (err error) {
	defer s.recovers("reading sources", &err)
	warnings, err := index.Load(ctx, func(done, total int) { p.stage("indexing", int64(done), int64(total)) })
	for _, w := range warnings {
		s.logf("%s: %s", w.Code, w.Message)
	}
	return err
}

// sourceClasses are the classes that the sources declare.
func (s *session) sourceClasses() []classes.Class {
	s.mu.Lock()
	index := s.desk.index
	s.mu.Unlock()
	if index == nil {
		return nil
	}
	return index.Classes()
}

// awaitSources waits until the sources are indexed.
func (s *session) awaitSources(ctx context.Context) error {
	s.mu.Lock()
	loaded := s.loaded
	s.mu.Unlock()
	if loaded == nil {
		return nil
	}
	select {
	case <-loaded:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
