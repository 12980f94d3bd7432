package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// A handler carries out one method. Its result is ignored for notifications.
type handler func(s *session, ctx context.Context, params json.RawMessage) (any, error)

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
func notification[P any](f func(*session, context.Context, *P) error) handler {
	return request(func(s *session, ctx context.Context, params *P) (any, error) {
		return nil, f(s, ctx, params)
	})
}

// phase is how far the connection's life has come.
type phase uint8

const (
	created phase = iota
	running
	shutDown
)

// maxInFlight bounds the requests that are under way at once. A client that sends
// more does not wait for answers.
const maxInFlight = 1024

// inFlight is what is under way.
type inFlight struct {
	mu sync.Mutex
	// cancels end the requests by their ids.
	cancels map[jsonrpc2.ID]context.CancelFunc
}

// begin notes a request; it fails where there are too many, or one with this id.
func (f *inFlight) begin(id jsonrpc2.ID, cancel context.CancelFunc) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.cancels[id]; ok {
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a request with the id %q is under way", id)
	}
	if len(f.cancels) >= maxInFlight {
		return jsonrpc2.Errorf(lsp.CodeRequestFailed, "%d requests are under way; wait for some to be answered", maxInFlight)
	}
	f.cancels[id] = cancel
	return nil
}

func (f *inFlight) end(id jsonrpc2.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cancels, id)
}

func (f *inFlight) cancel(id jsonrpc2.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.cancels[id]; cancel != nil {
		cancel()
	}
}

// dispatch answers one message. The connection calls it for one message after the
// other, so that what is not async is in order.
func (s *session) dispatch(_ context.Context, reply jsonrpc2.Replier, req jsonrpc2.Request) error {
	call, isCall := req.(*jsonrpc2.Call)
	answer := func(result any, err error) {
		if !isCall {
			if err != nil && !errors.Is(err, errIgnore) {
				s.logf("%s: %v", req.Method(), err)
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
		if err := s.flight.begin(call.ID(), cancel); err != nil {
			cancel()
			answer(nil, err)
			return nil
		}
	}
	work := func() {
		defer cancel()
		result, err := s.protect(ctx, req.Method(), m.handle, req.Params())
		if isCall {
			s.flight.end(call.ID())
		}
		answer(result, err)
	}
	if m.async {
		s.background.Go(work)
	} else {
		work()
	}
	return nil
}

// errIgnore is the error of what needs no answer and no word in the log.
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

// protect runs a handler and turns a panic into an error.
func (s *session) protect(ctx context.Context, name string, h handler, params json.RawMessage) (result any, err error) {
	defer s.recovers(name, &err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return h(s, ctx, params)
}

// recovers ends a panic of what is called name, with a word to the log and to the
// client. Tests see the panic itself.
func (s *session) recovers(name string, err *error) {
	if s.o.crash {
		return
	}
	if p := recover(); p != nil {
		s.logf("bug: %s: %v\n%s", name, p, debug.Stack())
		*err = jsonrpc2.Errorf(jsonrpc2.InternalError, "a mistake in diffprof: %s: %v", name, p)
		s.notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{
			Type: protocol.MessageTypeError, Message: (*err).Error(),
		})
	}
}

// answer sends a response. What goes wrong then is the connection's end, which the
// reader notices.
func (s *session) answer(reply jsonrpc2.Replier, result any, err error) {
	var coded *jsonrpc2.Error
	switch {
	case err == nil:
		var data []byte
		if data, err = json.Marshal(result); err != nil {
			s.logf("encoding a result: %v", err)
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

// notify sends a notification; one that cannot be sent has no reader any more.
func (s *session) notify(method string, params any) {
	data, err := json.Marshal(params)
	if err != nil {
		s.logf("encoding %s: %v", method, err)
		return
	}
	_ = s.conn.Notify(s.ctx, method, json.RawMessage(data))
}

// call asks the client and waits for its answer, or for the end of ctx. It must
// not be called from a method that is not async: the answer arrives behind it.
func (s *session) call(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", method, err)
	}
	var raw json.RawMessage
	if _, err := s.conn.Call(ctx, method, json.RawMessage(data), &raw); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if result == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: the client's answer: %w", method, err)
	}
	return nil
}
