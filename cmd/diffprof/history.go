package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/settings"
)

// newHistory builds diffprof history with the commands in it.
func newHistory(files *outputs) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Keep what runs drained, commit by commit, and compare any two of them later",
		Long: `history keeps runs in one file a project, by commit, version, device and scenario,
with their trees, in some thousandth of the size of their recordings. Wherever a
trace is named, history:4f2c1a is the run that is kept of this commit, or the mean
of several.

docs/history.md says what is kept, and how a team shares it.`,
		Example: `  diffprof history add --scenario startup 'out/*.trace'
  diffprof compare history:4f2c1a history:main`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHistoryAdd(files), newHistoryTrend(files), newHistoryBlame(files))
	return cmd
}

// addFlags are the flags of diffprof history add.
type addFlags struct {
	project
	commit, time string
	entry        history.Entry
}

func newHistoryAdd(files *outputs) *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use: "add [flags] RUN...", Short: "Keep runs of a commit", Args: some("RUN"),
		Long: `add reads recordings and keeps their trees. The commit, with its time and those
before it, is git's HEAD unless --commit says another one. Runs of the same commit,
app, device and scenario are repeats of one another; a recording that is kept
already is said, and not added twice. Either all runs are added or none.

RUN is a file, a pattern such as 'out/*.trace' or a folder of iterations.`,
		Example: `  diffprof history add --device 'Pixel 4' --scenario startup 'out/*.trace'
  diffprof history add --commit v1.2 --version 1.2 old.trace`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := stdinOnce(args...); err != nil {
				return err
			}
			if err := f.loadOne(args[0]); err != nil {
				return err
			}
			f.RepeatsSubject = args[1:]
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	}
	f.bind(cmd)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.commit, "commit", "", "keep the runs for `COMMIT`, as git calls it (default HEAD)")
		flags.StringVar(&f.time, "time", "", "the `TIME` of a commit that git does not know, such as 2026-03-01T12:00:00Z (default now)")
		flags.StringVar(&f.entry.Version, "version", "", "the app's `VERSION`, such as 5.7")
		flags.StringVar(&f.entry.Device, "device", "", "the `DEVICE` that was recorded, such as 'Pixel 4'")
		flags.StringVar(&f.entry.Scenario, "scenario", "", "what was recorded: `SCENARIO`, such as startup")
		flags.StringVar(&f.entry.App, "app", "", "the `APP`, where a history has several")
	})
	for _, flag := range []string{"commit", "time", "version", "device", "scenario", "app"} {
		complete(cmd, flag)
	}
	return cmd
}

func (f *addFlags) run(ctx context.Context, files *outputs) error {
	e := f.entry
	if err := f.ofCommit(ctx, &e); err != nil {
		return err
	}
	stop := showProgress(&f.Options)
	runs, err := analysis.ReadKept(ctx, f.Options)
	stop()
	if err != nil {
		return err
	}
	store, err := history.Create(ctx, f.History)
	if err != nil {
		return err
	}
	defer store.Close()
	added, err := store.Add(ctx, e, runs...)
	if err != nil {
		return err
	}
	return printed(files, func(w io.Writer) error {
		for _, k := range added.Known {
			fmt.Fprintf(w, "%s is kept already, as %s of %v\n", k.Name, k.Run.Name, &k.Entry)
		}
		if added.New > 0 {
			fmt.Fprintf(w, "added %d to %v, which has %d\n", added.New, &added.Entry, len(added.Entry.Runs))
		}
		return nil
	})
}

// ofCommit sets the commit of an entry, and its time and parents, as git has them.
func (f *addFlags) ofCommit(ctx context.Context, e *history.Entry) error {
	e.Time = time.Now()
	if f.time != "" {
		var err error
		if e.Time, err = time.Parse(time.RFC3339, f.time); err != nil {
			return fmt.Errorf("--time %q: write it as 2026-03-01T12:00:00Z", f.time)
		}
	}
	commit, err := git.Find(ctx, ".", cmp.Or(f.commit, "HEAD"))
	switch {
	case err == nil:
		e.Commit, e.Parents, e.Time = commit.Hash, commit.Parents, commit.Time
	case f.commit != "":
		e.Commit = f.commit // a hash that is of no repository here
	case e.Version == "":
		return fmt.Errorf("say with --commit or --version what was recorded: %w", err)
	}
	return nil
}
