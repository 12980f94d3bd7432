package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
)

// newAPICosts builds the command diffprof api-costs, with its subcommand.
func newAPICosts(files *outputs) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "api-costs",
		Short: "Check tables of API costs",
		Long: `api-costs checks tables that state the energy of one call of each API. Other
commands take such a table with --api-costs. docs/apicosts.md describes the tables.`,
		Example: `  diffprof api-costs check costs.csv app.trace`,
		Args:    noCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAPICostsCheck(files))
	return cmd
}

// apiCheckFlags are the flags of diffprof api-costs check.
type apiCheckFlags struct{ listFlags }

func newAPICostsCheck(files *outputs) *cobra.Command {
	var f apiCheckFlags
	cmd := &cobra.Command{
		Use:   "check [flags] TABLE [RUN or APK...]",
		Short: "Show what a table of API costs contains and which calls it lacks",
		Long: `check reads a table of API costs and shows its rows, the rows without a cost, the
repeated rows, and the names whose overloads have different costs. A table that
cannot be read is an error that names the line.

With a recording it shows which share of the app's calls into the framework has a
cost, and the signatures that the table lacks. With an APK it shows the same for
the call sites in the app's code. Several APKs are one app with its splits.`,
		Example: `  diffprof api-costs check costs.csv

  # Which calls of a run have no cost
  diffprof api-costs check costs.csv app.trace

  # Which APIs that an app can call have no cost
  diffprof api-costs check costs.csv app.apk

  # An app in several files
  diffprof api-costs check costs.csv base.apk split_feature.apk`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), files, args) },
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.CostTable)
	bindColor(cmd, &f.color)
	return cmd
}

func (f *apiCheckFlags) run(ctx context.Context, files *outputs, args []string) error {
	run := ""
	var app []string
	switch {
	case len(args) > 2 || len(args) > 1 && isApp(args[1]):
		app = args[1:]
	case len(args) > 1:
		run = args[1]
	}
	if len(args) > 2 {
		for _, path := range app {
			if _, err := os.Stat(path); err == nil && !isApp(path) {
				return fmt.Errorf("%s: it is not an APK; several files after the table are the APKs of one app", path)
			}
		}
	}
	if err := f.loadOne(run); err != nil {
		return err
	}
	f.APICosts, f.PowerModel = args[0], ""
	out, err := files.open(f.output, append(f.inputs(), args...)...)
	if err != nil {
		return err
	}
	table, err := analysis.ReadAPICosts(ctx, f.Options)
	if err != nil {
		return err
	}
	var in *analysis.Input
	if run != "" {
		if table.Unknown() == len(table.Rows) {
			return errors.New(args[0] + " lists methods but no costs, so it gives a run no energy")
		}
		defer showProgress(&f.Options)()
		if in, err = analysis.ReadFile(ctx, f.Options); err != nil {
			return err
		}
	}
	var sites *analysis.APISites
	if app != nil {
		if sites, err = readAPISites(ctx, app, table, f.Options); err != nil {
			return err
		}
	}
	write := bufio.NewWriter(out)
	renderer, _ := render.Find(report.CostTable, f.format)
	d := &report.Document{View: report.CostTable, Costs: report.NewAPITable(args[0], toolVersion(), table, in, sites)}
	return finish(files, write, renderer.Render(write, d, renderOptions(&f.Settings, f.color, files.stdout, f.output == "")))
}
