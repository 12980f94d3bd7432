package server

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

var update = flag.Bool("update", false, "write the want sections of testdata/marker")

// TestMarkers compares the traces of each file of testdata/marker and shows the app's sources like
// an editor: the annotations of each line are below it, at their columns. Sections are files of the
// workspace, except "want". In the comment, the line "crlf: FILE" gives a file the line ends of
// Windows, "bom: FILE" gives it a byte order mark, and "hover" means that hovers are also shown.
func TestMarkers(t *testing.T) {
	files, err := filepath.Glob("testdata/marker/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 40 {
		t.Errorf("%d marker tests, want at least 40", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			marker(t, file)
		})
	}
}

func marker(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	settings := map[string]any{"subject": "subject.folded", "reference": "reference.folded", "minShare": 0.001, "foldedUnit": "nJ"}
	sources := make(map[string]string)
	want := ""
	for _, f := range archive.Files {
		text := string(f.Data)
		if says(archive.Comment, "crlf: "+f.Name) {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if says(archive.Comment, "bom: "+f.Name) {
			text = "\uFEFF" + text
		}
		switch {
		case f.Name == "want":
			want = text
			continue
		case f.Name == "settings.json":
			if err := json.Unmarshal(f.Data, &settings); err != nil {
				t.Fatal(err)
			}
			continue
		case strings.HasSuffix(f.Name, ".java"), strings.HasSuffix(f.Name, ".kt"), f.Name == workspace.ProjectFile:
			sources[f.Name] = text
		}
		write(t, folder, f.Name, text)
	}
	f := connect(t, nil)
	f.open(folder, everything, settings)
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
		t.Fatal(did.Error)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		show(&b, f, folder, name, sources[name], says(archive.Comment, "hover"))
	}
	f.quit()
	got := b.String()
	switch {
	case got == want:
	case *update:
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
		archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
		rewrite(t, file, txtar.Format(archive))
	default:
		t.Errorf("%s:\n%s\nwant:\n%s", file, got, want)
	}
}

// says reports whether the comment of an archive contains a line.
func says(comment []byte, line string) bool {
	return slices.Contains(strings.Split(string(comment), "\n"), line)
}

// show writes the lines of a source with annotations of the server.
func show(b *strings.Builder, f *fake, folder, name, source string, hovers bool) {
	document := map[string]any{"uri": lsp.URIOf(filepath.Join(folder, filepath.FromSlash(name)))}
	var lenses []protocol.CodeLens
	f.must("textDocument/codeLens", map[string]any{"textDocument": document}, &lenses)
	var report struct{ Items []protocol.Diagnostic }
	f.must("textDocument/diagnostic", map[string]any{"textDocument": document}, &report)

	var hints []lsp.InlayHint
	f.must("textDocument/inlayHint", map[string]any{"textDocument": document, "range": protocol.Range{End: protocol.Position{Line: 1 << 20}}}, &hints)

	type note struct {
		at   protocol.Range
		text string
	}
	var notes []note
	for _, l := range lenses {
		notes = append(notes, note{l.Range, "lens: " + l.Command.Title})
	}
	for _, h := range hints {
		notes = append(notes, note{protocol.Range{Start: h.Position, End: h.Position}, "hint: " + h.Label})
	}
	for _, d := range report.Items {
		notes = append(notes, note{d.Range, fmt.Sprintf("%s %v: %s", strings.ToLower(d.Severity.String()), d.Code, d.Message)})
		for _, r := range d.RelatedInformation {
			path, err := lsp.PathOf(r.Location.URI)
			if err != nil {
				f.t.Error(err)
			}
			rel, err := filepath.Rel(folder, path)
			if err != nil {
				f.t.Error(err)
			}
			notes = append(notes, note{d.Range, fmt.Sprintf("  %s:%d: %s", filepath.ToSlash(rel), r.Location.Range.Start.Line+1, r.Message)})
		}
	}
	if len(notes) == 0 {
		fmt.Fprintf(b, "%s: nothing\n\n", name)
		return
	}
	slices.SortStableFunc(notes, func(a, b note) int {
		return place.Site{From: lsp.PlaceOf(a.at.Start)}.Compare(place.Site{From: lsp.PlaceOf(b.at.Start)})
	})
	fmt.Fprintf(b, "%s\n", name)
	text := buffer.New(source)
	shown := uint32(1 << 31)
	seen := make(map[protocol.Position]bool)
	for _, n := range notes {
		if n.at.Start.Line != shown {
			shown = n.at.Start.Line
			fmt.Fprintf(b, "%4d|%s\n", shown+1, strings.ReplaceAll(text.Line(int(shown)), "\t", " "))
		}
		if n.at.End.Line != n.at.Start.Line || n.at.End.Character < n.at.Start.Character {
			f.t.Errorf("%s: the range %v", name, n.at)
			continue
		}
		line := text.Line(int(shown))
		from := text.Offset(lsp.PlaceOf(n.at.Start), buffer.UTF16) - text.Offset(buffer.Position{Line: int(shown)}, buffer.UTF16)
		to := text.Offset(lsp.PlaceOf(n.at.End), buffer.UTF16) - text.Offset(buffer.Position{Line: int(shown)}, buffer.UTF16)
		fmt.Fprintf(b, "    |%s%s %s\n", strings.Repeat(" ", len([]rune(line[:from]))), strings.Repeat("^", max(len([]rune(line[from:to])), 1)), n.text)
		if hovers && n.at.Start != n.at.End && !seen[n.at.End] {
			seen[n.at.End] = true
			var h *protocol.Hover
			f.must("textDocument/hover", map[string]any{"textDocument": document, "position": n.at.End}, &h)
			if h == nil {
				f.t.Errorf("%s:%d: no hover", name, n.at.Start.Line+1)
				continue
			}
			for line := range strings.Lines(h.Contents.Value + "\n") {
				fmt.Fprintf(b, "    > %s", line)
			}
		}
	}
	b.WriteString("\n")
}
