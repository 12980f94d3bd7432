package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// trendFlags are the flags of commands that follow energy over commits.
type trendFlags struct {
	project
	format, output, color string
	filter                history.Filter
	all                   bool
}

func newHistoryTrend(files *outputs) *cobra.Command {
	var f trendFlags
	cmd := &cobra.Command{
		Use:   "trend [flags] [METHOD|TASK]...",
		Short: "Plot the energy of a run, a method or a task by commit",
		Long: `trend plots the energy of a method with callees, of a task (its id from a
report), or of whole runs by commit: the median run, its interval, and where the
level changed. With runs added by --source, it lists the lines that changed.

Runs of different devices or scenarios are never mixed: choose with --device and
--scenario.`,
		Example: `  diffprof history trend
  diffprof history trend Feed.refresh --device 'Pixel 4'
  diffprof history trend Feed.refresh --format html -o trend.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), files, report.CommitTrend, args)
		},
	}
	f.bindTrend(cmd, report.CommitTrend)
	return cmd
}

func newHistoryBlame(files *outputs) *cobra.Command {
	var f trendFlags
	cmd := &cobra.Command{
		Use:   "blame [flags] METHOD|TASK...",
		Short: "Find the commit that changed the energy, and what to measure next",
		Long: `blame names the measured commit from which a method or a task costs more or
less, by how much, and with which confidence. It also names what to measure next.
--all tests the whole run and all tasks and methods of the app together, and
lists those that changed.

docs/history.md describes how changes are found.`,
		Example: `  diffprof history blame Feed.refresh
  diffprof history blame --all --scenario startup`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.all == (len(args) > 0) {
				return fmt.Errorf("%s takes METHOD or TASK, or --all; see %s --help", cmd.Name(), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), files, report.CommitBlame, args)
		},
	}
	f.bindTrend(cmd, report.CommitBlame)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.all, "all", false, "judge the whole run, all tasks and all methods of the app")
	})
	return cmd
}

// bindTrend adds these flags.
func (f *trendFlags) bindTrend(cmd *cobra.Command, view report.View) {
	f.bind(cmd)
	inGroup(cmd, settings.Reading, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.filter.Device, "device", "", "take the runs of this `DEVICE`")
		flags.StringVar(&f.filter.Scenario, "scenario", "", "take the runs of this `SCENARIO`")
		flags.StringVar(&f.filter.App, "app", "", "take the runs of this `APP`")
	})
	for _, flag := range []string{"device", "scenario", "app"} {
		complete(cmd, flag)
	}
	bindOutput(cmd, &f.format, &f.output, view)
	bindColor(cmd, &f.color)
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoFileComp)
}

func (f *trendFlags) run(ctx context.Context, files *outputs, view report.View, names []string) error {
	if err := f.loadOne(""); err != nil {
		return err
	}
	out, err := files.open(f.output, append(f.inputs(), f.History)...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	t, err := f.read(ctx)
	if err != nil {
		return err
	}
	renderer, _ := render.Find(view, f.format)
	made, err := f.report(ctx, t, view, names, f.TopOr(renderer.Top))
	if err != nil {
		return err
	}
	err = renderer.Render(write, &report.Document{View: view, Trend: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}

// read reads the runs that the flags select.
func (f *trendFlags) read(ctx context.Context) (*trend.Trend, error) {
	store, err := history.Open(ctx, f.History)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	entries, err := store.List(ctx, f.filter)
	if err != nil {
		return nil, err
	}
	defer showProgress(&f.Options)()
	return trend.Read(ctx, entries, f.Options)
}

// costliest is the number of methods that history trend plots if the runs have API costs.
const costliest = 10

// report makes the report. The series to show are those named, or all if --all is given.
func (f *trendFlags) report(ctx context.Context, t *trend.Trend, view report.View, names []string, top int) (*report.Trend, error) {
	bisect := func(ctx context.Context, good, bad string) (*git.Bisection, error) {
		return git.Bisect(ctx, ".", good, bad)
	}
	if f.all {
		made, listed := report.NewBlame(t, toolVersion(), t.All(), top)
		if len(listed) > 0 {
			made.SetNext(0, t.Next(ctx, listed[0], bisect)) // the first series is the most important one
		}
		return made, nil
	}
	var series []*trend.Series
	switch {
	case len(names) > 0:
	case view == report.CommitTrend && t.Input.APICosts != nil:
		series = t.Costliest(costliest)
	default:
		series = []*trend.Series{t.Whole()}
	}
	for _, name := range names {
		s, err := t.Find(name)
		if err != nil {
			return nil, err
		}
		series = append(series, s)
		if s.Kind == trend.Method {
			lines, _ := t.Lines(s.Method)
			series = append(series, lines...)
		}
	}
	made := report.NewTrend(t, toolVersion(), series...)
	if view == report.CommitBlame {
		for i, s := range series {
			made.SetNext(i, t.Next(ctx, s, bisect))
		}
	}
	return made, nil
}
