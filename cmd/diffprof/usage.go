package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/settings"
)

// groups are the headings of flags in help, in order. A flag without a heading is listed under the
// last.
var groups = []string{groupFirst, groupRecording, settings.Reading, settings.Matching, settings.Output, groupGeneral}

const (
	groupFirst   = "Most used"
	groupGeneral = "General"
)

// mainFlags are the most important flags, in this order. If a command has at least minAllFlags
// flags, --help lists only maxMainFlags of them, and --help-all lists all. Those in ownFirst come
// first.
var mainFlags = []string{
	"format", "output", "top", "mapping", "mapping-subject", "mapping-reference", "own-package", "power-model", "fail-on", "unit", "power-profile",
}

const maxMainFlags = 10

// ownFirst has, by command, further flags for --help to list.
var ownFirst = map[string][]string{
	"record":  {"package", "for", "scenario", "repeat", "subject-apk", "reference-apk"},
	"compare": {"subject", "reference"},
	"doctor":  {"subject", "reference"},
	"flask":   {"task"},
	"profile": {"bundles"},
	"lines":   {"method", "source", "classpath", "reference-source"},
	"convert": {"to"},
	"noise":   {"sought"},
	"add":     {"commit", "device", "scenario", "source"},
	"blame":   {"all"},
	"trend":   {"device", "scenario", "normalize"},
	"group":   {"list"},
	"fit":     {"model", "with", "align", "triggers"},

	"simulate": {"clients", "apps", "hogs", "bugs", "days", "name", "seed", "truth"},
	"submit":   {"from", "from-format", "to", "key", "map", "program"},
	"sql":      {"stage", "state", "from", "columns", "key", "map"},
}

const minAllFlags = 15

// chapters group the commands in help. Commands not listed here come last.
var chapters = []struct {
	title    string
	commands []string
}{
	{"Start here", []string{"compare", "profile", "info", "record"}},
	{"Look closer", []string{"flask", "top", "lines", "tree", "packages", "convert", "instrument"}},
	{"In builds", []string{"ci", "doctor", "comment", "baseline", "noise", "history"}},
	{"Compare many", []string{"group", "fleet"}},
	{"More", []string{"lsp", "mcp", "power-model", "api-costs", "completion", "version"}},
}

// usageColumns is the width of help in columns.
const usageColumns = 80

// inGroup adds flags under a heading of help. If the value of a flag is a file,
// shells complete the names of files.
func inGroup(cmd *cobra.Command, group string, add func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(group, pflag.ContinueOnError)
	add(set)
	set.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{"group": {group}}
	})
	cmd.Flags().AddFlagSet(set)
	set.VisitAll(func(f *pflag.Flag) {
		switch kind, _ := pflag.UnquoteUsage(f); kind {
		case settings.KindFile:
			completeWith(cmd, f.Name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
		case settings.KindFolder:
			completeWith(cmd, f.Name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
		}
	})
}

// flagGroups returns a command's visible flags, by heading.
func flagGroups(cmd *cobra.Command) map[string]*pflag.FlagSet {
	sets, first := map[string]*pflag.FlagSet{}, firstFlags(cmd)
	if first != nil {
		sets[groupFirst] = first
	}
	add := func(f *pflag.Flag) {
		if f.Hidden || first != nil && first.Lookup(f.Name) != nil {
			return
		}
		name := groupGeneral
		if g := f.Annotations["group"]; len(g) > 0 {
			name = g[0]
		}
		if sets[name] == nil {
			sets[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
		}
		sets[name].AddFlag(f)
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return sets
}

// firstFlags returns the flags that --help lists, or nil if it lists all.
func firstFlags(cmd *cobra.Command) *pflag.FlagSet {
	if countFlags(cmd) < minAllFlags {
		return nil
	}
	first := pflag.NewFlagSet(groupFirst, pflag.ContinueOnError)
	first.SortFlags = false
	for _, name := range slices.Concat(ownFirst[cmd.Name()], mainFlags) {
		if f := cmd.LocalFlags().Lookup(name); f != nil && !f.Hidden && countSet(first) < maxMainFlags {
			first.AddFlag(f)
		}
	}
	return first
}

// helpAll implements the flag --help-all, which shows help like --help.
type helpAll struct{ flags *pflag.FlagSet }

func (h helpAll) Set(string) error { return h.flags.Set("help", "true") }
func (h helpAll) String() string   { return "" }
func (h helpAll) Type() string     { return "bool" }

const helpAllFlag = "help-all"

// addHelpAll adds --help-all to each command below root that has many flags.
func addHelpAll(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		addHelpAll(cmd)
		// LocalFlags would sort the flags of each command, which takes time at each start.
		if countSet(cmd.Flags()) < minAllFlags {
			continue
		}
		cmd.InitDefaultHelpFlag()
		flag := cmd.Flags().VarPF(helpAll{cmd.Flags()}, helpAllFlag, "", "help with all flags")
		flag.NoOptDefVal = "true"
	}
}

// countFlags returns the number of a command's flags, without hidden flags.
func countFlags(cmd *cobra.Command) int { return countSet(cmd.LocalFlags()) }

// countSet returns the number of flags in a set, without hidden flags.
func countSet(set *pflag.FlagSet) int {
	n := 0
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	return n
}

// help writes what a command does, with examples, details and flags.
func help(cmd *cobra.Command) error {
	var b strings.Builder
	first, details, _ := strings.Cut(about(cmd), "\n\n")
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", first, usageLine(cmd))
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if details != "" {
		fmt.Fprintf(&b, "\n%s\n", details)
	}
	writeCommands(&b, cmd)
	sets := flagGroups(cmd)
	short := sets[groupFirst] != nil && !cmd.Flags().Changed(helpAllFlag)
	for _, group := range groups {
		if set := sets[group]; set != nil && (!short || group == groupFirst) {
			fmt.Fprintf(&b, "\n%s:\n%s", group, set.FlagUsagesWrapped(usageColumns))
		}
	}
	if short {
		fmt.Fprintf(&b, "\n%s --%s lists all %d flags.\n", cmd.CommandPath(), helpAllFlag, countFlags(cmd))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.\n", cmd.CommandPath())
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

// writeCommands writes the list of a command's subcommands. At the root they are in chapters,
// elsewhere in alphabetical order.
func writeCommands(b *strings.Builder, cmd *cobra.Command) {
	commands := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
	if len(commands) == 0 {
		return
	}
	slices.SortFunc(commands, func(a, b *cobra.Command) int { return cmp.Compare(a.Name(), b.Name()) })
	write := func(title string, commands []*cobra.Command) {
		fmt.Fprintf(b, "\n%s:\n", title)
		for _, c := range commands {
			fmt.Fprintf(b, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
	if cmd.HasParent() {
		write("Commands", commands)
		return
	}
	listed := make(map[string]*cobra.Command)
	for _, c := range commands {
		listed[c.Name()] = c
	}
	for i, chapter := range chapters {
		var own []*cobra.Command
		for _, name := range chapter.commands {
			if c := listed[name]; c != nil {
				own = append(own, c)
				delete(listed, name)
			}
		}
		if i == len(chapters)-1 {
			for _, c := range commands {
				if listed[c.Name()] != nil {
					own = append(own, c)
				}
			}
		}
		write(chapter.title, own)
	}
}

// about returns a command's longest description.
func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// usageLine returns the synopsis of a command.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.UseLine()
}
