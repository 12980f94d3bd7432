package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// baselineFlags are the flags of diffprof baseline.
type baselineFlags struct {
	project
	output string
}

func newBaseline(files *outputs) *cobra.Command {
	var f baselineFlags
	cmd := &cobra.Command{
		Use:   "baseline [flags] [SUBJECT [REFERENCE]]",
		Short: "Write which findings are known, for compare --baseline",
		Long: `baseline compares two runs, or repeated runs of two versions, and lists what costs the
subject more: with compare --baseline these findings are left out, and --fail-on does
not count them.

A finding is known by the labels of its call path, after the mapping was undone. So it
stays known where lines move and where R8 gives other names. Of repeated runs, those with
evidence are listed.`,
		Example: `  diffprof baseline -o energy.baseline.json new.trace old.trace
  diffprof compare --baseline energy.baseline.json --fail-on 'row>1%' newer.trace old.trace`,
		Args: atMost("SUBJECT", "REFERENCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadPair(cmd, args); err != nil {
				return err
			}
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: fileArgs(2),
	}
	f.bindPair(cmd)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.VarP(&parsed[string]{to: &f.output, kind: settings.KindFile, parse: fileName}, "output", "o", "write to `FILE` (default standard output)")
	})
	return cmd
}

func (f *baselineFlags) run(ctx context.Context, files *outputs) error {
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	result, err := f.compare(ctx)
	if err != nil {
		return err
	}
	result, _ = f.listed(result)
	write := bufio.NewWriter(out)
	return finish(files, write, report.NewBaseline(result).WriteJSON(write))
}

// A baseline is what compare --baseline reads; nil for none.
type baseline struct {
	path string
	ids  []string
}

// readBaseline reads the file that a baseline is in; an empty path is none.
func readBaseline(path string) (*baseline, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	defer file.Close()
	var known report.Baseline
	if err := json.NewDecoder(file).Decode(&known); err != nil {
		return nil, fmt.Errorf("reading the baseline: %s: %w; diffprof baseline writes such files", path, err)
	}
	if known.SchemaVersion != report.SchemaVersion || known.Findings == nil {
		return nil, fmt.Errorf("reading the baseline: %s is none, or of another version; diffprof baseline writes such files", path)
	}
	b := &baseline{path: path}
	for _, f := range known.Findings {
		b.ids = append(b.ids, f.ID)
	}
	slices.Sort(b.ids)
	return b, nil
}

// without returns a result without what is known, and a function that has a report say so.
func (b *baseline) without(r *analysis.Result) (*analysis.Result, func(*report.Report)) {
	if b == nil {
		return r, func(*report.Report) {}
	}
	left, tasks, code := finding.Without(r, func(id, _ string, _ iter.Seq[string]) bool {
		_, known := slices.BinarySearch(b.ids, id)
		return known
	})
	return left, func(made *report.Report) { made.NoteIgnored(tasks, code, b.path) }
}
