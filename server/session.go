package server

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/diffprof/diffprof/server/internal/client"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/runner"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// A session serves one connection. It has no state of its own beyond the
// connection's life: the workspace has what the client opened and set, the runner has
// the comparison, and each loop has what it did last.
type session struct {
	o       Options
	methods map[string]method
	client  *client.Client

	// workspace and runner are made by initialize.
	workspace *workspace.Workspace
	runner    *runner.Runner

	// ctx ends with the connection, and with it all background work.
	ctx        context.Context
	background sync.WaitGroup

	// phase and loads belong to dispatch.
	phase phase
	loads loads
	// early is set where a comparison did not wait for the sources.
	early atomic.Bool
	// orderly is set by shutdown; ended is closed by exit, or when the client died.
	orderly atomic.Bool
	ended   chan struct{}
	endOnce sync.Once

	// configuring wakes the loop that reads the settings, and asking has it ask the
	// client for them first. scanning wakes the loop that looks for changed sources, and recalling
	// that which reads the history.
	configuring, asking, scanning, recalling signal
	// saved is woken when a file was saved, so that all diagnostics are published as they
	// are.
	saved signal
}

// phase is how far the connection's life has come.
type phase uint8

const (
	created phase = iota
	running
	listening // the client is initialized
	shutDown
)

func newSession(ctx context.Context, o Options) *session {
	return &session{
		o: o, ctx: ctx, methods: methods(), ended: make(chan struct{}),
		configuring: newSignal(), asking: newSignal(), scanning: newSignal(), recalling: newSignal(), saved: newSignal(),
	}
}

// start begins the session's state with what the client can do.
func (s *session) start(can lsp.ClientCapabilities) {
	s.phase = running
	s.client.SetCapabilities(can)
	s.workspace = workspace.New(s.client.Can(), s.o.Version, s.o.Cache, s.client.Logf)
	s.runner = runner.New(s.ctx, s.workspace.Show)
}

// end ends the session.
func (s *session) end() { s.endOnce.Do(func() { close(s.ended) }) }

// A signal holds at most one token, which says that a loop has work.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

// wake puts the token there.
func (c signal) wake() {
	select {
	case c <- struct{}{}:
	default:
	}
}

// taken takes the token and reports whether there was one.
func (c signal) taken() bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// follow carries out turn for each token, until the connection ends. name says what
// the turns do.
func follow[T any](s *session, name string, tokens <-chan T, turn func() error) {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tokens:
		}
		s.carryOut(name, turn)
	}
}

// carryOut does background work and writes to the log what goes wrong.
func (s *session) carryOut(name string, work func() error) {
	if err := s.guard(name, work); err != nil && s.ctx.Err() == nil {
		s.client.Logf("%s: %v", name, err)
	}
}
