package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// exactly returns a check that a command has as many arguments as names.
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

// atMost returns a check that a command has no more arguments than names.
func atMost(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= len(names) {
			return nil
		}
		return fmt.Errorf("%s takes %s, not %s; see %s --help", cmd.Name(), strings.Join(names, " and "), numbered(len(args)), cmd.CommandPath())
	}
}

// some returns a check that a command has at least one argument.
func some(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return fmt.Errorf("%s takes one %s or more; see %s --help", cmd.Name(), name, cmd.CommandPath())
	}
}

// stdinOnce returns an error if more than one of the inputs is the standard input.
func stdinOnce(paths ...string) error {
	n := 0
	for _, path := range paths {
		if path == "-" {
			n++
		}
	}
	if n > 1 {
		return errors.New("standard input can be read only once: give files for the other inputs")
	}
	return nil
}

// numbered returns the number of arguments in words.
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

// fileArgs completes up to the given number of arguments with file names. It offers all files,
// because a recording is recognized by its content.
func fileArgs(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}
