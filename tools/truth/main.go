// Command truth measures how well tasks are matched, with pairs of runs whose true counterparts are
// known. README.md describes the measurement.
//
//	go run ./tools/truth -seeds 4
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/diffprof/diffprof/tools/truth/change"
	"github.com/diffprof/diffprof/tools/truth/score"
)

func main() {
	if err := measure(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(2)
	}
}

// measure runs the command. It prints tables to out and progress to log.
func measure(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("truth", flag.ContinueOnError)
	flags.SetOutput(log)
	seeds := flags.Int("seeds", 4, "generated apps, each another seed")
	fit := flags.Bool("fit", false, "use the seeds for fitting weights (0 to 9), not those for scoring (from 100)")
	weights := flags.Bool("weights", false, "fit the weights of eflask's likelihood to the seeds 0 to 9, print them, and measure nothing")
	from := flags.Uint64("from", firstScoring, "first seed for scoring, 100 or more")
	methods := flags.String("methods", "", "only these methods, separated by commas, such as auto")
	kinds := flags.String("kinds", "", "only these kinds, separated by commas")
	traces := flags.String("real", "", "folder of ART traces to measure on too, such as ../shared/data/art")
	pairs := flags.String("pairs", "", "print the pairs of tasks of two recordings, separated by a comma, for a person to judge, and measure nothing")
	tables := flags.String("tables", "", "measure all seeds that a document such as README.md shows, with -real, and replace its tables")
	rows := flags.String("json", "", "write each comparison's figures to this file, a line each")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	chosen, err := chooseKinds(*kinds)
	if err != nil {
		return err
	}
	measured, err := chooseMethods(*methods)
	if err != nil {
		return err
	}
	first, err := firstSeed(*fit, *seeds, *from)
	if err != nil {
		return err
	}
	if *pairs != "" {
		subject, reference, _ := strings.Cut(*pairs, ",")
		return printSample(ctx, out, subject, reference)
	}
	progress := func(name string) { fmt.Fprintln(log, "measuring", name) }
	if *weights {
		return printWeights(ctx, out, generated(0, fitting), progress)
	}
	if *tables != "" {
		return writeTables(ctx, *tables, *traces, progress)
	}
	var results []result
	show := func(title string, sources []source) error {
		found, err := compareAll(ctx, sources, chosen, measured, progress)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n\n", title)
		printTables(out, found)
		results = append(results, found...)
		return nil
	}
	if *seeds > 0 {
		title := fmt.Sprintf("Generated apps, seeds %d to %d", first, first+uint64(*seeds)-1)
		if err := show(title, generated(first, *seeds)); err != nil {
			return err
		}
	}
	if *traces != "" {
		sources, err := recorded(ctx, *traces, first)
		if err != nil {
			return err
		}
		if len(sources) == 0 {
			fmt.Fprintf(log, "no ART traces in %s: real traces are left out\n", *traces)
		} else if err := show(fmt.Sprintf("%d real traces, seeds from %d", len(sources), first), sources); err != nil {
			return err
		}
	}
	if *rows == "" {
		return nil
	}
	return writeRows(*rows, results)
}

// firstSeed returns the first seed. Fitting and scoring have different seeds, because weights that
// were fitted to a run do well on that run.
func firstSeed(fit bool, seeds int, from uint64) (uint64, error) {
	if !fit {
		if from < firstScoring {
			return 0, fmt.Errorf("-from %d: seeds for scoring begin at %d", from, firstScoring)
		}
		return from, nil
	}
	if seeds > fitting {
		return 0, fmt.Errorf("-fit has the seeds 0 to %d, so -seeds %d is too many", fitting-1, seeds)
	}
	return 0, nil
}

func chooseKinds(list string) ([]change.Kind, error) {
	if list == "" {
		return change.Kinds, nil
	}
	var out []change.Kind
	for name := range strings.SplitSeq(list, ",") {
		var names []string
		known := false
		for _, k := range change.Kinds {
			names = append(names, k.Name)
			if k.Name == name {
				out, known = append(out, k), true
			}
		}
		if !known {
			return nil, fmt.Errorf("no kind is called %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return out, nil
}

func chooseMethods(list string) ([]score.Method, error) {
	all := score.Methods()
	if list == "" {
		return all, nil
	}
	var out []score.Method
	for name := range strings.SplitSeq(list, ",") {
		var names []string
		known := false
		for _, m := range all {
			names = append(names, m.Name)
			if m.Name == name {
				out, known = append(out, m), true
			}
		}
		if !known {
			return nil, fmt.Errorf("unknown method %q; the methods are %s", name, strings.Join(names, ", "))
		}
	}
	return out, nil
}
