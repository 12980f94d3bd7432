package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
}

func newProfile(files *outputs) *cobra.Command {
	f := profileFlags{by: string(finding.EachMethod), sort: report.BySelf}
	cmd := &cobra.Command{
		Use:   "profile [flags] FILE",
		Short: "Print the energy profile of one trace, as gprof prints one of time",
		Long: `profile says where the energy of a run went: by component of the device, by thread
and by library, then by method.

The flat profile has the energy of each method by itself (self) and with all that it
calls (all), its time and its calls. The call graph has each of these methods with
those that call it and those that it calls. Calls of a method inside of itself are
part of the outer call, and stand behind a plus; methods that call one another are a
cycle. Where components drain more after their work is done, each figure has the
tail beside the use.

--by adds up by thread, process, class, package or library in place of methods.
--battery says what part of a full battery the run drained.`,
		Example: `  # Where the energy of a run went
  diffprof profile app.trace

  # The app's own methods, those that drain most with what they call first
  diffprof profile --only own --sort all app.trace

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
		parsedVar(flags, &f.sort, "sort", "ORDER", "list rows by self or all (default self)", oneOf(report.BySelf, report.ByAll))
	})
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
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	in, err := f.read(ctx)
	if err != nil {
		return err
	}
	renderer, _ := render.Find(report.EnergyProfile, f.format)
	made := report.NewProfile(in, toolVersion(), report.ProfileOptions{
		By: grain, Sort: f.sort, Rows: f.TopOr(renderer.Top), Battery: f.Battery, Voltage: f.Voltage,
		Keep: f.packages.keep(grain, f.OwnOnly),
	})
	err = renderer.Render(write, &report.Document{View: report.EnergyProfile, Input: in, Profile: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}
