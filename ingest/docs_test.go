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

var update = flag.Bool("update", false, "rewrite docs/formats.md and vscode-extension/src/formats.ts")

// The generated part of docs/formats.md is between these lines.
const (
	docBegin = "<!-- Formats: written by go test ./ingest -update. -->\n"
	docEnd   = "<!-- End of the formats. -->\n"
)

// TestGenerated compares generated files with the tables.
func TestGenerated(t *testing.T) {
	const docs = "../docs/formats.md"
	data, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), docBegin)
	_, after, ended := strings.Cut(rest, docEnd)
	if !ok || !ended {
		t.Fatalf("%s lacks the line %q or %q", docs, docBegin, docEnd)
	}
	for path, want := range map[string]string{
		docs:                                 before + docBegin + formatDocs(t) + docEnd + after,
		"../vscode-extension/src/formats.ts": pickerList(),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the formats say (%v); run go test ./ingest -update", path, err)
		}
	}
}

// formatDocs describes the formats as Markdown.
func formatDocs(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| recordings | begin with | carry |\n|---|---|---|\n")
	for _, f := range ingest.Formats() {
		var facts []string
		for _, c := range f.Carries {
			facts = append(facts, c.Name)
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", f.Title, strings.ReplaceAll(strings.ToLower(f.Title), " ", "-"), f.Begins, strings.Join(facts, ", "))
	}
	for _, f := range ingest.Formats() {
		layout := "formats/" + f.Name + ".md"
		if _, err := os.Stat("../docs/" + layout); err != nil {
			t.Errorf("the layout of %s is not documented: %v", f.Title, err)
		}
		fmt.Fprintf(&b, "\n## %s%s\n\n", strings.ToUpper(f.Title[:1]), f.Title[1:])
		called := ""
		if len(f.Extensions) > 0 {
			called = fmt.Sprintf("; their files are often called `*.%s`", strings.Join(f.Extensions, "`, `*."))
		}
		fmt.Fprintf(&b, "In JSON they are `%s`%s. [%s](%s) has the layout.\n\n", f.Name, called, layout, layout)
		b.WriteString("| carries | |\n|---|---|\n")
		for _, c := range f.Carries {
			fmt.Fprintf(&b, "| %s | %s |\n", c.Name, c.How)
		}
		for _, r := range f.Record {
			fmt.Fprintf(&b, "\nTo record with %s:\n\n", r.With)
			for _, step := range r.Steps {
				fmt.Fprintf(&b, "    %s\n", step)
			}
			if r.Note != "" {
				fmt.Fprintf(&b, "\n%s\n", r.Note)
			}
		}
	}
	b.WriteString(recorderDocs(t))
	b.WriteString("\n## What is recognised and not read\n\n| it looks like | what to do |\n|---|---|\n")
	for _, l := range ingest.Looks() {
		fmt.Fprintf(&b, "| %s | %s |\n", l.Looks, l.Hint)
	}
	b.WriteString("\n")
	return b.String()
}

// pickerList returns the list of extensions for editors' pickers.
func pickerList() string {
	var extensions []string
	for _, f := range ingest.Formats() {
		for _, e := range f.Extensions {
			if !slices.Contains(extensions, e) {
				extensions = append(extensions, e)
			}
		}
	}
	return fmt.Sprintf(`// What files of recordings are usually called. Written by go test ./ingest -update.

/** extensions are those of the formats that diffprof reads; it tells a file by its content alone. */
export const extensions = ["%s"];

/** compressions are what such files may end in besides. */
export const compressions = ["gz", "zst"];
`, strings.Join(extensions, `", "`))
}
