package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/report/crowd"
)

// newFleet builds the command diffprof fleet, with its subcommands.
func newFleet(files *outputs) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Find apps that use too much, from the battery samples of many devices",
		Long: `fleet reads battery samples of many devices. It names apps that use more energy
on every device (hogs) and apps that use more on some devices (bugs), under
which conditions, by how much, and with which confidence.

analyze reads the samples once and writes a file. The other commands answer from
that file. docs/fleet.md describes the samples and the method.`,
		Example: `  diffprof fleet analyze samples/ -o fleet.dp
  diffprof fleet hogs fleet.dp
  diffprof fleet explain fleet.dp com.example.chat`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFleetAnalyze(files), newFleetHogs(files), newFleetBugs(files), newFleetExplain(files), newFleetSuggest(files),
		newFleetActions(files), newFleetScore(files), newFleetSimulate(files), newFleetPublish(files),
		newFleetSubmit(files), newFleetSQL(files), newFleetPartial(files), newFleetMerge(files))
	return cmd
}

// keyFlag is the flag --key: the file with the secret for hashing the names of clients.
type keyFlag struct{ file string }

func (k *keyFlag) bind(flags *pflag.FlagSet) {
	flags.StringVar(&k.file, "key", "", "hash the names of clients with the secret in `FILE` (default diffprof's own key, which is public)")
}

func (k *keyFlag) read() ([]byte, error) {
	if k.file == "" {
		return []byte(samples.PublicKey), nil
	}
	key, err := os.ReadFile(k.file)
	if err == nil && len(key) < 16 {
		err = fmt.Errorf("--key %s: a secret has at least 16 bytes; head -c 32 /dev/urandom makes one", k.file)
	}
	return key, err
}

// client returns a client's hash. The parameter name is the client's name, or the hash that other
// commands print.
func (k *keyFlag) client(name string) (samples.ID, error) {
	key, err := k.read()
	if err != nil {
		return 0, err
	}
	return samples.HashClient(key, name), nil
}

// An answer has the flags of a command that reads the results in a fleet file.
type answer struct {
	format, output string
	key            keyFlag
}

// bind adds the flags.
func (a *answer) bind(cmd *cobra.Command) {
	a.format = "text"
	parsedVar(cmd.Flags(), &a.format, "format", "FORMAT", "write "+strings.Join(crowd.Formats, ", ")+" (default text)", oneOf(crowd.Formats...))
	cmd.Flags().StringVarP(&a.output, "output", "o", "", "write to `FILE` instead of standard output")
	complete(cmd, "format", crowd.Formats...)
}

// write opens the fleet file at path, and prints the document that the function make builds from
// it.
func (a *answer) write(files *outputs, path string, make func(f *fleet.Fleet) (*crowd.Document, error)) error {
	out, err := files.open(a.output, path)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	f, err := fleet.Open(path)
	if err != nil {
		return err
	}
	d, err := make(f)
	if err == nil {
		err = crowd.Write(write, d, a.format)
	}
	return finish(files, write, err)
}

func newFleetHogs(files *outputs) *cobra.Command {
	var a answer
	cmd := &cobra.Command{
		Use:     "hogs FLEET",
		Short:   "List apps that use more on every device",
		Example: `  diffprof fleet hogs fleet.dp`,
		Args:    exactly("FLEET"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.write(files, args[0], func(f *fleet.Fleet) (*crowd.Document, error) { return crowd.Hogs(f, toolVersion()) })
		},
		ValidArgsFunction: fileArgs(1),
	}
	a.bind(cmd)
	return cmd
}

func newFleetBugs(files *outputs) *cobra.Command {
	var a answer
	cmd := &cobra.Command{
		Use:     "bugs FLEET",
		Short:   "List apps that use more on some devices",
		Example: `  diffprof fleet bugs fleet.dp`,
		Args:    exactly("FLEET"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.write(files, args[0], func(f *fleet.Fleet) (*crowd.Document, error) { return crowd.Bugs(f, toolVersion()) })
		},
		ValidArgsFunction: fileArgs(1),
	}
	a.bind(cmd)
	return cmd
}

// fleetAndApp completes the first argument with files, and the second with the names of the fleet's
// hogs.
func fleetAndApp(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return fileArgs(1)(cmd, args, begun)
	}
	var apps []cobra.Completion
	if f, err := fleet.Open(args[0]); err == nil {
		hogs, _ := f.Hogs()
		for _, h := range hogs {
			apps = append(apps, h.App)
		}
	}
	return apps, cobra.ShellCompDirectiveNoFileComp
}

