// Command diffprof compares the energy use of two recordings of an app, and shows where it differs.
// docs/cli.md describes it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/diffprof/diffprof/server"
)

// The exit codes. After a signal, the exit code is 128 plus the signal's number.
const (
	exitDone     = 0
	exitPassed   = 1 // a condition of --fail-on holds
	exitCouldNot = 2 // a condition could not be judged, or the program could not run
	exitUnposted = 3 // the comment could not be posted
)

// grace is how long a cancelled command may take to finish. A command can extend it with waitFor.
const grace = 50 * time.Millisecond

// A stoppedError is the error of an interrupted command. left says what remains of its work.
type stoppedError struct {
	left string
	err  error
}

func (e *stoppedError) Error() string {
	if e.err == nil || errors.Is(e.err, context.Canceled) {
		return e.left
	}
	return e.left + ": " + e.err.Error()
}

func main() { os.Exit(run(os.Args[1:])) }

// run runs a command line and returns the exit code.
func run(args []string) int {
	// Without this, writing to a closed pipe would kill the process before it can remove its
	// unfinished files.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	// Under nohup, SIGHUP is ignored and must stay so.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	files := &outputs{stdout: os.Stdout}
	defer files.abandon()
	done := make(chan error, 1)
	go func() {
		root := newRoot(files)
		root.SetArgs(args)
		help := &keptError{w: os.Stdout}
		root.SetOut(help)
		done <- cmp.Or(root.ExecuteContext(ctx), help.err)
	}()
	select {
	case err := <-done:
		return conclude(os.Stderr, err)
	case sig := <-signals:
		cancel()
		left := "stopped, nothing written"
		select {
		case err := <-done:
			if err == nil {
				return exitDone
			}
			var stopped *stoppedError
			if errors.As(err, &stopped) {
				left = oneLine(stopped.Error())
			}
		case <-time.After(files.grace()):
		}
		fmt.Fprintf(os.Stderr, "diffprof: %v: %s\n", sig, left)
		if n, ok := sig.(syscall.Signal); ok {
			return 128 + int(n)
		}
		return exitCouldNot
	}
}

// A keptError is a writer that remembers its first error, because Cobra ignores write errors.
type keptError struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if k.err == nil && err != nil {
		k.err = fmt.Errorf("writing help: %w", err)
	}
	return n, err
}

// conclude reports the result of a run on one line, and returns its exit code. A pipe that its
// reader closes early is no failure.
func conclude(stderr io.Writer, err error) int {
	var passed *passedError
	var unposted *unpostedError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.Is(err, server.ErrNoShutdown):
		fmt.Fprintf(stderr, "diffprof: %s\n", oneLine(err.Error()))
		return exitNoShutdown
	case errors.As(err, &passed):
		fmt.Fprintf(stderr, "diffprof: %s\n", oneLine(err.Error()))
		return exitPassed
	case errors.As(err, &unposted):
		fmt.Fprintf(stderr, "diffprof: %s\n", oneLine(err.Error()))
		return exitUnposted
	default:
		fmt.Fprintf(stderr, "diffprof: %s\n", oneLine(err.Error()))
		return exitCouldNot
	}
}

// oneLine returns an error's text on one line.
func oneLine(s string) string { return printable(strings.TrimSpace(s)) }

// printable replaces control characters, which names of files may contain, by spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
