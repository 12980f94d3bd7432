package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/settings"
)

// The generated part of docs/cli.md is between these lines.
const (
	docBegin = "<!-- Commands: written by go test ./cmd/diffprof -update. -->\n"
	docEnd   = "<!-- End of the commands. -->\n"
)

// TestDocs checks that docs/cli.md lists the program's commands and flags.
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
	want := commandDocs(t, newRoot(&outputs{stdout: os.Stdout}))
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

// shared are the tables of flags that several commands have. The members of a table are the
// commands that have the table's flag, with the text usage if usage is not empty. A flag that most
// members of a table have may be in this table. If there are several such tables, it is in the one
// whose members differ least from the commands that have the flag with the same text. A flag of two
// commands is only in a table of these two.
var shared = []struct{ title, short, flag, usage string }{
	{title: "Flags of most commands", short: "most", flag: "config"},
	{title: "Flags of every command that reads recordings", short: "recordings", flag: "folded-unit"},
	{title: "Flags of commands that show methods", short: "methods", flag: "own-package"},
	{title: "Flags of commands that read a subject and a reference", short: "subject and reference", flag: "mapping-subject"},
	{title: "Flags of commands that match tasks", short: "matching", flag: "alpha"},
	{title: "Flags of commands that read one recording", short: "one recording", flag: "mapping"},
	{title: "Flags of commands that judge differences", short: "differences", flag: "matters"},
	{title: "Flags of commands that list tasks", short: "tasks", flag: "kind"},
	{title: "Flags of commands that judge a history", short: "history", flag: "scenario", usage: "take the runs of this `SCENARIO`"},
	{title: "Flags of commands that analyze a fleet", short: "fleet", flag: "bug-fdr"},
	{title: "Flags of commands that hash clients", short: "clients", flag: "key"},
	{title: "Flags of commands that answer from a fleet", short: "answers", flag: "output", usage: "write to `FILE` instead of standard output"},
}

// A sharedTable is a table in shared, with its members, and with its flags in the order of the
// page.
type sharedTable struct {
	title   string
	short   string // for links
	members []*cobra.Command
	flags   []*pflag.Flag
}

// sharedTables makes the tables in shared.
func sharedTables(commands []*cobra.Command) []sharedTable {
	var tables []sharedTable
	for _, s := range shared {
		table := sharedTable{title: s.title, short: s.short}
		for _, cmd := range commands {
			if f := cmd.Flags().Lookup(s.flag); f != nil && (s.usage == "" || s.usage == f.Usage) {
				table.members = append(table.members, cmd)
			}
		}
		tables = append(tables, table)
	}
	listed := map[string]bool{}
	for _, cmd := range commands {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			text := flagRow(f)
			if listed[text] || general(f) {
				return
			}
			listed[text] = true
			have := having(commands, text)
			best, least := -1, len(have)
			for i, table := range tables {
				both := len(having(table.members, text))
				if apart := len(table.members) + len(have) - 2*both; apart < least && (len(have) > 2 || apart == 0) && 2*both > len(table.members) {
					best, least = i, apart
				}
			}
			if best >= 0 {
				tables[best].flags = append(tables[best].flags, f)
			}
		})
	}
	for _, table := range tables {
		slices.SortFunc(table.flags, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	}
	return tables
}

// having returns the commands that have a flag whose row in a table is row.
func having(commands []*cobra.Command, row string) (some []*cobra.Command) {
	for _, cmd := range commands {
		has := false
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { has = has || flagRow(f) == row })
		if has {
			some = append(some, cmd)
		}
	}
	return some
}

// guides are the pages with further examples of a command and its subcommands.
var guides = map[string]string{
	"api-costs": "apicosts.md", "baseline": "ci.md", "ci": "ci.md", "comment": "ci.md", "compare": "compare.md", "convert": "export.md",
	"doctor": "ci.md", "flask": "compare.md", "fleet": "fleet.md", "group": "html-report.md", "history": "history.md", "info": "formats.md",
	"instrument": "instrument.md", "lines": "lines.md", "lsp": "lsp.md", "mcp": "assistants.md", "noise": "repeats.md",
	"packages": "preprocessing.md", "power-model": "energy.md", "profile": "energy.md", "record": "record.md", "top": "compare.md",
	"tree": "html-report.md",
}

