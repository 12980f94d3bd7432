package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/record"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// newHistory builds the command diffprof history, with its subcommands.
func newHistory(files *outputs) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Keep runs by commit and compare any two of them",
		Long: `history keeps the call trees of runs in one file per project, by commit,
version, device and scenario. history:4f2c1a can replace a trace in every
command: it is the run of this commit, or the mean of its runs.

REF is four or more digits of a commit, a version, the number of an entry (#12),
or a name that git knows, such as main. 4f2c1a@startup chooses a scenario, a
device or an app. docs/history.md describes the file.`,
		Example: `  diffprof history add --scenario startup 'out/*.trace'
  diffprof history list
  diffprof compare history:HEAD history:main`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHistoryAdd(files), newHistoryList(files), newHistoryShow(files), newHistoryRemove(files), newHistoryTrend(files), newHistoryBlame(files))
	return cmd
}

// historyFlags are the flags that all subcommands of diffprof history have.
type historyFlags struct {
	project
	format, output, color string
}

func (f *historyFlags) bind(cmd *cobra.Command) {
	f.project.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.Ledger)
	bindColor(cmd, &f.color)
}

// write writes a report on a history: its entries, or the changes to it.
func (f *historyFlags) write(files *outputs, h *report.History) error {
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	renderer, _ := render.Find(report.Ledger, f.format)
	d := &report.Document{View: report.Ledger, History: h}
	return finish(files, write, renderer.Render(write, d, renderOptions(&f.Settings, f.color, files.stdout, f.output == "")))
}

// size returns the size of the history's file.
func (f *historyFlags) size() int64 {
	info, err := os.Stat(f.History)
	if err != nil {
		return 0
	}
	return info.Size()
}

// bindEntry adds the flags for the app, the device and the scenario of an entry.
func bindEntry(cmd *cobra.Command, e *history.Filter, verb string) {
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVar(&e.Version, "version", "", verb+" the app's `VERSION`, such as 5.7")
		flags.StringVar(&e.Device, "device", "", verb+" `DEVICE`, such as 'Pixel 4'")
		flags.StringVar(&e.Scenario, "scenario", "", verb+" `SCENARIO`, such as startup")
		flags.StringVar(&e.App, "app", "", verb+" `APP`, where a history has several")
	})
	for _, flag := range []string{"version", "device", "scenario", "app"} {
		complete(cmd, flag)
	}
}

// addFlags are the flags of diffprof history add.
type addFlags struct {
	historyFlags
	commit, time string
	entry        history.Filter
}

func newHistoryAdd(files *outputs) *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use: "add [flags] RUN...", Short: "Keep runs of a commit", Args: some("RUN"),
		Long: `add reads recordings and keeps their trees. Runs of the same commit, app, device
and scenario are repeats. A recording is added once. add adds all runs or none.
With --source, the sources of the commit, trends can name lines.

RUN is a file, a pattern such as 'out/*.trace' or a folder of iterations.`,
		Example: `  diffprof history add --device 'Pixel 4' --scenario startup 'out/*.trace'
  diffprof history add --commit v1.2 --version 1.2 old.trace`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadRuns(args); err != nil {
				return err
			}
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	}
	f.bind(cmd)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.commit, "commit", "", "keep the runs for `COMMIT`, as git calls it (default HEAD)")
		flags.StringVar(&f.time, "time", "", "the `TIME` of a commit that git does not know, such as 2026-03-01T12:00:00Z (default now)")
	})
	bindEntry(cmd, &f.entry, "store the runs under")
	complete(cmd, "commit")
	complete(cmd, "time")
	return cmd
}

