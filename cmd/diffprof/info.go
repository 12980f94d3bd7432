package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
)

// infoFlags are the flags of diffprof info.
type infoFlags struct{ listFlags }

func newInfo(files *outputs) *cobra.Command {
	var f infoFlags
	cmd := &cobra.Command{
		Use:   "info [flags] [FILE...]",
		Short: "Show what a recording contains and how to make one",
		Long: `info shows a file's format, what was recorded, the clocks, the source of the
energy, what could not be used, and how to record better. For a folder it lists
the recordings by scenario. Without an argument it lists the formats.

The exit code is 2 if a file cannot be read.`,
		Example: `  diffprof info app.trace

  # The iterations of each scenario that Macrobenchmark ran
  diffprof info benchmark/build/outputs/connected_android_test_additional_output

  # What diffprof reads, and how to record it
  diffprof info

  adb exec-out cat /data/local/tmp/app.trace | diffprof info -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadOne(""); err != nil {
				return err
			}
			paths, err := fitting(cmd.Context(), args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), files, paths)
		},
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.Description)
	bindColor(cmd, &f.color)
	return cmd
}

// fitting returns the arguments, with patterns replaced by the files that match. A folder stays one
// argument.
func fitting(ctx context.Context, args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		found := []string{arg}
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			if found, err = analysis.Expand(ctx, arg); err != nil {
				return nil, err
			}
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

func (f *infoFlags) run(ctx context.Context, files *outputs, paths []string) error {
	write, err := f.begin(files, paths)
	if err != nil {
		return err
	}
	f.asRecorded = true
	known, err := analysis.Platform(f.Options)
	if err != nil {
		return err
	}
	var first error
	described := make([]report.File, len(paths))
	for i, path := range paths {
		in, err := f.one(ctx, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		described[i] = report.NewFile(path, in, err, known)
		if first == nil && described[i].Folder == nil {
			first = err
		}
	}
	made := report.NewInfo(toolVersion(), described...)
	renderer, _ := render.Find(report.Description, f.format)
	err = renderer.Render(write, &report.Document{View: report.Description, Info: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	// If one file cannot be read, the others are still printed.
	return errors.Join(finish(files, write, err), first)
}
