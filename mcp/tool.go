package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool describes one tool of the server.
type tool struct {
	name, title, description string
	// writes is set if the tool changes files.
	writes bool
}

// A linker is an answer with places in the sources to link to.
type linker interface{ linked() []Place }

// add adds a tool. answer returns the tool's result. add cleans the texts of the result.
func add[In any, Out any](s *Server, t tool, answer func(context.Context, *sdk.CallToolRequest, In) (*Out, error)) {
	s.tools[t.name] = arguments(reflect.TypeFor[In]())
	local, keeps := false, !t.writes
	annotations := &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: keeps, OpenWorldHint: &local}
	if t.writes {
		annotations.DestructiveHint = &local
	}
	sdk.AddTool(s.sdk, &sdk.Tool{Name: t.name, Title: t.title, Description: t.description, Annotations: annotations},
		func(ctx context.Context, req *sdk.CallToolRequest, in In) (result *sdk.CallToolResult, out Out, err error) {
			err = guard(t.name, func() error {
				made, err := answer(ctx, req, in)
				if err != nil {
					return err
				}
				cleanAll(reflect.ValueOf(made))
				out = *made
				data, err := json.Marshal(made)
				if err != nil {
					return fmt.Errorf("encoding the answer: %w", err)
				}
				result = &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(data)}}}
				if linked, ok := any(made).(linker); ok {
					result.Content = append(result.Content, s.links(linked.linked())...)
				}
				return nil
			})
			if err != nil {
				s.logf("%s: %v", t.name, err)
				return nil, out, errors.New(clean(sentence(err)))
			}
			return result, out, nil
		})
}

// sentence returns the sentence for an error, with the next step if the error suggests none.
func sentence(err error) string {
	text := err.Error()
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(text, ";"):
		return text + "; check the path"
	}
	return text
}

// maxLinks limits the links of an answer.
const maxLinks = 8

// links returns links to places in the sources, without duplicates.
func (s *Server) links(places []Place) []sdk.Content {
	var links []sdk.Content
	seen := map[string]bool{}
	for _, p := range places {
		if p.Path == "" || len(links) == maxLinks {
			continue
		}
		uri := s.files.link(p.Path, p.Line)
		if seen[uri] {
			continue
		}
		seen[uri] = true
		links = append(links, &sdk.ResourceLink{URI: uri, Name: p.Path + ":" + strconv.Itoa(p.Line), Title: p.Method})
	}
	return links
}

// guard calls work and converts a panic to an error.
func guard(name string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a bug in diffprof: %s: %v; please report it with the version and this text: %s", name, p, firstLines(debug.Stack()))
		}
	}()
	return work()
}

// firstLines returns the lines of a stack that show the place of a panic.
func firstLines(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	return strings.Join(lines[:min(len(lines), 12)], " ")
}

func (s *Server) logf(format string, args ...any) {
	if s.o.Log != nil {
		fmt.Fprintf(s.o.Log, "diffprof mcp: "+format+"\n", args...)
	}
}

// progressKey is the context key of the progress function.
type progressKey struct{}

// reporting returns a context that makes a comparison report its stages to the client, if the client
// requested progress.
func reporting(ctx context.Context, req *sdk.CallToolRequest) context.Context {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx
	}
	last, sent := "", 0.0
	return context.WithValue(ctx, progressKey{}, func(stage string, done, total int64) {
		// Ten notices per stage are enough for clients.
		part := 0.0
		if total > 0 {
			part = float64(10*done/total) / 10
		}
		if stage == last && part <= sent {
			return
		}
		last, sent = stage, part
		// The client may be gone.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: stage, Progress: part, Total: 1})
	})
}

// progressOf returns the function that reporting stored in a context, or nil.
func progressOf(ctx context.Context) func(stage string, done, total int64) {
	report, _ := ctx.Value(progressKey{}).(func(stage string, done, total int64))
	return report
}
