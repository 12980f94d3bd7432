package server

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/settings"
)

// A session is what the server knows of one connection.
type session struct {
	logger
	o       Options
	conn    jsonrpc2.Conn
	methods map[string]method
	flight  inFlight

	// ctx ends with the connection, and with it all background work.
	ctx        context.Context
	background sync.WaitGroup

	// phase belongs to dispatch.
	phase phase
	// orderly is set by shutdown; ended is closed by exit, or when the client died.
	orderly atomic.Bool
	ended   chan struct{}
	endOnce sync.Once

	// started belongs to dispatch: whether initialized came.
	started bool

	// publishing, configuring and scanning each hold a token where there is work for
	// the loop of the name.
	publishing, configuring, scanning chan struct{}

	// shown and pushed are what was published last; they belong to publish.
	shown  *view
	pushed map[string]string

	// settling keeps makers of views apart; it is held around mu.
	settling sync.Mutex

	// client and encoding are set by initialize and do not change after.
	client   lsp.ClientCapabilities
	encoding buffer.Encoding

	// mu guards what follows.
	mu    sync.Mutex
	roots []root
	// documents are the open files by their paths.
	documents map[string]*document
	// comparing is the last comparison begun, nil before the first; comparisons
	// counts them.
	comparing   *comparison
	comparisons int
	// cancels end work in progress by its token.
	cancels map[string]func()
	// set is what the last finished comparison says, nil without one.
	set    *finding.Set
	desk   desk
	config config
	// loaded is closed when the sources are indexed, stopLoading ends that; loads
	// counts.
	loaded      chan struct{}
	stopLoading context.CancelFunc
	loads       int
}

// A root is a workspace folder: its path as the client names it, and its place
// with symbolic links resolved.
type root struct{ path, place string }

// A document is an open file as its editor has it. It does not change; an edit
// makes a new one.
type document struct {
	// uri is what the client calls the file.
	uri     uri.URI
	path    string
	version int32
	text    *buffer.Buffer
}

func newSession(ctx context.Context, o Options) *session {
	defaults := settings.Default()
	return &session{
		logger:    logger{out: o.Log},
		o:         o,
		ctx:       ctx,
		methods:   table(),
		flight:    inFlight{cancels: make(map[jsonrpc2.ID]context.CancelFunc)},
		config:    config{saved: &defaults, prefs: &preferences{Settings: defaults}},
		ended:     make(chan struct{}),
		documents: make(map[string]*document),
		cancels:   make(map[string]func()),
		pushed:    make(map[string]string),
		desk:      desk{dirty: make(map[string]bool), changedOnDisk: make(map[string]bool)},

		publishing:  make(chan struct{}, 1),
		configuring: make(chan struct{}, 1),
		scanning:    make(chan struct{}, 1),
	}
}

// end ends the session.
func (s *session) end() { s.endOnce.Do(func() { close(s.ended) }) }

// inside reports whether a path lies in one of the roots, by its name and, with
// symbolic links resolved, by its place. The caller does not hold mu.
func (s *session) inside(path string) bool {
	s.mu.Lock()
	roots := s.roots
	s.mu.Unlock()
	named := func(r root) bool { return within(path, r.path) }
	if !slices.ContainsFunc(roots, named) {
		return false
	}
	place := real(path)
	return slices.ContainsFunc(roots, func(r root) bool { return within(place, r.place) })
}

// known returns the name of a file that the sources have it under: a client may
// name it by another way to its root.
func (s *session) known(path string) string {
	s.mu.Lock()
	roots := s.roots
	s.mu.Unlock()
	if slices.ContainsFunc(roots, func(r root) bool { return within(path, r.path) }) {
		return path
	}
	place := real(path)
	for _, r := range roots {
		if rel, err := filepath.Rel(r.place, place); err == nil && within(place, r.place) {
			return filepath.Join(r.path, rel)
		}
	}
	return path
}

// document returns the open file that a URI names, or nil.
func (s *session) document(u uri.URI) *document {
	path, err := lsp.PathOf(u)
	if err != nil {
		return nil
	}
	path = s.known(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.documents[path]
}

// addRoot adds a workspace folder.
func (s *session) addRoot(path string) {
	r := root{path: path, place: real(path)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.roots, r) {
		s.roots = append(slices.Clip(s.roots), r)
	}
}
