package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// convertFlags are the flags of diffprof convert.
type convertFlags struct {
	project
	to, output string
}

func newConvert(files *outputs) *cobra.Command {
	var f convertFlags
	formats := render.Names(report.FullRecording)
	cmd := &cobra.Command{
		Use:   "convert [flags] FILE",
		Short: "Convert a recording for another profiler",
		Long: `convert writes the calls of a recording, with energy, times and counts, as a
profile for another program. docs/export.md explains each format.

Equal call paths are merged, so the axis of a view is energy and not time.
Programs that know only times show a nanojoule as a nanosecond. All values add up
to the total that diffprof shows. Perfetto and Chrome get a timeline if the
recording has the times of calls.`,
		Example: `  # What go tool pprof, Pyroscope and many others open
  diffprof convert app.trace -o app.pprof

  # For https://www.speedscope.app
  diffprof convert app.trace --to speedscope -o app.json

  # The energy of each call over time: a timeline for https://ui.perfetto.dev
  diffprof convert app.trace -o app.perfetto-trace

  # A flame graph
  diffprof convert app.trace --to folded | flamegraph.pl --countname nJ > app.svg`,
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
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		last := len(formats) - 1
		parsedVar(flags, &f.to, "to", "FORMAT",
			"write "+strings.Join(formats[:last], ", ")+" or "+formats[last]+" (default by the output's name)", oneOf(formats...))
		flags.VarP(&parsed[string]{to: &f.output, kind: settings.KindFile, parse: fileName}, "output", "o", "write to `FILE` (default standard output)")
	})
	complete(cmd, "to", formats...)
	return cmd
}

func (f *convertFlags) run(ctx context.Context, files *outputs) error {
	renderer, ok := render.Find(report.FullRecording, f.to)
	if f.to == "" {
		renderer, ok = render.ForFile(report.FullRecording, f.output)
	}
	if !ok {
		return fmt.Errorf("convert needs a format: --to %s", strings.Join(render.Names(report.FullRecording), "|"))
	}
	if err := notOnTerminal(renderer, f.output, files.stdout); err != nil {
		return err
	}
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	if renderer.Timeline != nil {
		if written, err := f.play(ctx, write, renderer); written || err != nil {
			return finish(files, write, err)
		}
	}
	f.LinesIfKnown = renderer.Lines
	in, err := f.read(ctx)
	if err != nil {
		return err
	}
	d := &report.Document{View: report.FullRecording, Input: in, Version: toolVersion()}
	return finish(files, write, renderer.Render(write, d, report.Options{}))
}

// play writes a recording with times as a timeline. written is false if it has no times.
func (f *convertFlags) play(ctx context.Context, to io.Writer, renderer render.Renderer) (written bool, err error) {
	defer showProgress(&f.Options)()
	r, err := analysis.OpenReplay(ctx, f.Options)
	if err != nil {
		return false, err
	}
	defer r.Close()
	if !r.Moments || r.Input.Trace.Unstated {
		return false, nil
	}
	timeline := renderer.Timeline(to, r.Input, toolVersion())
	if err := r.Play(ctx, timeline); err != nil {
		return true, err
	}
	return true, timeline.End()
}

// notOnTerminal returns an error if binary output would go to a terminal.
func notOnTerminal(r render.Renderer, output string, stdout *os.File) error {
	if r.Binary && (output == "" || output == "-") && isTerminal(stdout) {
		return fmt.Errorf("%s is binary and cannot be shown in a terminal: name a file with --output", r.Name)
	}
	return nil
}
