package main

import (
	"context"
	"crypto/rand"
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

// exitNoShutdown is the exit code if the client ends the session without the request shutdown. The
// Language Server Protocol requires this code.
const exitNoShutdown = 1

func newLSP(files *outputs) *cobra.Command {
	var listen, assistants string
	cmd := &cobra.Command{
		Use:   "lsp [flags]",
		Short: "Run the language server for editors",
		Long: `lsp is a language server: an editor starts it. It compares the two traces that
the editor's settings or diffprof.yaml name, and shows the findings at the calls
in your sources. docs/lsp.md lists the features.`,
		Example: `  # For debugging: serve on a port instead
  diffprof lsp --listen 127.0.0.1:4711`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := server.Options{Version: toolVersion(), Log: os.Stderr}
			if folder, err := os.UserCacheDir(); err == nil {
				o.Cache = filepath.Join(folder, "diffprof", "outlines")
			}
			if assistants != "" {
				var err error
				if o.Assistants, err = listenForAssistants(cmd.Context(), assistants); err != nil {
					return err
				}
				if listen != "" {
					return errors.New("--listen serves several editors, and --mcp shows assistants only one: give one of the two")
				}
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
			"serve at `ADDRESS` of this machine instead of standard input and output; 127.0.0.1:0 picks a free port and prints it")
	})
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		flags.StringVar(&assistants, "mcp", "",
			"also answer coding assistants at `ADDRESS` of this machine (Model Context Protocol); prints the URL and the token, which DIFFPROF_MCP_TOKEN can set")
	})
	complete(cmd, "listen")
	complete(cmd, "mcp")
	return cmd
}

// stdio is a connection through standard input and standard output.
type stdio struct {
	io.ReadCloser
	out io.WriteCloser
}

func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }

// Close closes the input. The output stays open until the process ends.
func (s stdio) Close() error { return s.ReadCloser.Close() }

// serveOn serves at an address until ctx ends. It refuses addresses that other machines can reach,
// because the protocol has no passwords.
func serveOn(ctx context.Context, address string, o server.Options) error {
	listener, err := listenHere(ctx, "--listen", address)
	if err != nil {
		return err
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

// listenHere listens at an address of this machine. The address is the value of flag.
func listenHere(ctx context.Context, flag, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w; use 127.0.0.1:PORT", flag, address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s %q: serving other machines is not safe; use 127.0.0.1:PORT", flag, address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", flag, address, err)
	}
	return listener, nil
}

// tokenVariable is the environment variable with the token that assistants must send.
const tokenVariable = "DIFFPROF_MCP_TOKEN"

// listenForAssistants listens for assistants, and prints how they can connect.
func listenForAssistants(ctx context.Context, address string) (*server.Assistants, error) {
	listener, err := listenHere(ctx, "--mcp", address)
	if err != nil {
		return nil, err
	}
	token, source := os.Getenv(tokenVariable), "the token in "+tokenVariable
	if token == "" {
		token = rand.Text()
		source = "the token " + token
	}
	fmt.Fprintf(os.Stderr, "diffprof lsp: assistants connect to http://%v with %s\n", listener.Addr(), source)
	return &server.Assistants{Listener: listener, Token: token}, nil
}
