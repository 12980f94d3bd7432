package main

import (
	"bufio"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// treeFlags are the flags of diffprof tree.
type treeFlags struct {
	project
	format, output, color string
	depth                 int
	stage                 string
}

func newTree(files *outputs) *cobra.Command {
	f := treeFlags{stage: "merged"}
	cmd := &cobra.Command{
		Use:   "tree [flags] FILE",
		Short: "Show the call tree of one trace with energy",
		Long: `tree prints the calling-context tree of a trace, with the energy of each method
itself (exclusive) and with callees (inclusive). Equal call paths are one line.

It is the tree that compare matches: an app's own methods are merged into the
callback that calls them (*.onClick). --stage raw shows the tree as recorded.`,
		Example: `  # What costs most in a run
  diffprof tree app.trace

  # One page for a browser: the tree as a drawing, methods with callers and callees
  diffprof tree --format html -o run.html app.trace

  # All of the recorded call stacks, five calls deep
  diffprof tree --stage raw --depth 5 --min-share 0 app.trace`,
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
	bindOutput(cmd, &f.format, &f.output, report.Contexts)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.stage, "stage", "STAGE",
			"show the tree raw, as recorded, or merged, after preprocessing (default merged)", oneOf("raw", "merged"))
		parsedVar(flags, &f.depth, "depth", "N", "show contexts at most N calls deep; 0 is any (default 0)", parseCount)
	})
	bindColor(cmd, &f.color)
	complete(cmd, "stage", "raw", "merged")
	complete(cmd, "depth")
	return cmd
}

func (f *treeFlags) run(ctx context.Context, files *outputs) error {
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	renderer, _ := render.Find(report.Contexts, f.format)
	f.Bundles = renderer.Bundles && f.PowerModel != ""
	in, err := f.read(ctx)
	if err != nil {
		return err
	}
	share := treeShare
	if renderer.Contexts > 0 {
		share = 0
	}
	made := report.NewTree(in, toolVersion(), f.stage == "raw", report.Prune{Depth: f.depth, MinShare: f.MinShareOr(share), Most: renderer.Contexts})
	err = renderer.Render(write, &report.Document{View: report.Contexts, Input: in, Tree: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}
