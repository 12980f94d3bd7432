package server

import "context"

// shutdown ends background work and answers nothing but exit from here on.
func (s *session) shutdown(_ context.Context, _ *struct{}) (any, error) {
	s.phase = shutDown
	s.orderly.Store(true)
	s.stopWork()
	return nil, nil
}

// exit ends the connection, orderly or not.
func (s *session) exit(_ context.Context, _ *struct{}) error {
	s.end()
	return nil
}
