// Package strace reads the output of strace. It has a line for each system call, followed by the
// stack that made the call.
//
//	1438  1795347522.117809 openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3 <0.000010>
//	 > /usr/lib/libc.so.6(__open64_nocancel+0x49) [0xf4b29]
//	 > /usr/bin/app(load(int)+0x1c) [0xbab1]
//
// The number of the thread, the time, the duration of the call and the stack are optional (-f,
// -ttt, -T, -k). A call interrupted by lines of another thread is split in two: one part ends in
// <unfinished ...>, the other begins with <... read resumed>.
//
// # Samples
//
// Each call is a sample at the time of its end. Its stack is the stack of the call, with the call
// itself as the innermost frame. The value of the sample is the duration of the call as elapsed
// time, or 0 if the call waits, because waiting is not work. The log does not show how much of the
// duration is processor time, and strace itself slows each call down.
//
// strace prints the last symbol before an address. A library without debugging symbols has only
// exported symbols, so code far after a symbol belongs to another function. A frame that is 64 KiB
// or more after its symbol is therefore named by its address. In the dynamic loader, the limit is 1
// KiB.
//
// # Operations
//
// A call on a descriptor is an operation on the descriptor's object, such as a file or a socket.
// Sockets to other machines belong to the component network, and files to the component disk. The
// package follows descriptors from the calls that create them through dup, fork, execve and close.
// Annotations of -y and -yy take precedence. Calls on pipes, events, terminals, files of the
// kernel, and connections within the machine are not operations.
//
// Operations are sent in the order of their starts. An unfinished operation, such as a long
// receive, delays up to 16,384 later operations. If there are more, its start is set to a later
// time.
//
// # Threads
//
// The system may reuse the number of an ended thread. The decoder treats the new thread as a
// separate thread. A child may end before the call that created it returns. The decoder still
// distinguishes it from the next thread with the same number.
//
// # Imperfect logs
//
// A log without times has samples and no operations. The call that opened a descriptor may be
// missing, because strace attached later or traced only some calls. Without -y, the object of such
// a descriptor is unknown. Warnings count the operations on unknown objects. They also count calls
// such as io_uring_enter, which submit work that the log does not show.
package strace

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// Sniff reports whether head, the start of a file, is a log of strace. Messages of strace are
// skipped. The first other line must be a call, a signal or an exit.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(stacks.ByteOrderMark))
	for text := range bytes.Lines(head) {
		whole := bytes.HasSuffix(text, []byte("\n"))
		text = bytes.TrimRight(text, "\r\n")
		if len(text) == 0 || bytes.HasPrefix(text, []byte("strace: ")) {
			continue
		}
		var l line
		l.read(text)
		switch l.kind {
		case isCall, isBegin, isEnd, isExit:
			return true
		case isSignal:
			return bytes.Contains(text, []byte("--- SIG"))
		case isFrame:
			return false
		}
		// The first line may be an execve whose arguments are longer than head.
		return !whole && l.moment.scale != noScale && l.name != nil
	}
	return false
}

// Options state how to read a log.
type Options struct {
	// Process is the process to read, by name or number. If it is empty, all processes are read.
	Process string
	// Triggers states which system calls are requests to components. nil means the built-in table.
	Triggers *trigger.Table
}

// Decode reads a log and sends its samples and operations to sink. open returns a reader from the
// start of the log, and is called more than once. Errors in the text are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	triggers, err := trigger.OrBuiltIn(o.Triggers)
	if err != nil {
		return nil, err
	}
	s := newSurvey()
	if err := each(ctx, open, s.take); err != nil {
		return nil, err
	}
	s.settle()
	if s.calls == 0 {
		return nil, located(0, errors.New("no line is a complete system call"))
	}
	only := -1
	if o.Process != "" && o.Process != process.All && len(s.processes) > 1 {
		var err error
		if only, err = process.Find(s.processes, o.Process); err != nil {
			return nil, located(0, err)
		}
	}
	d := newDecoder(s, sink, only, triggers)
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	d.signals = trace.Signals(sink)
	err = each(ctx, open, d.take)
	if err == nil {
		err = d.close()
	}
	if err != nil {
		return nil, err
	}
	return d.finish(), nil
}

// maxTorn limits the length of a line that strace interrupts with a message about a new thread.
const maxTorn = 1 << 20

// eachLines is the number of lines between two checks of ctx.
const eachLines = 1 << 10

// errSink marks errors that the sink returned.
type errSink struct{ error }

func (e errSink) Unwrap() error { return e.error }

// each calls take for each line of a log.
func each(ctx context.Context, open func() (io.ReadCloser, error), take func(*line) error) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	lines := stacks.NewLines(in)
	var l line
	var torn []byte
	for {
		if lines.Number%eachLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		text = bytes.TrimRight(text, "\r\n")
		if len(torn) > 0 {
			torn = append(torn, text...)
			text = torn
		}
		if i := bytes.LastIndex(text, []byte("strace: Process ")); err == nil && i > 0 && bytes.HasSuffix(text, []byte(" attached")) && i < maxTorn {
			torn = append(torn[:0], text[:i]...)
			continue
		}
		if err == nil {
			l.read(text)
			err = take(&l)
		}
		torn = torn[:0]
		if err != nil {
			return located(lines.Number, err)
		}
	}
}

// located adds the line to an error. Line 0 means the whole file. It returns errors of the
// context and of the sink unchanged.
func located(line int, err error) error {
	var own errSink
	switch {
	case errors.As(err, &own):
		return own.error
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &syntax.Error{Format: "strace", Line: line, Offset: -1, Err: err}
}
