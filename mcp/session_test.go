package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/docs"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/mcp"
	"github.com/diffprof/diffprof/settings"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// A counting source compares, and counts its comparisons.
type counting struct {
	folder   string
	compared chan struct{}
}

// source returns a source with the settings of diffprof.yaml in a folder, if there is one.
func (c *counting) source() mcp.Source {
	index := mcp.NewIndex("", c.folder)
	return mcp.Source{
		Index: index.Refresh,
		Settings: func(context.Context) (settings.Settings, error) {
			s := settings.Default()
			s.History = filepath.Join(c.folder, "diffprof.history.db")
			path := filepath.Join(c.folder, settings.FileName)
			data, err := os.ReadFile(path)
			if err != nil {
				return s, nil
			}
			s, problems := s.WithYAML(data, c.folder)
			if problems = settings.Faults(problems); len(problems) > 0 {
				return s, fmt.Errorf("%s: %s", path, problems[0])
			}
			s.SettingsFile = path
			return s, nil
		},
		Compare: func(ctx context.Context, s settings.Settings) (*finding.Set, error) {
			if c.compared != nil {
				c.compared <- struct{}{}
			}
			sources, err := index.Refresh(ctx)
			if err != nil {
				return nil, err
			}
			s.Classes = sources.Classes()
			r, err := analysis.Compare(ctx, s.Options)
			if err != nil {
				return nil, err
			}
			return finding.New(r), nil
		},
	}
}

// connect starts a server for a folder and connects a client.
func connect(t testing.TB, folder string, o mcp.Options) *sdk.ClientSession {
	t.Helper()
	o.Folders, o.Version = []string{folder}, "test"
	if o.Source.Settings == nil {
		o.Source = (&counting{folder: folder}).source()
	}
	server, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client(t, server)
}

// client connects a client to a server by a pair of pipes, as a process does.
func client(t testing.TB, server *mcp.Server) *sdk.ClientSession {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	fromClient, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromServer, toClient, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, fromClient, toClient) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

// call calls a tool and returns its answer as indented JSON, or its error.
func call(t testing.TB, session *sdk.ClientSession, tool string, arguments any) (answer string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "protocol error: " + err.Error(), true
	}
	text := result.Content[0].(*sdk.TextContent).Text
	if result.IsError {
		return text, true
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text)
	}
	for _, more := range result.Content[1:] {
		link := more.(*sdk.ResourceLink)
		fmt.Fprintf(&b, "\nlink %s %s %s", link.Name, link.Title, filepath.Base(link.URI))
	}
	return b.String(), false
}

// TestSessions carries out the calls of each session in testdata/sessions and compares the answers.
// A section "TOOL NUMBER" has the arguments, and "answer NUMBER" the answer. All other sections are
// files of the workspace.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			folder := workspace(t, archive)
			o := mcp.Options{Docs: docs.Pages}
			if strings.Contains(file, "write") {
				o.Write = &mcp.Write{Record: func(_ context.Context, arguments []string) (string, error) {
					return "recorded with " + strings.ReplaceAll(strings.Join(arguments, " "), folder, "WORKSPACE"), nil
				}}
			}
			session := connect(t, folder, o)
			made := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				tool, number, ok := strings.Cut(f.Name, " ")
				switch {
				case !ok:
					made.Files = append(made.Files, f)
				case tool == "answer":
				default:
					text, _ := call(t, session, tool, json.RawMessage(bytes.TrimSpace(f.Data)))
					text = strings.ReplaceAll(text, folder, "WORKSPACE")
					made.Files = append(made.Files, f, txtar.File{Name: "answer " + number, Data: []byte(text + "\n")})
				}
			}
			got := txtar.Format(made)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := txtar.Format(archive); !bytes.Equal(got, want) {
				t.Errorf("%s differs from what go test ./mcp -update makes; first difference:\n%s", file, firstDifference(string(got), string(want)))
			}
		})
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d: got %s\nwant %s", i+1, a, b)
		}
	}
	return ""
}

// workspace writes the files of a session, and links the generated cases into it.
func workspace(t testing.TB, archive *txtar.Archive) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if strings.Contains(f.Name, " ") {
			continue
		}
		path := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
