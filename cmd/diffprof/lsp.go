package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/server"
)

// exitNoShutdown is the exit code of a session that the client ended without the request
// shutdown, as the Language Server Protocol demands.
const exitNoShutdown = 1

func newLSP(files *outputs) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "lsp [flags]",
		Short: "Run the language server for editors",
		Long: `lsp is a language server. An editor starts it and speaks the Language Server
Protocol over standard input and output. It compares the two traces that the
editor's settings or diffprof.yaml name, and shows the findings at the calls in
your sources.

docs/lsp.md lists the features, docs/settings.md the settings.`,
		Example: `  # For debugging: serve on a port instead
  diffprof lsp --listen 127.0.0.1:4711`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := server.Options{Version: toolVersion(), Log: os.Stderr}
			if folder, err := os.UserCacheDir(); err == nil {
				o.Cache = filepath.Join(folder, "diffprof", "outlines")
			}
			if listen != "" {
				return serveOn(cmd.Context(), listen, o)
			}
			return server.Serve(cmd.Context(), stdio{os.Stdin, files.stdout}, o)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		flags.StringVar(&listen, "listen", "",
			"serve at `ADDRESS` of this machine, one editor after the other, instead of standard input and output; 127.0.0.1:0 picks a port and says which")
	})
	complete(cmd, "listen")
	return cmd
}

// stdio is a connection over standard input and output.
type stdio struct {
	io.ReadCloser
	out io.WriteCloser
}

func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }

// Close closes the input. The output stays open until the process ends.
func (s stdio) Close() error { return s.ReadCloser.Close() }

// serveOn serves at an address until ctx ends. It refuses the addresses that other
// machines can reach, since the protocol has no passwords.
func serveOn(ctx context.Context, address string, o server.Options) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %q: %w; use 127.0.0.1:PORT", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %q: serving other machines is not safe; use 127.0.0.1:PORT", address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--listen %q: %w", address, err)
	}
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	fmt.Fprintf(os.Stderr, "diffprof lsp: serving at %v\n", listener.Addr())
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("accepting a connection: %w", err)
		}
		if err := server.Serve(ctx, conn, o); err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintf(os.Stderr, "diffprof lsp: %v\n", err)
		}
	}
}
