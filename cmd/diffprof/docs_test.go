package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The generated part of docs/cli.md lies between these lines.
const (
	docBegin = "<!-- Commands: written by go test ./cmd/diffprof -update. -->\n"
	docEnd   = "<!-- End of the commands. -->\n"
)

// TestDocs holds the commands and flags in docs/cli.md to those that there are.
func TestDocs(t *testing.T) {
	const path = "../../docs/cli.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), docBegin)
	old, after, ended := strings.Cut(rest, docEnd)
	if !ok || !ended {
		t.Fatalf("%s lacks the line %q or %q", path, docBegin, docEnd)
	}
	want := commandDocs(newRoot(&outputs{stdout: os.Stdout}))
	if *update {
		if err := os.WriteFile(path, []byte(before+docBegin+want+docEnd+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != want {
		t.Errorf("%s is not what the commands say; run go test ./cmd/diffprof -update", path)
	}
}

// commandDocs writes the commands as Markdown.
func commandDocs(root *cobra.Command) string {
	var b strings.Builder
	for _, cmd := range root.Commands() {
		if !cmd.IsAvailableCommand() || cmd.Name() == "completion" {
			continue
		}
		cmd.InitDefaultHelpFlag()
		fmt.Fprintf(&b, "\n## diffprof %s\n\n```\n%s\n```\n\n%s\n", cmd.Name(), cmd.UseLine(), about(cmd))
		if cmd.HasExample() {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.TrimPrefix(strings.ReplaceAll(cmd.Example, "\n  ", "\n"), "  "))
		}
		sets := flagGroups(cmd)
		for _, group := range groups {
			set := sets[group]
			if set == nil || group == groupGeneral {
				continue
			}
			fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", group)
			set.VisitAll(func(f *pflag.Flag) {
				kind, usage := pflag.UnquoteUsage(f)
				name := "--" + f.Name
				if f.Shorthand != "" {
					name = "-" + f.Shorthand + ", " + name
				}
				if kind != "" {
					name += " " + kind
				}
				fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), inTable.Replace(usage))
			})
		}
	}
	b.WriteString("\n")
	return b.String()
}

// inTable keeps what a text says from being read as Markdown in a table.
var inTable = strings.NewReplacer("|", "\\|", "*", "\\*")

// about is what a command says of itself at most length.
func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}
