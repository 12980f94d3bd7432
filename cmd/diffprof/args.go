package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// exactly wants one argument for each name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		wanted := "no arguments"
		if len(names) > 0 {
			wanted = strings.Join(names, " and ")
		}
		return fmt.Errorf("%s takes %s, not %s; see %s --help", cmd.Name(), wanted, numbered(len(args)), cmd.CommandPath())
	}
}

// atMost wants an argument for each name, or fewer.
func atMost(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= len(names) {
			return nil
		}
		return fmt.Errorf("%s takes %s, not %s; see %s --help", cmd.Name(), strings.Join(names, " and "), numbered(len(args)), cmd.CommandPath())
	}
}

// numbered counts arguments.
func numbered(n int) string {
	switch n {
	case 0:
		return "nothing"
	case 1:
		return "1 argument"
	default:
		return fmt.Sprintf("%d arguments", n)
	}
}

// fileArgs completes up to so many arguments with files of any name, since
// traces are told by their content.
func fileArgs(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}
