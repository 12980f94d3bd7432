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

// ErrNoShutdown is the error of a connection that ended without the shutdown request that the
// protocol requires, for example because the client died. The exit code of the process is then 1.
var ErrNoShutdown = errors.New("the connection ended without shutdown")

// maxMessage is the longest accepted message in bytes: more than the source files and
// settings that clients send.
const maxMessage = 32 << 20

// linger limits how long Serve waits for background work after the end of the connection.
const linger = 5 * time.Second

// Options configure Serve. The zero value is valid.
type Options struct {
	// Version is the program's, for the client to show.
	Version string
	// Cache is the folder for the index of the sources; empty is none.
	Cache string
	// Assistants serves coding assistants as well; nil serves none.
	Assistants *Assistants
	// Log receives lines for the administrator; nil discards them.
	Log io.Writer

	hooks
}

// hooks replace clocks, processes and comparisons in tests.
type hooks struct {
	// If crash is set, panics are not caught.
	crash bool
	// compare is analysis.Compare.
	compare func(context.Context, analysis.Options) (*analysis.Result, error)
	// read is analysis.Read, for the lines of a run.
	read func(context.Context, analysis.Options) (*analysis.Input, error)
	// loading is called before sources are read; may be nil.
	loading func()
	// notifying is called before the client gets the result of a comparison; may be nil.
	notifying func()
	// alive reports whether a process exists.
	alive func(pid int) bool
	// published, configured, looked, scanned and recalled tell a test that one step of a background
	// loop is done. They may be nil.
	published                             func(*workspace.Snapshot)
	configured, looked, scanned, recalled func()
	// giveBack returns unused memory to the system.
	giveBack func()
	// tick returns the ticks for the loop with a name, and a function that stops them.
	tick func(name string, every time.Duration) (<-chan time.Time, func())
}

func (h *hooks) fill() {
	if h.compare == nil {
		h.compare = analysis.Compare
	}
	if h.read == nil {
		h.read = analysis.Read
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

// Serve serves one client until it exits or dies, or until ctx ends. It closes conn. It returns nil
// if the client shut down in order. Otherwise it returns ErrNoShutdown or the error of the
// connection.
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
	// All messages have been handled, so an error of Close does not matter.
	_ = connection.Close()
	s.drain()
	return errors.Join(s.outcome(err), s.pages.Remove())
}

// outcome returns the result of Serve for a connection that ended with err. The connection
// continues to read after exit, so err may be about later bytes. It is returned only if the client
// did not exit.
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
	case !s.shutdownDone.Load():
		return ErrNoShutdown
	}
	return nil
}

// drain waits for background work, at most linger.
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
