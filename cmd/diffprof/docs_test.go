package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The generated part of docs/cli.md is between these lines.
const (
	docBegin = "<!-- Commands: written by go test ./cmd/diffprof -update. -->\n"
	docEnd   = "<!-- End of the commands. -->\n"
)

// TestDocs requires docs/cli.md to list the program's commands and flags.
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
	for _, cmd := range available(root) {
		cmd.InitDefaultHelpFlag()
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n\n%s\n", cmd.CommandPath(), cmd.UseLine(), about(cmd))
		if cmd.HasExample() {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.TrimPrefix(strings.ReplaceAll(cmd.Example, "\n  ", "\n"), "  "))
		}
		sets := flagGroups(cmd)
		for _, group := range groups {
			set := sets[group]
			// All flags of a command without groups are general ones.
			if set == nil || group == groupGeneral && (len(sets) > 1 || !ownFlags(set)) {
				continue
			}
			fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", group)
			set.VisitAll(func(f *pflag.Flag) {
				if f.Name == "help" || f.Name == helpAllFlag {
					return
				}
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

// ownFlags reports whether a command has flags besides --help.
func ownFlags(set *pflag.FlagSet) (some bool) {
	set.VisitAll(func(f *pflag.Flag) { some = some || f.Name != "help" && f.Name != helpAllFlag })
	return some
}

// available lists the commands of a command, each with those in it behind it.
func available(of *cobra.Command) (all []*cobra.Command) {
	for _, cmd := range of.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "completion" {
			all = append(append(all, cmd), available(cmd)...)
		}
	}
	return all
}

// inTable keeps what a text says from being read as Markdown in a table.
var inTable = strings.NewReplacer("|", "\\|", "*", "\\*")

// about returns a command's longest description.
func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}
