package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// compareFlags are the flags of diffprof compare.
type compareFlags struct {
	project
	format       string
	output       string
	color        string
	dumpMatching string
	filter       filterFlags
	gates        gates
	baseline     string
	also         []sheet
	bundles      bool
}

// A sheet is an output file of a comparison, with its format.
type sheet struct {
	renderer render.Renderer
	path     string
	write    *bufio.Writer
}

func newCompare(files *outputs) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] [SUBJECT [REFERENCE]]",
		Short: "Compare two recordings: what costs more, and where",
		Long: `compare matches the tasks of two recordings and shows where SUBJECT, your app or
the new version, uses more energy than REFERENCE, a similar app or the old
version.

A task is a framework method that the app calls directly, in the context of its
call path. A row says whether the task is only here, costs more, costs less or
costs the same, how much of it could be saved, and which of your methods call
it. Rows marked "app" are your own code.

A diffprof.yaml in this folder or above it can name the recordings and all
settings; flags and arguments override it. docs/compare.md explains the output.`,
		Example: `  # The new version against the old one
  diffprof compare new.trace old.trace

  # Several runs of each, so that small differences show
  diffprof compare --subject 'new/*.trace' --reference 'old/*.trace'

  # A page with the call trees of each task next to each other
  diffprof compare --format html -o report.html new.trace old.trace

  # In a build: exit code 1 if the new version uses a tenth more
  diffprof compare --fail-on 'total>+10%' --format markdown -o diff.md new.trace old.trace`,
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
	inGroup(cmd, settings.Matching, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.dumpMatching, "dump-matching", settings.KindFile,
			"also write every pair of the matching to `FILE`, one line of JSON per pair", fileName)
	})
	bindOutput(cmd, &f.format, &f.output, report.Comparison)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.also, "also", settings.KindFile, "also write to `FILE`, in the format of its extension: .md, .json, .sarif, .gitlab.json or .junit.xml; repeatable",
			func(path string) ([]sheet, error) {
				renderer, ok := render.ForFile(report.Comparison, path)
				if !ok {
					return nil, errors.New("no format has this file extension; give the format with --format, and the file with -o")
				}
				return append(f.also, sheet{renderer: renderer, path: path}), nil
			})
	})
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.bundles, "bundles", false, "also compare the active periods of each component")
	})
	f.filter.bind(cmd)
	f.gates.bind(cmd, gateUsage)
	bindBaseline(cmd, &f.baseline)
	bindColor(cmd, &f.color)
	return cmd
}

func (f *compareFlags) run(ctx context.Context, files *outputs) error {
	boundGarbage()
	renderer, _ := render.Find(report.Comparison, f.format)
	if err := notOnTerminal(renderer, f.output, files.stdout); err != nil {
		return err
	}
	wasted := f.gates.measure(finding.Wasted)
	switch {
	case f.PowerModel != "":
	case f.bundles:
		return errors.New("--bundles needs the energy of components: give --power-model, such as --power-model lte")
	case wasted:
		return errors.New("--fail-on: wasted needs the energy of components: give --power-model, such as --power-model lte")
	}
	if f.Fleet == "" && f.gates.measure(finding.FleetHog) {
		return errors.New("--fail-on: fleet-hog needs a fleet: give the file of diffprof fleet analyze with --fleet")
	}
	inputs := append(f.inputs(), f.baseline)
	sheets := append(f.also, sheet{renderer: renderer, path: f.output})
	for i := range sheets {
		out, err := files.open(sheets[i].path, inputs...)
		if err != nil {
			return err
		}
		sheets[i].write = bufio.NewWriter(out)
	}
	var dump *bufio.Writer
	if f.dumpMatching != "" {
		out, err := files.open(f.dumpMatching, inputs...)
		if err != nil {
			return err
		}
		dump = bufio.NewWriter(out)
	}

	known, err := readBaseline(f.baseline)
	if err != nil {
		return err
	}
	f.Bundles = f.bundles || wasted
	for _, s := range sheets {
		f.Coverage = f.Coverage || s.renderer.Coverage
		f.Bundles = f.Bundles || s.renderer.Wastes && f.PowerModel != ""
	}
	result, err := f.compare(ctx)
	if err != nil {
		return err
	}
	if f.bundles && (result.Subject.Bundles == nil || result.Reference.Bundles == nil) {
		return errors.New("--bundles: no active periods to compare: give one run per side, with the times of calls and modelled energy, and without --normalize")
	}
	if dump != nil {
		if err := report.WriteMatching(dump, result); err != nil {
			return err
		}
		if err := dump.Flush(); err != nil {
			return fmt.Errorf("writing the matching: %w", err)
		}
	}
	set, err := f.judged(result)
	if err != nil {
		return err
	}
	set, noteKnown := known.without(set)
	set, note := f.listed(set)
	set, noteFiltered := f.filter.only(set)
	for _, s := range sheets {
		made := report.New(set, toolVersion(), f.TopOr(s.renderer.Top))
		note(made)
		noteKnown(made)
		noteFiltered(made)
		made.GroupBy(set, f.Group, f.TopOr(s.renderer.Top))
		d := report.NewComparison(set, made)
		if err := s.renderer.Render(s.write, d, renderOptions(&f.Settings, f.color, files.stdout, s.path == "")); err != nil {
			return err
		}
		if err := s.write.Flush(); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return cmp.Or(files.commit(), f.gates.check(set))
}
