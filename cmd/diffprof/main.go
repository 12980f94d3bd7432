// Command diffprof compares the energy of two Android method traces, task by
// task. docs/cli.md describes it.
package main

import (
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

// The exit codes, beside 128 and the signal's number for a run that a signal
// ended.
const (
	exitDone     = 0
	exitCouldNot = 2
)

// grace is how long a cancelled run may take to end by itself. What it holds
// then is given up.
const grace = 50 * time.Millisecond

func main() { os.Exit(run(os.Args[1:])) }

// run carries out a command line and returns the exit code.
func run(args []string) int {
	// Without this, writing to a closed pipe kills the process before it can
	// remove what it has begun to write elsewhere.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	files := &outputs{stdout: os.Stdout}
	defer files.abandon()
	done := make(chan error, 1)
	go func() {
		root := newRoot(files)
		root.SetArgs(args)
		done <- root.ExecuteContext(ctx)
	}()
	select {
	case err := <-done:
		return conclude(os.Stderr, err)
	case sig := <-signals:
		cancel()
		select {
		case err := <-done:
			if err == nil {
				return exitDone
			}
		case <-time.After(grace):
		}
		fmt.Fprintf(os.Stderr, "diffprof: %v: stopped, nothing written\n", sig)
		if n, ok := sig.(syscall.Signal); ok {
			return 128 + int(n)
		}
		return exitCouldNot
	}
}

// conclude reports how a run ended, on one line, and returns its exit code. A
// reader that has seen enough and closed the pipe is no failure.
func conclude(stderr io.Writer, err error) int {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.Is(err, server.ErrNoShutdown):
		fmt.Fprintf(stderr, "diffprof: %s\n", oneLine(err.Error()))
		return exitNoShutdown
	default:
		fmt.Fprintf(stderr, "diffprof: %s\n", oneLine(err.Error()))
		return exitCouldNot
	}
}

// oneLine keeps an error on one line, and its names from moving the cursor.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimSpace(s))
}
