package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
)

// packagesFlags are the flags of diffprof packages.
type packagesFlags struct{ listFlags }

func newPackages(files *outputs) *cobra.Command {
	var f packagesFlags
	cmd := &cobra.Command{
		Use:   "packages [flags] FILE...",
		Short: "List the packages in traces and whether each is taken for app or framework",
		Long: `packages lists the packages whose methods were called in the traces, whose code
each is taken for and what decided so: a rule given with --app-package or
--framework-package, the built-in table of Android's and the JDK's packages, or
the default, by which everything else is the app's.

A task is a framework method that the app calls, so a library that ships inside
both apps may be better taken for framework: its calls then become tasks.`,
		Example: `  diffprof packages mine.trace theirs.trace

  # Calls into OkHttp become tasks
  diffprof packages --framework-package 'okhttp3.*' mine.trace theirs.trace`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("packages takes one FILE or more; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadOne(""); err != nil {
				return err
			}
			return f.run(cmd.Context(), files, args)
		},
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.PackageList)
	bindColor(cmd, &f.color)
	return cmd
}

func (f *packagesFlags) run(ctx context.Context, files *outputs, paths []string) error {
	write, err := f.begin(files, paths)
	if err != nil {
		return err
	}
	known, err := analysis.Platform(f.Options)
	if err != nil {
		return err
	}
	inputs := make([]*analysis.Input, len(paths))
	for i, path := range paths {
		if inputs[i], err = f.one(ctx, path); err != nil {
			return err
		}
	}
	renderer, _ := render.Find(report.PackageList, f.format)
	made := report.NewPackages(inputs, toolVersion(), known, f.TopOr(renderer.Top))
	err = renderer.Render(write, &report.Document{View: report.PackageList, Packages: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}
