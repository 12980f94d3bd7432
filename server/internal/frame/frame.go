// Package frame reads and writes JSON-RPC messages in the framing of the Language Server
// Protocol: a Content-Length header, an empty line, the message.
//
// A peer can send anything. The reader answers an invalid message with JSON-RPC's error and
// skips it, as long as the beginning of the next message is clear:
//
//   - text that is not JSON, or nested too deeply: parse error;
//   - JSON that is not a message: invalid request;
//   - a message longer than the limit: invalid request; it is skipped, not stored;
//   - a response to a call that was never made, or that was answered: dropped.
//
// A damaged header ends the stream with an error that wraps [ErrFraming], since the next
// message has no known beginning. A few empty lines before a header are allowed, as in HTTP:
// some peers write a line feed after a message. Memory grows with the received bytes, never
// with the length in a header.
//
// One goroutine may read while any number write.
package frame

import (
	"bufio"
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// ErrFraming is the error of a peer that violates the framing.
var ErrFraming = errors.New("damaged message header")

// Limits of a header, far above those of real clients.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 32
)

// A Stream is a jsonrpc2.Stream over a pair of pipes or a socket.
type Stream struct {
	conn  io.ReadWriteCloser
	in    *bufio.Reader
	limit int64

	writing sync.Mutex
	// asked has the ids of unanswered calls.
	mu    sync.Mutex
	asked map[jsonrpc2.ID]bool
}

var _ jsonrpc2.Stream = (*Stream)(nil)

// New returns a stream that refuses messages of more than limit bytes.
func New(conn io.ReadWriteCloser, limit int64) *Stream {
	return &Stream{conn: conn, in: bufio.NewReaderSize(conn, maxHeaderLine), limit: limit, asked: make(map[jsonrpc2.ID]bool)}
}

// Read implements jsonrpc2.Stream. It returns io.EOF if the peer closed the stream between
// two messages.
func (s *Stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		length, err := s.header()
		if err != nil {
			return nil, 0, err
		}
		msg, err := s.body(ctx, length)
		if err != nil || msg != nil {
			return msg, length, err
		}
	}
}

// header reads a header and returns the length of the message.
func (s *Stream) header() (int64, error) {
	length := int64(-1)
	begun := false
	for n := 0; ; n++ {
		line, err := s.in.ReadSlice('\n')
		switch {
		case err == io.EOF && !begun && len(bytes.TrimSpace(line)) == 0:
			return 0, io.EOF
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull) || n == maxHeaderLines:
			return 0, fmt.Errorf("%w: it does not end", ErrFraming)
		case err != nil:
			return 0, err
		}
		text := strings.TrimSpace(string(line))
		if text == "" {
			if !begun {
				continue
			}
			if length < 0 {
				return 0, fmt.Errorf("%w: no Content-Length", ErrFraming)
			}
			return length, nil
		}
		begun = true
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, fmt.Errorf("%w: %.40q", ErrFraming, text)
		}
		if !strings.EqualFold(strings.TrimSpace(name), jsonrpc2.HdrContentLength) {
			continue
		}
		if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 63); err != nil || length < 0 {
			return 0, fmt.Errorf("%w: Content-Length %.40q", ErrFraming, value)
		}
	}
}

// body reads a message of the given length. It returns nil for a skipped message.
func (s *Stream) body(ctx context.Context, length int64) (jsonrpc2.Message, error) {
	if length > s.limit {
		if _, err := io.CopyN(io.Discard, s.in, length); err != nil {
			return nil, unexpected(err)
		}
		return nil, s.refuse(ctx, jsonrpc2.InvalidRequest, fmt.Sprintf("the message has %d bytes; at most %d are read", length, s.limit))
	}
	var data bytes.Buffer
	if _, err := io.CopyN(&data, s.in, length); err != nil {
		return nil, unexpected(err)
	}
	// The standard library limits the nesting of values. The decoder that jsonrpc2 uses does not.
	if !stdjson.Valid(data.Bytes()) {
		return nil, s.refuse(ctx, jsonrpc2.ParseError, "the message is not JSON")
	}
	msg, err := jsonrpc2.DecodeMessage(data.Bytes())
	if err != nil {
		return nil, s.refuse(ctx, jsonrpc2.InvalidRequest, "the JSON is not a JSON-RPC 2.0 message")
	}
	if response, ok := msg.(*jsonrpc2.Response); ok && !s.answers(response.ID()) {
		return nil, nil
	}
	return msg, nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// answers reports whether a call with this id waits for its response. It also removes the call from
// the waiting calls.
func (s *Stream) answers(id jsonrpc2.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits := s.asked[id]
	delete(s.asked, id)
	return waits
}

// refuse answers a message of unknown id with an error.
func (s *Stream) refuse(ctx context.Context, code jsonrpc2.Code, why string) error {
	data, err := stdjson.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      *int            `json:"id"`
		Error   *jsonrpc2.Error `json:"error"`
	}{jsonrpc2.Version, nil, jsonrpc2.NewError(code, why)})
	if err != nil {
		return fmt.Errorf("encoding an error: %w", err)
	}
	_, err = s.write(ctx, data)
	return err
}

// Write implements jsonrpc2.Stream.
func (s *Stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	marshaler, ok := msg.(stdjson.Marshaler)
	if !ok {
		return 0, fmt.Errorf("encoding a message: %T is not a message", msg)
	}
	data, err := marshaler.MarshalJSON()
	if err != nil {
		return 0, fmt.Errorf("encoding a message: %w", err)
	}
	if call, ok := msg.(*jsonrpc2.Call); ok {
		s.mu.Lock()
		s.asked[call.ID()] = true
		s.mu.Unlock()
	}
	return s.write(ctx, data)
}

func (s *Stream) write(ctx context.Context, data []byte) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	framed := make([]byte, 0, len(data)+40)
	framed = fmt.Appendf(framed, "%s: %d%s", jsonrpc2.HdrContentLength, len(data), jsonrpc2.HdrContentSeparator)
	framed = append(framed, data...)
	s.writing.Lock()
	defer s.writing.Unlock()
	n, err := s.conn.Write(framed)
	if err != nil {
		return int64(n), fmt.Errorf("writing a message: %w", err)
	}
	return int64(n), nil
}

// Close implements jsonrpc2.Stream.
func (s *Stream) Close() error { return s.conn.Close() }