func (f *addFlags) run(ctx context.Context, files *outputs) error {
	e := history.Entry{Version: f.entry.Version, App: f.entry.App, Device: f.entry.Device, Scenario: f.entry.Scenario}
	if err := f.ofCommit(ctx, &e); err != nil {
		return err
	}
	stop := showProgress(&f.Options)
	runs, err := analysis.ReadForStore(ctx, f.Options)
	stop()
	if err != nil {
		return err
	}
	if e.Device == "" {
		if e.Device, err = recordedOn(runs); err != nil {
			return err
		}
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
	made := report.NewAdded(f.History, f.size(), added, toolVersion())
	if f.commit == "" && e.Commit != "" && added.New > 0 {
		if made.Changed, err = git.Changed(ctx, "."); err != nil {
			return err
		}
	}
	return f.write(files, made)
}

// recordedOn returns the device that the runs were recorded on, from the recordings or from the
// journal of diffprof record. It is empty if the device is unknown.
func recordedOn(runs []analysis.StoredRun) (string, error) {
	device, path := "", ""
	for _, k := range runs {
		model := k.Input.Trace.Device
		// The journal is in the folder of the runs, or in its parent if there are two builds.
		for dir, up := filepath.Dir(k.Input.Path), 0; model == "" && up < 2; dir, up = filepath.Join(dir, ".."), up+1 {
			if journal, err := record.ReadJournal(dir); err == nil {
				model = journal.Device.Model
			}
		}
		if device != "" && model != "" && model != device {
			return "", fmt.Errorf("%s was recorded on %s, %s on %s: add them one by one, or give --device", path, device, k.Input.Path, model)
		}
		if model != "" {
			device, path = model, k.Input.Path
		}
	}
	return device, nil
}

// ofCommit sets the commit of an entry, with its time and its parents from git.
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
		e.Commit = f.commit // the commit is not in this repository
	case e.Version == "":
		return fmt.Errorf("no commit: give --commit or --version: %w", err)
	}
	return nil
}

func newHistoryList(files *outputs) *cobra.Command {
	var f historyFlags
	var filter history.Filter
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the entries of a history, in the order of their commits", Args: exactly(),
		Example: `  diffprof history list --scenario startup
  diffprof history list --format json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.loadOne(""); err != nil {
				return err
			}
			return f.list(cmd.Context(), files, filter)
		},
	}
	f.bind(cmd)
	bindEntry(cmd, &filter, "list entries of")
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVar(&filter.Commit, "commit", "", "list entries of commits whose hash begins with `HASH`")
	})
	complete(cmd, "commit")
	return cmd
}

func (f *historyFlags) list(ctx context.Context, files *outputs, filter history.Filter) error {
	store, err := history.Open(ctx, f.History)
	if err != nil {
		return err
	}
	defer store.Close()
	entries, err := store.List(ctx, filter)
	if err != nil {
		return err
	}
	return f.write(files, report.NewHistory(f.History, f.size(), entries, toolVersion()))
}

func newHistoryShow(files *outputs) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use: "show [flags] REF...", Short: "Show the runs of entries", Args: some("REF"),
		Example: `  diffprof history show 4f2c1a
  diffprof history show '#12'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.named(cmd.Context(), args, func(store *history.Store, entries []history.Entry) error {
				made := report.NewHistory(f.History, f.size(), entries, toolVersion())
				made.Whole = true
				return f.write(files, made)
			})
		},
		ValidArgsFunction: f.refs,
	}
	f.bind(cmd)
	return cmd
}

func newHistoryRemove(files *outputs) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use: "remove [flags] REF...", Short: "Remove entries with their runs", Args: some("REF"),
		Long: `remove removes entries with all of their runs: all that are named, or none. Their
recordings can be added again, for example with another power model.`,
		Example: `  diffprof history remove '#12' '#13'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.named(cmd.Context(), args, func(store *history.Store, entries []history.Entry) error {
				var ids []int64
				for i, e := range entries {
					if whole, err := store.Find(cmd.Context(), e.Ref()); err != nil || len(whole.Runs) != len(e.Runs) {
						return fmt.Errorf("%s is one run of %v: name the entry, whose runs are removed together", args[i], whole)
					}
					ids = append(ids, e.ID)
				}
				if err := store.Remove(cmd.Context(), ids...); err != nil {
					return err
				}
				made := report.NewHistory(f.History, f.size(), entries, toolVersion())
				made.Removed = true
				return f.write(files, made)
			})
		},
		ValidArgsFunction: f.refs,
	}
	f.bind(cmd)
	return cmd
}

// named opens the history, and passes the entries named by refs to the function do.
func (f *historyFlags) named(ctx context.Context, refs []string, do func(*history.Store, []history.Entry) error) error {
	if err := f.loadOne(""); err != nil {
		return err
	}
	store, err := history.Open(ctx, f.History)
	if err != nil {
		return err
	}
	defer store.Close()
	var entries []history.Entry
	for _, ref := range refs {
		e, err := store.Find(ctx, ref)
		if err != nil {
			return err
		}
		entries = append(entries, *e)
	}
	return do(store, entries)
}

// refs completes an argument with the names of entries.
func (f *historyFlags) refs(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	if f.loadOne("") == nil {
		if store, err := history.Open(cmd.Context(), f.History); err == nil {
			defer store.Close()
			entries, _ := store.List(cmd.Context(), history.Filter{})
			for i := range entries {
				words = append(words, cobra.CompletionWithDesc(entries[i].Ref(), entries[i].String()))
			}
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
