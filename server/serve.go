package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/client"
	"github.com/diffprof/diffprof/server/internal/frame"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// ErrNoShutdown says that a connection ended, by exit or by the client's death,
// without the shutdown that the protocol asks for. The process's exit code is 1
// then.
var ErrNoShutdown = errors.New("the connection ended without shutdown")

// maxMessage is the longest message that is read, in bytes: more than the source
// files and settings that clients send.
const maxMessage = 32 << 20

// linger is how long Serve waits for background work to notice that the connection
// ended.
const linger = 5 * time.Second

// Options say how to serve. The zero value serves.
type Options struct {
	// Version is the program's, for the client to show.
	Version string
	// Cache is the folder in which to keep what was read of the sources; empty is none.
	Cache string
	// Log takes lines for the person who looks after the server; nil takes none.
	Log io.Writer

	hooks
}

// hooks are what tests put in the place of clocks, processes and comparisons.
type hooks struct {
	// crash lets panics through.
	crash bool
	// compare is analysis.Compare.
	compare func(context.Context, analysis.Options) (*analysis.Result, error)
	// loading is called before sources are read; may be nil.
	loading func()
	// telling is called before the client is told how a comparison ended; may be nil.
	telling func()
	// alive says whether a process exists.
	alive func(pid int) bool
	// published, configured, looked, scanned and recalled are told of the end of each turn of
	// their loops; may be nil.
	published                             func(*workspace.Snapshot)
	configured, looked, scanned, recalled func()
	// giveBack returns unused memory to the system.
	giveBack func()
	// tick returns the ticks for the loop called name, and a function that stops them.
	tick func(name string, every time.Duration) (<-chan time.Time, func())
}

func (h *hooks) fill() {
	if h.compare == nil {
		h.compare = analysis.Compare
	}
	if h.alive == nil {
		h.alive = alive
	}
	if h.giveBack == nil {
		h.giveBack = debug.FreeOSMemory
	}
	if h.tick == nil {
		h.tick = func(_ string, every time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(every)
			return t.C, t.Stop
		}
	}
}

// Serve serves one client until it exits, dies or ctx ends, and closes conn. It
// returns nil after an orderly end, ErrNoShutdown or what ended the connection
// otherwise.
func Serve(ctx context.Context, conn io.ReadWriteCloser, o Options) error {
	o.fill()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := newSession(ctx, o)
	connection := jsonrpc2.NewConn(frame.New(conn, maxMessage))
	s.client = client.New(ctx, connection, o.Log)
	connection.Go(ctx, s.dispatch)

	var err error
	select {
	case <-connection.Done():
		err = connection.Err()
	case <-s.ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	stop()
	// All that was read has been handled, so an error of closing does not matter.
	_ = connection.Close()
	s.drain()
	return s.outcome(err)
}

// outcome is what Serve returns when the connection ended with err. The connection
// reads on after exit, so err may be about bytes that follow it: err counts only if
// there was no exit.
func (s *session) outcome(err error) error {
	select {
	case <-s.ended:
		err = nil
	default:
	}
	gone := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe)
	switch {
	case err != nil && !gone:
		return fmt.Errorf("serving: %w", err)
	case !s.orderly.Load():
		return ErrNoShutdown
	}
	return nil
}

// drain waits for background work, within reason.
func (s *session) drain() {
	done := make(chan struct{})
	go func() {
		s.background.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(linger):
		s.client.Logf("bug: background work outlived its connection by %v", linger)
	}
}
