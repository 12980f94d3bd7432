// Package mcp answers coding assistants: it is a server of the Model Context Protocol
// (modelcontextprotocol.io).
//
// An assistant can find the tasks that use more energy, their places, and whether the difference is
// more than noise. The tools return the judgement of package finding and the sentences of package
// report. This package computes no figures and makes no judgement of its own.
//
// Laws:
//
//   - the figures equal those of the JSON report (diffprof compare --format json);
//   - a row whose difference does not count (see package finding) has no saving in any answer;
//   - an answer has at most [Options].Tokens tokens. A cursor continues the list;
//   - rows have the order of the report's table;
//   - texts from recordings have no control and no bidirectional characters, and a limited length;
//   - a client reaches only files in [Options].Folders and files that the settings name;
//   - without [Options].Write, the server writes no file and starts no program;
//   - a panic in a tool becomes the error of one call.
//
// A [Server] serves any number of sessions concurrently.
package mcp

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/settings"
)

// DefaultTokens is the default of Options.Tokens.
const DefaultTokens = 4000

// Options configure a server.
type Options struct {
	// Version is the version of the program.
	Version string
	// Source has the settings and makes the comparisons.
	Source Source
	// Folders are the absolute paths of the folders whose files a client may name. There is at least
	// one. Relative names refer to the first folder.
	Folders []string
	// Tokens limits the size of an answer. 0 means DefaultTokens. A token counts as three bytes.
	Tokens int
	// Docs has the documentation as Markdown files, nil for none.
	Docs fs.FS
	// Write has the actions of the tools that write; nil omits these tools.
	Write *Write
	// Log receives lines for the administrator; nil discards them.
	Log io.Writer
}

// A Source has the settings and makes the comparisons. Its functions are safe for concurrent use.
type Source struct {
	// Settings returns the current settings.
	Settings func(context.Context) (settings.Settings, error)
	// Compare compares the recordings of s.
	Compare func(ctx context.Context, s settings.Settings) (*finding.Set, error)
	// Live returns the result that an editor currently shows for s, or nil if it shows none for
	// these recordings. Live may be nil.
	Live func(ctx context.Context, s settings.Settings) (*finding.Set, error)
	// Index returns the current sources of the app.
	Index func(context.Context) (*source.Index, error)
}

// Write has actions that write files.
type Write struct {
	// Record records an app like diffprof record, and returns the output.
	Record func(ctx context.Context, arguments []string) (printed string, err error)
}

// A Server answers assistants. It is safe for concurrent use.
type Server struct {
	o     Options
	sdk   *sdk.Server
	files *files
	pairs pairs
	live  shownCache
	// tools has the arguments of each tool, by its name.
	tools map[string][]string
}

//go:embed instructions.md
var instructions string

// New returns a server.
func New(o Options) (*Server, error) {
	if o.Tokens == 0 {
		o.Tokens = DefaultTokens
	}
	files, err := newFiles(o.Folders)
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, files: files, tools: map[string][]string{}}
	s.sdk = sdk.NewServer(
		&sdk.Implementation{Name: "diffprof", Title: "diffprof, the differential energy profiler", Version: o.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}},
	)
	s.sdk.AddReceivingMiddleware(s.advise)
	s.addTools()
	s.addResources()
	s.addPrompts()
	return s, nil
}

// maxMessage is the longest accepted message in bytes.
const maxMessage = 1 << 20

// Serve serves one client until it closes in or ctx ends.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage})
	if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

// Handler serves clients over HTTP on this machine if they have the token. It refuses requests for
// other hosts and from web pages.
func (s *Server) Handler(token string) http.Handler {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		MaxRequestBodyBytes: maxMessage, SessionTimeout: time.Hour,
	})
	return requireToken(handler, token)
}
