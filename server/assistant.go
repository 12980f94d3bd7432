package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/docs"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/mcp"
	"github.com/diffprof/diffprof/settings"
)

// Assistants configures the endpoint where coding assistants connect to an editor's session.
type Assistants struct {
	// Listener accepts the assistants' connections. It must accept connections only from this
	// machine. Serve closes it.
	Listener net.Listener
	// Token is the secret that assistants send.
	Token string
}

// headerWait limits the time that a client may take to send the header of a request.
const headerWait = 10 * time.Second

// assist answers coding assistants until the connection of the editor ends. They see the same
// settings, the same comparison and the same unsaved files as the editor.
func (s *session) assist() error {
	o := mcp.Options{
		Version: s.o.Version, Folders: s.workspace.Roots().Paths(), Docs: docs.Pages, Log: s.o.Log,
		Source: mcp.Source{Settings: s.assistantSettings, Compare: s.compareApart, Live: s.live, Index: s.indexed},
	}
	if len(o.Folders) == 0 {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		o.Folders = []string{here}
	}
	answers, err := mcp.New(o)
	if err != nil {
		return fmt.Errorf("serving assistants: %w", err)
	}
	server := &http.Server{Handler: answers.Handler(s.o.Assistants.Token), ReadHeaderTimeout: headerWait}
	// The connections of assistants end with the editor's connection.
	defer context.AfterFunc(s.ctx, func() { server.Close() })()
	if err := server.Serve(s.o.Assistants.Listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving assistants: %w", err)
	}
	return nil
}

// assistantSettings returns the settings of the shown project with the files that the editor
// compares.
func (s *session) assistantSettings(context.Context) (settings.Settings, error) {
	project := s.workspace.Project()
	now := project.Saved
	now.Options, now.History = s.options(), project.History()
	return now, nil
}

// isShown reports whether the settings name the files that the editor compares. For repeated runs,
// it compares only their number.
func (s *session) isShown(o *settings.Settings) bool {
	now := s.options()
	return o.Subject.Path == now.Subject.Path && o.Reference.Path == now.Reference.Path &&
		len(o.Subject.Repeats) == len(now.Subject.Repeats) && len(o.Reference.Repeats) == len(now.Reference.Repeats)
}

// live returns the findings that the editor shows, or nil if the settings name other files. If a
// comparison is running, it waits for the result. If there is no result yet, it starts a
// comparison.
func (s *session) live(ctx context.Context, o settings.Settings) (*finding.Set, error) {
	if !s.isShown(&o) {
		return nil, nil
	}
	if run := s.runner.Running(); run != nil {
		return run.Join(ctx)
	}
	snapshot, err := s.workspace.Snapshot(ctx)
	if err != nil || snapshot.Set != nil {
		return snapshot.Set, err
	}
	run, err := s.compareNow()
	if err != nil {
		return nil, err
	}
	return run.Join(ctx)
}

// compareApart compares files without showing the result in the editor.
func (s *session) compareApart(ctx context.Context, o settings.Settings) (*finding.Set, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	return s.compare(ctx, o.Options)
}

// indexed returns the index of the sources, including unsaved changes.
func (s *session) indexed(ctx context.Context) (*source.Index, error) {
	sources := s.workspace.Sources()
	if err := sources.Await(ctx, nil); err != nil {
		return nil, err
	}
	// Making a snapshot passes open files to the index.
	_, err := s.workspace.Snapshot(ctx)
	return sources.Index(), err
}
