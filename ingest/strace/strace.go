// Package strace reads what strace prints: a line for each system call, with the stack that
// made it below.
//
//	1438  1795347522.117809 openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3 <0.000010>
//	 > /usr/lib/libc.so.6(__open64_nocancel+0x49) [0xf4b29]
//	 > /usr/bin/app(load(int)+0x1c) [0xbab1]
//
// The number of the thread, the moment, how long the call lasted and the stack are there if
// strace was asked for them (-f, -ttt, -T, -k). A call that another thread's lines interrupt
// is written in two: one ends in <unfinished ...>, the other begins with <... read resumed>.
//
// # Samples
//
// Each call is a sample, at the moment of its end: the stack and the call itself, which is
// the function of the kernel that it asks for. What it lasted is elapsed time, unless it waits:
// waiting is no work. Nobody knows how much of the rest is processor time, and strace itself
// slows each call down.
//
// strace names the last symbol before an address. A library without debugging symbols has
// only those that it exports, so that code far behind a symbol is of another function: from
// 64 KiB on, in the loader from 1 KiB on, a frame is named by its address.
//
// # Operations
//
// A call on a descriptor is an operation of what the descriptor stands for: of the network
// if it is a socket that leaves the machine, of the disk if it is a file. The package follows
// descriptors from the calls that make them, over dup, fork, execve and close; what -y and
// -yy say of them counts more. Calls on pipes, events, terminals, the kernel's own files and
// connections to the machine itself are no operations.
//
// Operations are in the order of their begins. One that others overtake while it waits, such
// as a long receive, keeps at most 16,384 of them waiting; then the begin of its wait is
// given up.
//
// # Threads
//
// The number of a thread that ended may become that of another one, which is a thread of its own
// here. A child that ends before the call which made it is not taken for the next of its number.
//
// # Imperfect logs
//
// Logs without moments have samples and no operations. Descriptors that the log does not
// open, since strace joined later or was asked for some calls alone, are unknown without -y,
// and what is asked of them is counted in a warning. So are calls that submit work to the
// kernel which the log does not show.
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

// Sniff says whether head, the begin of a file, is a log of strace: the first line that is
// not strace's own is a call, a signal or an end.
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
		// The arguments of an execve may be longer than the head.
		return !whole && l.moment.scale != noScale && l.name != nil
	}
	return false
}

// Options say how to read a log.
type Options struct {
	// Process is the process to read, by its name or its number; empty reads all.
	Process string
	// Triggers say what system calls ask; nil is the built-in table.
	Triggers *trigger.Table
}

// Decode reads a log, which open gives from its begin as often as it is asked, and hands its
// samples and operations to sink. Errors of the text are *syntax.Error.
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
		return nil, located(0, errors.New("no line is a whole system call"))
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

// maxTorn bounds a line that strace tears to say that it has found a new thread.
const maxTorn = 1 << 20

// eachLines is after how many lines the context is asked.
const eachLines = 1 << 10

// errSink marks errors that are the sink's.
type errSink struct{ error }

func (e errSink) Unwrap() error { return e.error }

// each gives the lines of a log.
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

// located says where the text is wrong; line 0 is the whole of it. Errors of the context and
// of the sink stay as they are.
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
