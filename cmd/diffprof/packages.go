package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// packagesFlags are the flags of diffprof packages.
type packagesFlags struct{ listFlags }

func newPackages(files *outputs) *cobra.Command {
	var f packagesFlags
	cmd := &cobra.Command{
		Use:   "packages [flags] [FILE...]",
		Short: "List packages and whether each counts as app or framework",
		Long: `packages lists the packages whose methods ran, their energy, and whether each is
framework, your own code or a library, with the rule that decided. Without an
argument it reads the traces of diffprof.yaml.

Calls into a library become tasks if you count it as framework.
docs/preprocessing.md describes the rules.`,
		Example: `  diffprof packages mine.trace theirs.trace

  # Calls into OkHttp become tasks
  diffprof packages --framework-package @okhttp mine.trace theirs.trace

  # The app's own code is what its manifest and its sources say
  diffprof packages --manifest app-debug.apk --source app/src mine.trace`,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := f.paths(cmd, args)
			if err == nil && len(paths) == 0 {
				err = fmt.Errorf("packages takes one FILE or more, from its arguments or from %s; see %s --help", settings.FileName, cmd.CommandPath())
			}
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), files, paths)
		},
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.PackageList)
	bindColor(cmd, &f.color)
	return cmd
}

// paths sets the settings and returns the recordings to read: the arguments, or without arguments
// the recordings that the project file names.
func (f *packagesFlags) paths(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) > 0 {
		return f.expand(cmd.Context(), args)
	}
	base, err := f.open()
	if err != nil {
		return nil, err
	}
	paths := slices.DeleteFunc([]string{base.Subject.Path, base.Reference.Path}, func(path string) bool { return path == "" })
	return f.expand(cmd.Context(), slices.Concat(paths, base.Subject.Repeats, base.Reference.Repeats))
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
