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

// A sheet is a file that a comparison is written to, in a format.
type sheet struct {
	renderer render.Renderer
	path     string
	write    *bufio.Writer
}

func newCompare(files *outputs) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] [SUBJECT [REFERENCE]]",
		Short: "Say which tasks the subject does and the reference does not, or for less",
		Long: `compare matches the tasks of two method traces. SUBJECT is the one reported on:
your app, the new version. REFERENCE is what it is held against: a similar app,
the old version.

A task is a framework method that the app calls directly, in the context of its
call path. Tasks come most room for saving first. One is "only here" if the
reference has no counterpart, else "dearer", "cheaper" or "the same"; a saving
is split into what more calls cost and what dearer calls cost.

What the app's own code drains by itself ranks with the tasks, marked app: a row for
each method where both runs are of one app, as their own classes, functions or
packages show, or calls in the same places where all names differ; otherwise a row
for each callback. There is nothing to save if no row saves anything and the
subject drains no more in all.

"from" names the app's own method that leads to a task, itself or through a library.
Own is what --manifest, --source, the mapping or --own-package say, else what the app
ships and no known library has.

Call paths that the matching pairs may differ by --alpha steps: by default the
smallest number up to 5 after which one more gains less than a hundredth of the
subject's tasks. Tasks that are left find counterparts by likeness (--match); a pair
that is likely and not sure is marked "?", and in no sum.

A project's settings are read from diffprof.yaml, in the current folder or in the
nearest one above it up to the root of the repository: the two traces, packages,
mappings and more, and tasks to ignore. Flags and arguments count more.`,
		Example: `  # The new version against the old one
  diffprof compare new.trace old.trace

  # Your app against a similar one; both obfuscated, yours with its mapping
  diffprof compare --mapping-subject mapping.txt mine.trace theirs.trace

  # Everything, for other programs
  diffprof compare --format json -o diff.json new.trace old.trace

  # A page to look at: tasks, their call trees side by side, both runs at once
  diffprof compare --format html -o report.html new.trace old.trace

  # Both runs in speedscope, or for go tool pprof, FlameGraph, Firefox or Perfetto
  diffprof compare --format speedscope -o diff.json new.trace old.trace

  # For a pull request
  diffprof compare --format markdown new.trace old.trace

  # Which of your methods to look at, and the tasks inside of tasks indented
  diffprof compare --group caller new.trace old.trace
  diffprof compare --nest new.trace old.trace

  # What of your code on the main thread got dearer
  diffprof compare --package 'com.mine.*' --thread main --kind dearer new.trace old.trace

  # In a build: end with code 1 where a new version drains a tenth more
  diffprof compare --fail-on 'total>+10%' --format markdown -o diff.md new.trace old.trace

  # In battery charge, as modelled for the phone at hand
  diffprof compare --power-profile power_profile.xml --unit uAh new.trace old.trace`,
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
			"also write every pair of the matching to `FILE`, a line of JSON each", fileName)
	})
	bindOutput(cmd, &f.format, &f.output, report.Comparison)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.also, "also", settings.KindFile, "also write to `FILE`, in the format that the end of its name asks for, such as .md, .json, .sarif, .gitlab.json or .junit.xml; repeatable",
			func(path string) ([]sheet, error) {
				renderer, ok := render.ForFile(report.Comparison, path)
				if !ok {
					return nil, errors.New("no format has files of this name; --format with -o writes any file")
				}
				return append(f.also, sheet{renderer: renderer, path: path}), nil
			})
	})
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.bundles, "bundles", false, "also put the stays of components away from rest side by side")
	})
	f.filter.bind(cmd)
	f.gates.bind(cmd)
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
		return errors.New("--bundles speaks of components: say with --power-model what they draw")
	case wasted:
		return errors.New("--fail-on: wasted speaks of components: say with --power-model what they draw")
	}
	if f.Fleet == "" && f.gates.measure(finding.FleetHog) {
		return errors.New("--fail-on: fleet-hog speaks of a fleet: name with --fleet what diffprof fleet analyze wrote of one")
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
		return errors.New("--bundles: there are no bundles to compare: they are of one run a side that has moments, is not scaled and states no energy itself")
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
