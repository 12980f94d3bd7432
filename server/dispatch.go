package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// A handler runs one method or command. If it returns a rest, the request continues in the
// background, and the rest returns the actual result. The result of a notification is ignored.
type handler func(s *session, ctx context.Context, params json.RawMessage) (any, error)

// rest is the part of a request that runs in the background. Before it, a handler does what must
// happen in the order of the messages.
type rest func(context.Context) (any, error)

// A method is an entry of the dispatch table.
type method struct {
	handle handler
	// early methods are allowed before initialize, late methods after shutdown.
	early, late bool
	// async methods run concurrently. All others run one at a time, in order of arrival.
	async bool
}

// request returns a handler for a method with typed parameters and result.
func request[P, R any](f func(*session, context.Context, *P) (R, error)) handler {
	return func(s *session, ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid parameters: %v", err)
			}
		}
		return f(s, ctx, &params)
	}
}

// notification returns a handler for a method without a result.
func notification[P any](f func(*session, *P) error) handler {
	return request(func(s *session, _ context.Context, params *P) (any, error) {
		return nil, f(s, params)
	})
}

// query returns a handler for a request that only reads a snapshot of the workspace.
func query[P, R any](f func(context.Context, *workspace.Snapshot, *P) (R, error)) handler {
	return request(func(s *session, ctx context.Context, params *P) (any, error) {
		snapshot, err := s.workspace.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return f(ctx, snapshot, params)
	})
}

// compared is like query for requests that need a comparison. Without a comparison, they fail with
// errNoComparison.
func compared[P, R any](f func(context.Context, *workspace.Snapshot, *P) (R, error)) handler {
	return request(func(s *session, ctx context.Context, params *P) (any, error) {
		snapshot, err := s.comparedSnapshot(ctx)
		if err != nil {
			return nil, err
		}
		return f(ctx, snapshot, params)
	})
}

// comparedSnapshot returns a snapshot, or errNoComparison if it has no comparison.
func (s *session) comparedSnapshot(ctx context.Context) (*workspace.Snapshot, error) {
	snapshot, err := s.workspace.Snapshot(ctx)
	if err == nil && snapshot.Set == nil {
		err = errNoComparison
	}
	return snapshot, err
}

// errNoComparison is the error of a request that needs a comparison.
var errNoComparison = errors.New("no comparison yet: set diffprof.subject and diffprof.reference, or run " + commandCompare)

// dispatch answers one message. The connection calls it sequentially, so methods that are
// not async run in the order of the messages.
func (s *session) dispatch(_ context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	call, isCall := req.(*jsonrpc2.Call)
	answer := func(result any, err error) {
		if !isCall {
			if err != nil && !errors.Is(err, errIgnore) {
				s.client.Logf("%s: %v", req.Method(), err)
			}
			return
		}
		s.answer(reply, result, err)
	}
	m, known := s.methods[req.Method()]
	if err := s.refuses(req.Method(), m, known, isCall); err != nil {
		answer(nil, err)
		return nil
	}
	ctx, cancel := context.WithCancel(s.ctx)
	if isCall {
		if err := s.client.Begin(call.ID(), cancel); err != nil {
			cancel()
			answer(nil, err)
			return nil
		}
	}
	end := func(result any, err error) {
		cancel()
		if isCall {
			s.client.End(call.ID())
		}
		answer(result, err)
	}
	// runWork calls work and sends its result as the answer. If the result is a rest, it returns
	// the rest instead and does not answer yet.
	carryOut := func(work rest) (left rest) {
		var result any
		err := s.guard(req.Method(), func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			result, err = work(ctx)
			return err
		})
		if left, ok := result.(rest); ok && err == nil {
			return left
		}
		end(result, err)
		return nil
	}
	work := rest(func(ctx context.Context) (any, error) { return m.handle(s, ctx, req.Params()) })
	if !m.async {
		work = carryOut(work)
	}
	if work != nil {
		s.background.Go(func() { carryOut(work) })
	}
	return nil
}

// errIgnore makes the server drop a notification without writing to the log.
var errIgnore = errors.New("ignored")

// refuses returns an error if the method is unknown, or if the phase of the connection does not
// allow the message.
func (s *session) refuses(name string, m method, known, isCall bool) error {
	switch {
	case s.phase == created && !m.early:
		if !isCall {
			return errIgnore
		}
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s arrived before initialize", name)
	case s.phase == shutDown && !m.late:
		if !isCall {
			return errIgnore
		}
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s arrived after shutdown", name)
	case known:
		return nil
	case !isCall && strings.HasPrefix(name, "$/"):
		return errIgnore
	default:
		return jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "unknown method %q", name)
	}
}

// guard calls work and converts a panic to an error. It reports the panic in the log and to the
// client. name describes the work. If crash is set, as in tests, it does not catch panics.
func (s *session) guard(name string, work func() error) (err error) {
	if s.o.crash {
		return work()
	}
	defer func() {
		if p := recover(); p != nil {
			s.client.Logf("bug: %s: %v\n%s", name, p, debug.Stack())
			err = jsonrpc2.Errorf(jsonrpc2.InternalError, "a bug in diffprof: %s: %v", name, p)
			s.client.Notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{
				Type: protocol.MessageTypeError, Message: err.Error(),
			})
		}
	}()
	return work()
}

// answer sends a response. It ignores errors, because they mean that the connection has ended. The
// reader of the connection notices this.
func (s *session) answer(reply jsonrpc2.Replier, result any, err error) {
	var coded *jsonrpc2.Error
	switch {
	case err == nil:
		var data []byte
		if data, err = json.Marshal(result); err != nil {
			s.client.Logf("encoding a result: %v", err)
			coded = jsonrpc2.Errorf(jsonrpc2.InternalError, "encoding the result: %v", err)
			break
		}
		_ = reply(s.ctx, json.RawMessage(data), nil)
		return
	case errors.As(err, &coded):
		coded = jsonrpc2.NewError(coded.Code, err.Error())
	case errors.Is(err, context.Canceled):
		coded = jsonrpc2.NewError(protocol.CodeRequestCancelled, "cancelled")
	default:
		coded = jsonrpc2.NewError(lsp.CodeRequestFailed, err.Error())
	}
	_ = reply(s.ctx, nil, coded)
}
