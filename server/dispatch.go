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

// A handler carries out one method or command. Its result is ignored for
// notifications. A result of type rest is carried out beside others, and has the result.
type handler func(s *session, ctx context.Context, params json.RawMessage) (any, error)

// rest is what is left to do of a request after what had to be done in the order of the
// messages.
type rest func(context.Context) (any, error)

// A method is an entry of the dispatch table.
type method struct {
	handle handler
	// early methods are served before initialize, late ones after shutdown.
	early, late bool
	// async methods run beside others; the rest run one at a time, in the order
	// in which they arrive.
	async bool
}

// request makes a handler of a method with typed parameters and result.
func request[P, R any](f func(*session, context.Context, *P) (R, error)) handler {
	return func(s *session, ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the parameters do not fit: %v", err)
			}
		}
		return f(s, ctx, &params)
	}
}

// notification makes a handler of a method without a result.
func notification[P any](f func(*session, *P) error) handler {
	return request(func(s *session, _ context.Context, params *P) (any, error) {
		return nil, f(s, params)
	})
}

// query makes a handler of a function that answers from a snapshot.
func query[P, R any](f func(context.Context, *workspace.Snapshot, *P) (R, error)) handler {
	return request(func(s *session, ctx context.Context, params *P) (any, error) {
		snapshot, err := s.workspace.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return f(ctx, snapshot, params)
	})
}

// compared makes a handler of a function that answers from a snapshot with a
// comparison; without one it answers that there is none.
func compared[P, R any](f func(context.Context, *workspace.Snapshot, *P) (R, error)) handler {
	return request(func(s *session, ctx context.Context, params *P) (any, error) {
		snapshot, err := s.comparedSnapshot(ctx)
		if err != nil {
			return nil, err
		}
		return f(ctx, snapshot, params)
	})
}

// comparedSnapshot returns a snapshot with a comparison.
func (s *session) comparedSnapshot(ctx context.Context) (*workspace.Snapshot, error) {
	snapshot, err := s.workspace.Snapshot(ctx)
	if err == nil && snapshot.Set == nil {
		err = errNoComparison
	}
	return snapshot, err
}

// errNoComparison is the answer of what needs a comparison.
var errNoComparison = errors.New("there is no comparison yet: set diffprof.subject and diffprof.reference, or run " + commandCompare)

// dispatch answers one message. The connection calls it for one message after the
// other, so methods that are not async run in the order of the messages.
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
	// carryOut does some of the request's work. It ends the request unless there is a rest.
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

// errIgnore is the error of a notification that is ignored without a line in the log.
var errIgnore = errors.New("ignored")

// refuses says why a message is not served in the connection's phase, or nil.
func (s *session) refuses(name string, m method, known, isCall bool) error {
	switch {
	case s.phase == created && !m.early:
		if !isCall {
			return errIgnore
		}
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s came before initialize", name)
	case s.phase == shutDown && !m.late:
		if !isCall {
			return errIgnore
		}
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s came after shutdown", name)
	case known:
		return nil
	case !isCall && strings.HasPrefix(name, "$/"):
		return errIgnore
	default:
		return jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %q", name)
	}
}

// guard does work and turns a panic into an error, with a word to the log and to the
// client. name says what the work is. Tests see the panic itself.
func (s *session) guard(name string, work func() error) (err error) {
	if s.o.crash {
		return work()
	}
	defer func() {
		if p := recover(); p != nil {
			s.client.Logf("bug: %s: %v\n%s", name, p, debug.Stack())
			err = jsonrpc2.Errorf(jsonrpc2.InternalError, "a mistake in diffprof: %s: %v", name, p)
			s.client.Notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{
				Type: protocol.MessageTypeError, Message: err.Error(),
			})
		}
	}()
	return work()
}

// answer sends a response. What goes wrong then is the connection's end, which the
// reader notices.
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