// commandDocs writes the commands as Markdown: each with its own flags, then the shared tables.
// Only the first paragraph of a command's description is included, and none of the examples of a
// command that only has subcommands. Of a command with a guide, only the first sentence is included,
// with the caveat of an experiment, and the first example unless the guide has it. --help shows all of them.
func commandDocs(t *testing.T, root *cobra.Command) string {
	var b strings.Builder
	commands := available(root)
	tables := sharedTables(commands)
	for _, cmd := range commands {
		cmd.InitDefaultHelpFlag()
		first, _, _ := strings.Cut(about(cmd), "\n\n")
		fmt.Fprintf(&b, "\n## `%s`\n\n", strings.ReplaceAll(cmd.UseLine(), " [flags]", ""))
		guide := guides[strings.Fields(cmd.CommandPath())[1]]
		if guide != "" {
			sentence, rest, more := strings.Cut(strings.ReplaceAll(first, "\n", " "), ". ")
			if more {
				first = first[:len(sentence)+1]
			}
			if _, caveat, ok := strings.Cut(rest, "It is experimental:"); ok {
				first += "\nIt is experimental:" + caveat
			}
			if cmd.Parent() == root {
				first += fmt.Sprintf(" [Guide](%s).", guide)
			}
		}
		b.WriteString(first + "\n")
		example := cmd.Example
		if guide != "" {
			example, _, _ = strings.Cut(example, "\n\n")
		}
		if cmd.HasExample() && !cmd.HasSubCommands() && !shown(t, guide, example) {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.TrimPrefix(strings.ReplaceAll(example, "\n  ", "\n"), "  "))
		}
		elsewhere := map[string]bool{}
		var links []string
		for _, table := range tables {
			if slices.Contains(table.members, cmd) {
				links = append(links, fmt.Sprintf("[%s](#%s)", table.short, strings.ReplaceAll(strings.ToLower(table.title), " ", "-")))
				for _, f := range table.flags {
					elsewhere[flagRow(f)] = true
				}
			}
		}
		writeFlags(&b, cmd, elsewhere)
		if links != nil {
			fmt.Fprintf(&b, "\nShared flags: %s.\n", strings.Join(links, ", "))
		}
	}
	for _, table := range tables {
		fmt.Fprintf(&b, "\n## %s\n", table.title)
		var rows flagRows
		for _, f := range table.flags {
			rows.add(f, table.members)
		}
		rows.write(&b)
	}
	b.WriteString("\n")
	return b.String()
}

// shown reports whether a guide has the commands of an example.
func shown(t *testing.T, guide, example string) bool {
	if guide == "" {
		return false
	}
	text, err := os.ReadFile("../../docs/" + guide)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(example) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !strings.Contains(string(text), line) {
			return false
		}
	}
	return true
}

// writeFlags writes a command's flags, except the flags in elsewhere.
func writeFlags(b *strings.Builder, cmd *cobra.Command, elsewhere map[string]bool) {
	sets := flagGroups(cmd)
	var rows flagRows
	for _, group := range groups {
		set := sets[group]
		if set == nil {
			continue
		}
		set.VisitAll(func(f *pflag.Flag) {
			if !general(f) && !elsewhere[flagRow(f)] {
				rows.add(f, []*cobra.Command{cmd})
			}
		})
	}
	rows.write(b)
}

// flagRows are the flags of one or more commands. The flags of settings are only named, because
// docs/settings.md describes them. The keys of settings are the commands that lack the flags.
type flagRows struct {
	list     []string
	settings map[string][]string
}

// add adds a flag that most members have.
func (r *flagRows) add(f *pflag.Flag, members []*cobra.Command) {
	row, missing := flagRow(f), ""
	have := having(members, row)
	if without := slices.DeleteFunc(slices.Clone(members), func(cmd *cobra.Command) bool { return slices.Contains(have, cmd) }); len(without) > 0 {
		missing = "not in " + names(without)
	}
	if setting := settingOf(f, have); setting != "" {
		if r.settings == nil {
			r.settings = map[string][]string{}
		}
		r.settings[missing] = append(r.settings[missing], fmt.Sprintf("[`--%s`](settings.md#%s)", f.Name, strings.ToLower(setting)))
		return
	}
	if missing != "" {
		row = strings.TrimSuffix(row, "\n") + "; " + missing + "\n"
	}
	r.list = append(r.list, row)
}

func (r *flagRows) write(b *strings.Builder) {
	if r.list != nil {
		b.WriteString("\n" + strings.Join(r.list, ""))
	}
	for _, missing := range slices.Sorted(maps.Keys(r.settings)) {
		fmt.Fprintf(b, "\n%s: %s.\n", strings.TrimSpace("Settings "+missing), strings.Join(r.settings[missing], ", "))
	}
}

// settingOf returns the name of the setting that a flag of commands sets, or "".
func settingOf(f *pflag.Flag, commands []*cobra.Command) string {
	for _, cmd := range commands {
		for _, s := range settings.Flags(cmd.Name()) {
			if s.Name == f.Name && strings.HasPrefix(f.Usage, s.Usage) {
				return s.Setting
			}
		}
	}
	return ""
}

// general reports whether f is hidden, or a flag for help, which each command has.
func general(f *pflag.Flag) bool { return f.Hidden || f.Name == "help" || f.Name == helpAllFlag }

// flagRow writes a flag as an item of a list.
func flagRow(f *pflag.Flag) string {
	kind, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind != "" {
		name += " " + kind
	}
	return fmt.Sprintf("- `%s`: %s\n", name, strings.ReplaceAll(usage, "*", "\\*"))
}

// names lists commands by their names after diffprof.
func names(commands []*cobra.Command) string {
	var all []string
	for _, cmd := range commands {
		all = append(all, "`"+strings.TrimPrefix(cmd.CommandPath(), "diffprof ")+"`")
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// available lists the subcommands of a command, each followed by its own subcommands.
func available(root *cobra.Command) (all []*cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "completion" {
			all = append(append(all, cmd), available(cmd)...)
		}
	}
	return all
}