func newFleetExplain(files *outputs) *cobra.Command {
	var a answer
	cmd := &cobra.Command{
		Use:   "explain FLEET [APP]",
		Short: "Show one app: conditions, remedies, distributions",
		Long: `explain shows the conditions under which an app uses more, what could be done,
and the distributions of rates with and without the app. Without APP it shows
the conditions of rates that came without apps.`,
		Example: `  diffprof fleet explain fleet.dp com.example.chat

  # The same as a page
  diffprof fleet explain fleet.dp com.example.chat --format html -o chat.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return exactly("FLEET", "APP")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return a.write(files, args[0], func(f *fleet.Fleet) (*crowd.Document, error) {
				if len(args) == 1 {
					d, known := crowd.Conditions(f, toolVersion())
					if !known {
						return nil, fmt.Errorf("name an app: diffprof fleet explain %s APP; APP can only be left out for rates that came without apps", args[0])
					}
					return d, nil
				}
				d, known, err := crowd.Explain(f, args[1], toolVersion())
				if err == nil && !known {
					err = fleet.NotShownError(args[0], args[1])
				}
				return d, err
			})
		},
		ValidArgsFunction: fleetAndApp,
	}
	a.bind(cmd)
	return cmd
}

func newFleetSuggest(files *outputs) *cobra.Command {
	var a answer
	var similar []string
	cmd := &cobra.Command{
		Use:   "suggest FLEET APP",
		Short: "Suggest what to record of an app, and what to compare it with",
		Long: `suggest shows the version and the conditions under which an app uses most, and
what to compare it with: an earlier or a later version, the same version without
a condition, another device, or the app of --similar that uses least. It prints
the commands that record and compare. If the samples are not sufficient, it names
what is missing.`,
		Example: `  diffprof fleet suggest fleet.dp com.example.chat`,
		Args:    exactly("FLEET", "APP"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.write(files, args[0], func(f *fleet.Fleet) (*crowd.Document, error) {
				d, known, err := crowd.Suggest(f, args[0], args[1], similar, toolVersion())
				if err == nil && !known {
					err = fleet.NotShownError(args[0], args[1])
				}
				return d, err
			})
		},
		ValidArgsFunction: fleetAndApp,
	}
	a.bind(cmd)
	cmd.Flags().StringSliceVar(&similar, "similar", nil, "`APPS` that do what the app does, with commas between them")
	complete(cmd, "similar")
	return cmd
}

func newFleetActions(files *outputs) *cobra.Command {
	var a answer
	var client string
	cmd := &cobra.Command{
		Use:     "actions --client NAME FLEET",
		Short:   "Suggest actions for one device",
		Example: `  diffprof fleet actions fleet.dp --client NAME`,
		Args:    exactly("FLEET"),
		RunE: func(_ *cobra.Command, args []string) error {
			if client == "" {
				return errors.New("no client: give --client NAME")
			}
			id, err := a.key.client(client)
			if err != nil {
				return err
			}
			return a.write(files, args[0], func(f *fleet.Fleet) (*crowd.Document, error) {
				d, known, err := crowd.Actions(f, id, toolVersion())
				if err == nil && !known {
					err = fmt.Errorf("%s has no client %q with samples during discharge; give --key if fleet analyze had one", args[0], client)
				}
				return d, err
			})
		},
		ValidArgsFunction: fileArgs(1),
	}
	a.bind(cmd)
	a.key.bind(cmd.Flags())
	cmd.Flags().StringVar(&client, "client", "", "the client's `NAME` in the samples")
	return cmd
}

func newFleetScore(files *outputs) *cobra.Command {
	var a answer
	var client string
	cmd := &cobra.Command{
		Use:     "score FLEET",
		Short:   "Score devices from 0 to 100 by battery life",
		Example: `  diffprof fleet score fleet.dp`,
		Args:    exactly("FLEET"),
		RunE: func(_ *cobra.Command, args []string) error {
			id := samples.ID(0)
			if client != "" {
				var err error
				if id, err = a.key.client(client); err != nil {
					return err
				}
			}
			return a.write(files, args[0], func(f *fleet.Fleet) (*crowd.Document, error) {
				d := crowd.Scores(f, id, toolVersion())
				if len(d.Scores) == 0 && client != "" {
					return nil, fmt.Errorf("%s has no client %q with samples during discharge; give --key if fleet analyze had one", args[0], client)
				}
				return d, nil
			})
		},
		ValidArgsFunction: fileArgs(1),
	}
	a.bind(cmd)
	a.key.bind(cmd.Flags())
	cmd.Flags().StringVar(&client, "client", "", "score the client called `NAME` alone")
	return cmd
}

// positive parses an integer above 0.
func positive(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, errors.New("give a whole number over 0")
	}
	return n, nil
}

// writeFleet writes a fleet to a file.
func writeFleet(files *outputs, out io.Writer, f *fleet.Fleet) error {
	write := bufio.NewWriter(out)
	return finish(files, write, f.Write(write))
}
