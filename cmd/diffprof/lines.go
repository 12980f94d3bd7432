package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// linesFlags are the flags of diffprof lines.
type linesFlags struct {
	topFlags
	referenceSources []string
	// fit is how measured energy is divided by line: "joined" or "printed".
	fit string
}

// fitPrinted selects the formulas exactly as the vLens paper prints them.
const fitPrinted = "printed"

func newLines(files *outputs) *cobra.Command {
	f := linesFlags{topFlags: topFlags{sort: report.BySelf}}
	cmd := &cobra.Command{
		Use:   "lines [flags] [SUBJECT [REFERENCE]]",
		Short: "Show the energy of each source line, of one run or two",
		Long: `lines divides the energy of a run by source line. It first states how finely
the run can be divided: by line, only by method, or not at all. Each line has its
own energy (self) with its interval, and its energy with callees (all).

For an app that diffprof instrument --paths changed, lines shows how often each
line ran. With a meter (--with-subject), it also shows the measured energy of one
execution.
In a sampled run, lines share the energy that the meter measured.

Interpreted code of Android needs the APK of the build (--classpath), and
--mapping-subject if R8 made it. For two runs, lines first shows the lines that
differ by more than chance. Without the sources of both it compares methods.
docs/lines.md explains the figures.`,
		Example: `  # Which lines use most
  diffprof lines app.jfr

  # The source of a method, a figure per line
  diffprof lines --source app/src --method FeedAdapter.bind app.jfr

  # A recording of simpleperf, with the lines of its APK
  diffprof lines --classpath app.apk --mapping-subject mapping.txt perf.data

  # Measured energy of each line of an app with counted paths
  diffprof lines --with-subject meter.csv run

  # Which lines differ
  diffprof lines --source app/src --reference-source old/app/src new.jfr old.jfr

  # Which calls differ
  diffprof lines --sort all --source app/src --reference-source old/app/src new.jfr old.jfr`,
		Args: atMost("SUBJECT", "REFERENCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			two, err := f.loadInputs(cmd, args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), files, two)
		},
		ValidArgsFunction: fileArgs(2),
	}
	f.bindPair(cmd)
	bindOutput(cmd, &f.format, &f.output, report.ByLine)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.sort, "sort", "ORDER", "sort lines by `ORDER`: self (energy without callees) or all (with callees); two runs are compared by that energy (default self)", oneOf(report.BySelf, report.ByAll))
		parsedVar(flags, &f.method, "method", "METHOD", "show the source of `METHOD`, such as FeedAdapter.bind", methodName)
	})
	inGroup(cmd, settings.Reading, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.referenceSources, "reference-source", settings.KindFolder, "`FOLDER` with the sources of the reference's build; repeatable",
			func(text string) ([]string, error) {
				folder, err := fileName(text)
				return append(f.referenceSources, folder), err
			})
	})
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.fit, "fit", "FIT", "split measured energy among lines by `FIT`: joined, or printed for the method of the vLens paper (default joined)", oneOf("joined", fitPrinted))
	})
	f.packages.bind(cmd, "list lines in `PACKAGE` alone: com.mine, com.mine.* or @kotlin; repeatable")
	bindColor(cmd, &f.color)
	complete(cmd, "sort", report.BySelf, report.ByAll)
	complete(cmd, "method")
	complete(cmd, "fit", "joined", fitPrinted)
	return cmd
}

func (f *linesFlags) run(ctx context.Context, files *outputs, two bool) error {
	switch {
	case f.method != "" && len(f.Sources) == 0:
		return errors.New("--method shows the source of a method: name the folder of the sources with --source")
	case len(f.referenceSources) > 0 && !two:
		return errors.New("--reference-source needs a REFERENCE, whose sources it names")
	case f.fit == fitPrinted && two:
		return errors.New("--fit printed has no error intervals, so it cannot compare two runs: leave it out")
	case len(f.referenceSources) > 0 && len(f.Sources) == 0:
		return errors.New("--reference-source needs --source, the sources of the subject")
	}
	f.Lines, f.MeterLines, f.Unprocessed = true, true, true
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	r, err := f.read(ctx, two)
	if err != nil {
		return err
	}
	renderer, _ := render.Find(report.ByLine, f.format)
	inputs := []*analysis.Input{&r.Subject}
	show := report.LinesOptions{Sort: f.sort, Rows: f.TopOr(renderer.Top), Keep: f.keep}
	if two {
		inputs = append(inputs, &r.Reference)
		show.ByMethod = len(f.referenceSources) == 0
		if !show.ByMethod {
			if show.Moved, err = analysis.Moves(ctx, &r.Subject, f.referenceSources); err != nil {
				return err
			}
		}
	}
	if !two {
		if show.Executions, err = analysis.Executions(ctx, &r.Subject, f.Options); err != nil {
			return err
		}
	}
	if show.Metered, err = analysis.Metered(ctx, &r.Subject, f.Options, 0, f.fit == fitPrinted); err != nil {
		return err
	}
	if two {
		if show.MeteredReference, err = analysis.Metered(ctx, &r.Reference, f.Options, 1, false); err != nil {
			return err
		}
	}
	made := report.NewLines(inputs, toolVersion(), show)
	made.NoteInputs(r.Comparability, r.Warnings)
	if r.SameContent {
		made.NoteSame()
	}
	if f.method != "" {
		if err := listSource(made, &r.Subject, f.method); err != nil {
			return err
		}
	}
	err = renderer.Render(write, &report.Document{View: report.ByLine, Lines: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}

// keep reports whether to list the lines of methods with this owner.
func (f *linesFlags) keep(owner report.LineOwner) bool {
	return (!f.OwnOnly || owner.Own) && (f.packages.set == nil || f.packages.set.Has(owner.Method))
}

// listSource adds the source text of a method to the lines of a run.
func listSource(l *report.Lines, in *analysis.Input, text string) error {
	found := l.Find(text)
	switch {
	case len(found) == 0:
		return fmt.Errorf("--method %q: no method that ran has this name; diffprof top --top 0 lists all", text)
	case len(found) > 1:
		var labels []string
		for _, m := range found[:min(5, len(found))] {
			labels = append(labels, m.Label())
		}
		return fmt.Errorf("--method %q: %d methods have this name: %s; name one of them", text, len(found), strings.Join(labels, ", "))
	}
	place, ok := in.Text(found[0])
	if !ok {
		return fmt.Errorf("--method %q: the folder of --source has no source of %s", text, found[0].Label())
	}
	data, err := os.ReadFile(place.Path)
	if err != nil {
		return err
	}
	note := ""
	if place.Doubt != "" {
		note = found[0].Short() + " " + place.Doubt
	}
	l.List(place.Path, note, found[0], strings.Split(string(data), "\n"), place.First, place.Last)
	return nil
}
