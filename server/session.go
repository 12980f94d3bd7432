package server

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/diffprof/diffprof/server/internal/client"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/page"
	"github.com/diffprof/diffprof/server/internal/runner"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// A session serves one connection. The session itself stores only the phase of the connection. The
// workspace stores the client's files and settings, the runner stores the comparison, and each loop
// stores its own state.
type session struct {
	o       Options
	methods map[string]method
	client  *client.Client

	// initialize creates workspace and runner.
	workspace *workspace.Workspace
	runner    *runner.Runner
	pages     page.Folder

	// ctx ends with the connection, and ends all background work.
	ctx        context.Context
	background sync.WaitGroup

	// Only dispatch uses phase and loads.
	phase phase
	loads loads
	// beforeSources is set if a comparison began before the sources were read.
	beforeSources atomic.Bool
	// shutdown sets orderly. exit and the death of the client close ended.
	shutdownDone atomic.Bool
	ended        chan struct{}
	endOnce      sync.Once

	// configuring wakes the loop that reads the settings. asking makes this loop request the
	// settings from the client first. scanning wakes the loop that looks for changed sources, and
	// recalling wakes the loop that reads the history.
	configuring, asking, scanning, recalling signal
	// saved is set when a file is saved. It causes a publication of all diagnostics.
	saved signal
}

// phase is the phase of the connection.
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

// start initializes the session with the client's capabilities.
func (s *session) start(can lsp.ClientCapabilities) {
	s.phase = running
	s.client.SetCapabilities(can)
	s.workspace = workspace.New(s.client.Can(), s.o.Version, s.o.Cache, s.client.Logf)
	s.runner = runner.New(s.ctx, s.workspace.Show)
}

// end ends the session.
func (s *session) end() { s.endOnce.Do(func() { close(s.ended) }) }

// A signal wakes a loop. It holds at most one token.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

// wake adds the token.
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

// follow calls turn for each token, until the connection ends. name describes the turns.
func follow[T any](s *session, name string, tokens <-chan T, turn func() error) {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tokens:
		}
		s.runWork(name, turn)
	}
}

// runWork runs background work and logs its error.
func (s *session) runWork(name string, work func() error) {
	if err := s.guard(name, work); err != nil && s.ctx.Err() == nil {
		s.client.Logf("%s: %v", name, err)
	}
}
