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

// groups are the headings of flags in help, in order. A flag that has no heading is
// listed under the last.
var groups = []string{groupFirst, groupRecording, settings.Reading, settings.Matching, settings.Output, groupGeneral}

const (
	groupFirst   = "Most used"
	groupGeneral = "General"
)

// mostUsed are the flags that one needs first, in this order. Commands with manyFlags or more list
// them before all others.
var mostUsed = []string{
	"format", "output", "top", "unit", "mapping", "mapping-subject", "mapping-reference", "own-package", "power-profile", "power-model", "fail-on",
}

const manyFlags = 20

// usageColumns is the width of help in columns.
const usageColumns = 80

// inGroup adds flags under a heading of help. Shells complete the names of files for
// those that take one.
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

// flagGroups returns a command's flags by heading, without the hidden ones.
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

// firstFlags returns the flags of mostUsed that a command has, nil for a command of few flags.
func firstFlags(cmd *cobra.Command) *pflag.FlagSet {
	n := 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	if n < manyFlags {
		return nil
	}
	first := pflag.NewFlagSet(groupFirst, pflag.ContinueOnError)
	first.SortFlags = false
	for _, name := range mostUsed {
		if f := cmd.LocalFlags().Lookup(name); f != nil && !f.Hidden {
			first.AddFlag(f)
		}
	}
	return first
}

// usage writes the part of help that follows a command's description.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", usageLine(cmd))
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		commands := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
		slices.SortFunc(commands, func(a, b *cobra.Command) int { return cmp.Compare(a.Name(), b.Name()) })
		for _, c := range commands {
			fmt.Fprintf(&b, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
	sets := flagGroups(cmd)
	for _, group := range groups {
		if set := sets[group]; set != nil {
			fmt.Fprintf(&b, "\n%s:\n%s", group, set.FlagUsagesWrapped(usageColumns))
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help tells more of a command.\n", cmd.CommandPath())
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

// usageLine is the synopsis of a command.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.UseLine()
}
