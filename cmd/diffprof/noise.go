package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// noiseFlags are the flags of diffprof noise.
type noiseFlags struct {
	project
	format, output, color string
	sought                float64
}

func newNoise(files *outputs) *cobra.Command {
	f := noiseFlags{sought: 0.1}
	cmd := &cobra.Command{
		Use:   "noise [flags] RUN...",
		Short: "Show how much runs vary and how many runs a difference needs",
		Long: `noise shows how much the tasks of repeated runs vary, which difference the same
number of runs on each side could show, and how many runs a smaller one needs.

Record a few runs, run noise, and record as many more as it advises before you
compare. docs/repeats.md describes the method.`,
		Example: `  # What could these runs show?
  diffprof noise 'runs/*.trace'

  # How many runs on each side show a difference of 3 %?
  diffprof noise --sought 3% 'runs/*.trace'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return fmt.Errorf("%s takes one RUN or more; see %s --help", cmd.Name(), cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadRuns(args); err != nil {
				return err
			}
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.Variation)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.sought, "sought", "PERCENT", "show how many runs on each side a difference of `PERCENT` needs (default 10%)", parsePercent)
	})
	complete(cmd, "sought", "1%", "3%", "5%", "10%", "20%")
	bindColor(cmd, &f.color)
	return cmd
}

// parsePercent reads a percentage above 0.
func parsePercent(s string) (float64, error) {
	number, ok := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(x > 0 && x <= 1000) {
		return 0, errors.New("write a percentage above 0, such as 5%")
	}
	return x / 100, nil
}

func (f *noiseFlags) run(ctx context.Context, files *outputs) error {
	renderer, _ := render.Find(report.Variation, f.format)
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	in, err := f.read(ctx)
	if err != nil {
		return err
	}
	if len(in.Runs) < 2 {
		return fmt.Errorf("%s is one run: noise takes two or more of one program", in.Path)
	}
	d := &report.Document{View: report.Variation, Noise: report.NewNoise(in, toolVersion(), f.sought, f.Builds, f.TopOr(renderer.Top))}
	return finish(files, write, renderer.Render(write, d, renderOptions(&f.Settings, f.color, files.stdout, f.output == "")))
}
