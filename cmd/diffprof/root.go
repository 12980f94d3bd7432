package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot builds the command line. Commands open their outputs with files.
func newRoot(files *outputs) *cobra.Command {
	var profiles profilingFlags
	root := &cobra.Command{
		Use:   "diffprof",
		Short: "Compare the energy of two Android recordings, task by task",
		Long: `diffprof compares the energy of two recordings of apps: your app and a similar
one, or two versions of your app. It finds the tasks that both apps do. It shows
which of them cost more in yours, which only yours does, and which of your
methods call them.

diffprof reads method traces of Android, Perfetto, simpleperf, perf, JFR, pprof,
Chrome and more; diffprof info lists the formats.`,
		Example: `  # Where does the new version use more?
  diffprof compare new.trace old.trace

  # Where did the energy of one run go?
  diffprof profile --power-model lte new.trace

  # What is in this file?
  diffprof info new.trace`,
		Version:       toolVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cmd.Help()
		},
		PersistentPreRunE:  func(*cobra.Command, []string) error { return profiles.start() },
		PersistentPostRunE: func(*cobra.Command, []string) error { return profiles.stop() },
	}
	root.SetVersionTemplate("diffprof {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(help)
	root.SetHelpTemplate("{{.UsageString}}")
	root.SetHelpCommand(newHelp())
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	profiles.bind(root.PersistentFlags())
	root.AddCommand(newCompare(files), newFlask(files), newTop(files), newLines(files), newGroup(files), newTree(files), newProfile(files), newConvert(files), newPackages(files), newInfo(files), newNoise(files), newHistory(files), newBaseline(files), newDoctor(files), newCI(files), newComment(files), newRecord(files), newInstrument(files), newFleet(files), newPowerModel(files), newAPICosts(files), newLSP(files), newMCP(files), newVersion(files))
	addHelpAll(root)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		// Otherwise the command completion would accept any word and show help.
		completion.Args = noCommand
		completion.RunE = func(cmd *cobra.Command, args []string) error { return cmd.Help() }
	}
	return root
}

// newHelp builds the command help: "diffprof help compare" is the same as "diffprof compare
// --help".
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return noCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// noCommand rejects an unknown command, and suggests a similar one.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := make([]string, 0, len(cmd.Commands()))
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s; %s --help lists them", args[0], meant(args[0], "", names), cmd.CommandPath())
}

// flagError returns an error that describes the problem of a flag on one line.
func flagError(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag -%s; see %s", unknown.GetSpecifiedName(), help)
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		name := unknown.GetSpecifiedName()
		return fmt.Errorf("unknown flag --%s%s; see %s", name, meant(name, "--", names), help)
	case errors.As(err, &missing):
		return fmt.Errorf("--%s needs a value; see %s", missing.GetFlag().Name, help)
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return fmt.Errorf("%w; see %s", err, help)
}
