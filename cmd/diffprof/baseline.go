package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/units"
)

// baselineFlags are the flags of diffprof baseline.
type baselineFlags struct {
	project
	output string
	prune  string
}

func newBaseline(files *outputs) *cobra.Command {
	var f baselineFlags
	cmd := &cobra.Command{
		Use:   "baseline [flags] [SUBJECT [REFERENCE]]",
		Short: "List known findings, for --baseline",
		Long: `baseline lists what costs the subject more, as known findings: compare --baseline
hides them, and --fail-on ignores them. Rows that may be chance are not listed.

A finding stays known when lines move and when R8 assigns other names. If it
costs more than listed, or if another class causes it, it is new again. With
--power-model it also lists the waste of components. For a single trace it lists
only this waste, which profile --baseline hides.`,
		Example: `  diffprof baseline -o energy.baseline.json new.trace old.trace
  diffprof compare --baseline energy.baseline.json --fail-on 'row>1%' newer.trace old.trace

  # Remove what was fixed since
  diffprof baseline --prune energy.baseline.json newer.trace old.trace

  # The waste of the components of one run
  diffprof baseline --power-model lte -o components.json app.trace
  diffprof profile --power-model lte --baseline components.json --fail-on 'wasted>5%' newer.trace`,
		Args: atMost("SUBJECT", "REFERENCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			alone, err := f.loadAny(cmd, args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), files, alone)
		},
		ValidArgsFunction: fileArgs(2),
	}
	f.bindPair(cmd)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.prune, "prune", settings.KindFile, "remove the entries of `FILE` that no longer occur, and keep the others as they are; writes FILE, or the file of --output", fileName)
		flags.VarP(&parsed[string]{to: &f.output, kind: settings.KindFile, parse: fileName}, "output", "o", "write to `FILE` (default standard output)")
	})
	return cmd
}

// loadAny sets the settings for one recording or a pair. alone is true if no reference is named.
func (f *baselineFlags) loadAny(cmd *cobra.Command, args []string) (alone bool, err error) {
	base, err := f.open()
	if err != nil {
		return false, err
	}
	if len(args) == 1 && len(f.subjects)+len(f.references) == 0 && base.Reference.Path == "" {
		return true, f.loadOne(args[0])
	}
	return false, f.loadPair(cmd, args)
}

func (f *baselineFlags) run(ctx context.Context, files *outputs, alone bool) error {
	if alone && f.PowerModel == "" {
		return errors.New("a single run has findings only with --power-model: give it, or a reference")
	}
	known, err := readBaseline(f.prune)
	if err != nil {
		return err
	}
	out, err := files.open(cmp.Or(f.output, f.prune), f.inputs()...)
	if err != nil {
		return err
	}
	f.Bundles = f.PowerModel != ""
	made, err := f.made(ctx, alone, known)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	return finish(files, write, made.WriteJSON(write))
}

// made returns the baseline to write. It lists the findings of one run, or of a comparison of two.
// If prune is not nil, it is returned instead, without the findings that no longer occur.
func (f *baselineFlags) made(ctx context.Context, alone bool, prune *baseline) (*report.Baseline, error) {
	if !alone {
		result, err := f.compare(ctx)
		if err != nil {
			return nil, err
		}
		set, err := f.judged(result)
		if err != nil {
			return nil, err
		}
		if prune != nil {
			_, a := set.Accept(prune.file.Accepted())
			prune.file.Prune(a.Gone)
			return &prune.file, nil
		}
		set, _ = f.listed(set)
		return report.NewBaseline(set), nil
	}
	in, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	if in.Bundles == nil {
		return nil, notCharged(in)
	}
	if prune != nil {
		_, a := finding.AcceptWastes(in, prune.file.Accepted())
		prune.file.Prune(a.Gone)
		return &prune.file, nil
	}
	in, _ = finding.WithoutWastes(in, f.ignores)
	return report.NewRunBaseline(in), nil
}

// notCharged returns an error that says why a run has no energy by component.
func notCharged(in *analysis.Input) error {
	return fmt.Errorf("%s: there is no energy of components: the recording has no times of calls, states its energy itself, or was added to a history without --power-model", in.Path)
}

// A baseline is a file of known findings. A nil baseline has none.
type baseline struct {
	path string
	file report.Baseline
}

// readBaseline reads the file of a baseline. An empty path means no baseline.
func readBaseline(path string) (*baseline, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	b := &baseline{path: path}
	if b.file, err = report.ReadBaseline(data); err != nil {
		return nil, fmt.Errorf("reading the baseline: %s%w", path, err)
	}
	return b, nil
}

// without removes the known findings from a set. The returned function notes this in the report.
func (b *baseline) without(set *finding.Set) (*finding.Set, func(*report.Report)) {
	if b == nil {
		return set, func(*report.Report) {}
	}
	left, a := set.Accept(b.file.Accepted())
	return left, func(made *report.Report) {
		made.NoteIgnored(a.Removed, b.path)
		made.Warnings = append(made.Warnings, report.KnownNotes(a, &b.file, b.path, set.Result.Voltage)...)
	}
}

// withoutWastes removes the known findings about a run's components. The returned function notes
// this in the profile.
func (b *baseline) withoutWastes(in *analysis.Input, v units.Voltage) (*analysis.Input, func(*report.Profile)) {
	if b == nil {
		return in, func(*report.Profile) {}
	}
	left, a := finding.AcceptWastes(in, b.file.Accepted())
	return left, func(made *report.Profile) {
		made.NoteIgnored(a.Removed.Wastes, b.path)
		made.Warnings = append(made.Warnings, report.KnownNotes(a, &b.file, b.path, v)...)
	}
}

// bindBaseline adds the flag for the path of a baseline.
func bindBaseline(cmd *cobra.Command, to *string) {
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, to, "baseline", settings.KindFile, "leave out the known findings in `FILE`, written by diffprof baseline, unless they are worse", fileName)
	})
}
