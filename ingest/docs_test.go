package ingest_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
)

var update = flag.Bool("update", false, "rewrite docs/formats.md, docs/formats and vscode-extension/src/formats.ts")

// Lines that enclose the generated parts of docs/formats.md and of the pages in docs/formats.
const (
	docBegin = "<!-- Formats: written by go test ./ingest -update. -->\n"
	docEnd   = "<!-- End of the formats. -->\n"

	pageBegin = "<!-- Recording: written by go test ./ingest -update. -->\n"
	pageEnd   = "<!-- End of recording. -->\n"
)

// TestGenerated checks that the generated parts of the documentation are up to date. -update writes
// them.
func TestGenerated(t *testing.T) {
	const docs = "../docs/formats.md"
	files := map[string]string{
		docs:                                 withPart(t, docs, docBegin, formatDocs(), docEnd),
		"testdata/recorders/tried.md":        recorderDocs(t),
		"../vscode-extension/src/formats.ts": pickerList(),
	}
	for _, f := range ingest.Formats() {
		page := "../docs/formats/" + f.Name + ".md"
		files[page] = withPart(t, page, pageBegin, recordingDocs(f), pageEnd)
	}
	for path, want := range files {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the formats say (%v); run go test ./ingest -update", path, err)
		}
	}
}

// withPart returns a page with part between the lines begin and end.
func withPart(t *testing.T, page, begin, part, end string) string {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s lacks the line %q or %q", page, begin, end)
	}
	return before + begin + part + end + after
}

// common are the facts that most formats have. The list of formats leaves them out.
var common = []string{"run", "methods", "threads", "clocks"}

// formatDocs lists the formats as Markdown.
func formatDocs() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, f := range ingest.Formats() {
		var facts []string
		for _, c := range f.Facts {
			if !slices.Contains(common, c.Name) {
				facts = append(facts, c.Name)
			}
		}
		fmt.Fprintf(&b, "- [%s](formats/%s.md) (%s)", f.Title, f.Name, f.Start)
		if facts != nil {
			fmt.Fprintf(&b, ": **%s**", strings.Join(facts, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}

// recordingDocs describes, as Markdown, how to record a format and what the recording contains.
func recordingDocs(f ingest.Format) string {
	var b strings.Builder
	for _, r := range f.Record {
		fmt.Fprintf(&b, "\nRecord with %s:\n\n", r.Tools)
		for _, step := range r.Steps {
			fmt.Fprintf(&b, "    %s\n", step)
		}
		if r.Note != "" {
			fmt.Fprintf(&b, "\n%s\n", r.Note)
		}
	}
	b.WriteString("\nContent:\n\n")
	for _, c := range f.Facts {
		fmt.Fprintf(&b, "- **%s**: %s\n", c.Name, c.Detail)
	}
	fmt.Fprintf(&b, "- **name**: `%s`", f.Name)
	for _, e := range f.Extensions {
		fmt.Fprintf(&b, ", `*.%s`", e)
	}
	b.WriteString("\n\n")
	return b.String()
}

// pickerList returns the list of file name extensions for the file pickers of editors.
func pickerList() string {
	var extensions []string
	for _, f := range ingest.Formats() {
		for _, e := range f.Extensions {
			if !slices.Contains(extensions, e) {
				extensions = append(extensions, e)
			}
		}
	}
	return fmt.Sprintf(`// The usual names of files with recordings. Written by go test ./ingest -update.

/** extensions lists the usual extensions of the formats that diffprof reads. diffprof recognizes a file only by its content. */
export const extensions = ["%s"];

/** compressions lists the extensions of compressed files, which follow the other extension. */
export const compressions = ["gz", "zst"];
`, strings.Join(extensions, `", "`))
}
