package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// profileFlags are the flags of diffprof profile.
type profileFlags struct {
	project
	format, output, color string
	by, sort              string
	packages              packageFilter
	bundles               bool
	gates                 gates
	baseline              string
	batteryStats          string
}

func newProfile(files *outputs) *cobra.Command {
	f := profileFlags{by: string(finding.EachMethod), sort: report.BySelf}
	cmd := &cobra.Command{
		Use:   "profile [flags] FILE",
		Short: "Show where the energy of one run went",
		Long: `profile shows where the energy of a run went: by component, thread and library,
then by method, itself (self) and with callees (all), with callers and callees.

With --power-model, each figure shows the tail energy separately, and --bundles
lists the active periods of components, with waste: wakelocks held too long,
components left on, tails that batching avoids. --power-model lte,wifi compares
models. --format sarif, github, gitlab, junit and csv report waste to build
servers.

With --api-costs, the energy is instead that of the app's calls into the
framework, by a table of costs. The recording must count calls.`,
		Example: `  # Where the energy of a run went
  diffprof profile app.trace

  # The app's own methods, sorted by energy with all that they call
  diffprof profile --only own --sort all app.trace

  # What the calls into Android cost, by a table of costs
  diffprof profile --api-costs costs.csv app.trace

  # What the radio and the disk were kept awake for
  diffprof profile --power-model lte --bundles app.trace

  # In a build: the waste of components, at the lines of the sources
  diffprof profile --power-model lte --source app/src --format sarif -o energy.sarif \
    --fail-on 'wasted>5%' app.trace

  # By thread, and as a part of a battery
  diffprof profile --by thread --battery 3000mAh app.trace`,
		Args: exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadOne(args[0]); err != nil {
				return err
			}
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: fileArgs(1),
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, report.EnergyProfile)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.by, "by", "WHAT", "add up by "+strings.Join(finding.Grains(), ", ")+" (default method)", oneOf(finding.Grains()...))
		parsedVar(flags, &f.sort, "sort", "ORDER", "sort rows by self (without callees) or all (with callees) (default self)", oneOf(report.BySelf, report.ByAll))
	})
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.bundles, "bundles", false, "list the active periods of each component, and waste")
	})
	inGroup(cmd, settings.Reading, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.batteryStats, "battery-stats", "", "show Android's estimate in `FILE`, the output of dumpsys batterystats")
	})
	f.gates.bindRun(cmd)
	bindBaseline(cmd, &f.baseline)
	f.packages.bind(cmd, "list methods of `PACKAGE` alone: com.mine, com.mine.* or @kotlin; repeatable")
	bindColor(cmd, &f.color)
	complete(cmd, "by", finding.Grains()...)
	complete(cmd, "sort", report.BySelf, report.ByAll)
	return cmd
}

func (f *profileFlags) run(ctx context.Context, files *outputs) error {
	grain := finding.Grain(f.by)
	if f.packages.set != nil && !grain.InPackages() {
		return fmt.Errorf("--package lists methods, classes or packages: it does not go with --by %s", f.by)
	}
	renderer, _ := render.Find(report.EnergyProfile, f.format)
	asked := f.bundles || len(f.gates) > 0 || f.baseline != "" || renderer.Findings
	f.Bundles = f.PowerModel != "" && (asked || renderer.Wastes || renderer.Bundles)
	switch {
	case !asked || f.PowerModel != "":
	case renderer.Findings:
		return fmt.Errorf("--format %s reports the waste of components: give --power-model", renderer.Name)
	default:
		return errors.New("--bundles, --fail-on and --baseline need the energy of components: give --power-model, such as --power-model lte")
	}
	f.Lines = f.by == string(finding.EachLine)
	out, err := files.open(f.output, append(f.inputs(), f.baseline, f.batteryStats)...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	known, err := readBaseline(f.baseline)
	if err != nil {
		return err
	}
	var use *analysis.BatteryUse
	if f.batteryStats != "" {
		if use, err = analysis.ReadBatteryUse(ctx, f.batteryStats, f.Options); err != nil {
			return err
		}
	}
	in, err := f.read(ctx)
	if err != nil {
		return err
	}
	if asked && in.Bundles == nil {
		return notCharged(in)
	}
	in, noteKnown := known.withoutWastes(in, f.Voltage)
	in, ignored := finding.WithoutWastes(in, f.ignores)
	made := report.NewProfile(in, toolVersion(), report.ProfileOptions{
		By: grain, Sort: f.sort, Rows: f.TopOr(renderer.Top), Battery: f.Battery, Voltage: f.Voltage,
		Keep: f.packages.keep(grain, f.OwnOnly), Activities: f.activities(), BatteryUse: use,
	})
	if len(f.Activities) > 0 && made.Battery == nil {
		return errors.New("--activity needs the charge of a full battery: give --battery, such as --battery 3000mAh")
	}
	noteKnown(made)
	made.NoteIgnored(ignored, f.path)
	err = renderer.Render(write, &report.Document{View: report.EnergyProfile, Input: in, Profile: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return cmp.Or(finish(files, write, err), f.gates.checkRun(in, f.Voltage))
}

// activities returns the reference activities in the settings.
func (f *profileFlags) activities() []report.Activity {
	var list []report.Activity
	for _, a := range f.Activities {
		list = append(list, report.Activity{Name: a.Name, Hours: a.Hours})
	}
	return list
}
