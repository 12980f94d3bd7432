package server

import "context"

// initialized begins the work that needs a client which listens.
func (s *session) initialized(context.Context, *struct{}) error {
	if s.started {
		return errIgnore
	}
	s.started = true
	s.background.Go(s.publish)
	s.background.Go(s.configure)
	s.background.Go(s.watch)
	s.register()
	s.loadSources()
	s.reconfigure()
	return nil
}
