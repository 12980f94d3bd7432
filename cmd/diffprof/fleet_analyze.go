package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// fleetInput are the flags of what reads samples.
type fleetInput struct {
	mapFile  string
	features []string
	key      keyFlag
}

func (in *fleetInput) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&in.mapFile, "map", "", "read what columns are from `FILE`, in YAML")
	flags.StringArrayVar(&in.features, "feature", nil, "take the column `NAME` as a condition too; repeatable")
	in.key.bind(flags)
	complete(cmd, "feature")
}

// options are those of package samples.
func (in *fleetInput) options(paths []string) (samples.Options, error) {
	o := samples.Options{Paths: paths}
	if in.mapFile != "" {
		m, err := samples.ReadMap(in.mapFile)
		if err != nil {
			return o, err
		}
		o.Map = *m
	}
	o.Map.Features = append(o.Map.Features, in.features...)
	var err error
	o.Key, err = in.key.read()
	return o, err
}

// fleetJudge are the flags of how a fleet is judged.
type fleetJudge struct {
	o      fleet.Options
	within string
}

func (j *fleetJudge) bind(cmd *cobra.Command) {
	j.o = fleet.Defaults()
	j.within = strings.Join(j.o.Within, ",")
	flags := cmd.Flags()
	parsedVar(flags, &j.o.Method, "method", "METHOD", "within compares each client with itself, paper judges as Carat's paper does (default within)",
		func(s string) (fleet.Method, error) {
			m, err := oneOf(string(fleet.Within), string(fleet.Paper))(s)
			return fleet.Method(m), err
		})
	parsedVar(flags, &j.o.H, "h", "ERRORS", "errors of the paper's method: normal is 1.96 for any number of rates, student is not (default normal)",
		func(s string) (paper.H, error) {
			word, err := oneOf("normal", "student")(s)
			return paper.H(slices.Index([]string{"normal", "student"}, word)), err
		})
	flags.StringVar(&j.within, "within", j.within, "compare only while these `FEATURES` are the same")
	parsedVar(flags, &j.o.Rate, "fdr", "SHARE", "put up with this share of false ones among hogs (default 0.05)", parseShare)
	parsedVar(flags, &j.o.BugRate, "bug-fdr", "SHARE", "put up with this share of false ones among bugs (default 0.05)", parseShare)
	parsedVar(flags, &j.o.MinClients, "min-clients", "N", "judge apps that at least N clients run, and at other times do not (default 10)", positive)
	parsedVar(flags, &j.o.Workers, "jobs", "N", "use N processors (default all)", positive)
	complete(cmd, "method", string(fleet.Within), string(fleet.Paper))
	complete(cmd, "h", "normal", "student")
	for _, f := range []string{"within", "fdr", "bug-fdr", "min-clients", "jobs"} {
		complete(cmd, f)
	}
}

func (j *fleetJudge) options() fleet.Options {
	o := j.o
	o.Within = nil
	for _, f := range strings.Split(j.within, ",") {
		if f = strings.TrimSpace(f); f != "" && f != "none" {
			o.Within = append(o.Within, f)
		}
	}
	return o
}

// parseShare reads a share between 0 and 1.
func parseShare(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x > 0 && x < 1) {
		return 0, errors.New("use a number between 0 and 1")
	}
	return x, nil
}

func newFleetAnalyze(files *outputs) *cobra.Command {
	var in fleetInput
	var judge fleetJudge
	var output string
	cmd := &cobra.Command{
		Use:   "analyze [flags] DIR... -o FLEET",
		Short: "Read samples and write what they say of a fleet to a file",
		Long: `analyze reads battery samples from files or folders: Parquet, CSV, JSON lines or
SQLite, plain or compressed, in any order. A sample has a client, a time, the
battery's level, and, if known, its state, the apps that ran, the screen, the
model, the system and the network.

The names of clients are hashed as they are read and appear nowhere.`,
		Args: some("file or folder with samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return errors.New("-o FLEET says where to write what was found")
			}
			out, err := files.open(output, args...)
			if err != nil {
				return err
			}
			options, err := in.options(args)
			if err != nil {
				return err
			}
			f, err := analyzeFleet(cmd.Context(), options, judge.options())
			if err != nil {
				return err
			}
			return writeFleet(files, out, f)
		},
	}
	in.bind(cmd)
	judge.bind(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FLEET`")
	return cmd
}

// analyzeFleet reads samples and goes through all stages.
func analyzeFleet(ctx context.Context, in samples.Options, o fleet.Options) (*fleet.Fleet, error) {
	set, err := samples.Open(ctx, in)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	show, end := fleetProgress()
	defer end()
	return fleet.Analyze(ctx, set, o, show)
}

// fleetProgress shows on a terminal how far an analysis is.
func fleetProgress() (show func(done, of int), end func()) {
	update, end := terminalProgress()
	if update == nil {
		return nil, end
	}
	return func(done, of int) { update("reading samples", int64(done), int64(of)) }, end
}

func newFleetPartial(files *outputs) *cobra.Command {
	var in fleetInput
	var judge fleetJudge
	var state, stage, columns string
	cmd := &cobra.Command{
		Use:   "partial --stage STAGE [--state FILE] < SAMPLES > SUMS",
		Short: "Sum up the samples of some clients, for a cluster",
		Long: `partial reads samples of whole clients from the standard input, one a line with
tabs between the columns, and writes their sums, which add up by key. It is what
runs on each machine of a cluster; fleet sql prints the statements that run it.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := in.options(nil)
			if err != nil {
				return err
			}
			f, err := stateOf(state, judge.options(), options, strings.Split(columns, ","))
			if err != nil {
				return err
			}
			if stage == "" {
				return fmt.Errorf("--stage says what to sum up: %s", strings.Join(f.Stages(), ", "))
			}
			set, err := samples.ReadLines(cmd.Context(), os.Stdin, strings.Split(columns, ","), options)
			if err != nil {
				return err
			}
			defer set.Close()
			table, err := f.Share(cmd.Context(), set, stage, nil)
			if err != nil {
				return err
			}
			out, err := files.open("")
			if err != nil {
				return err
			}
			write := bufio.NewWriter(out)
			return finish(files, write, table.Write(write))
		},
	}
	in.bind(cmd)
	judge.bind(cmd)
	cmd.Flags().StringVar(&stage, "stage", "", "sum up what `STAGE` needs")
	cmd.Flags().StringVar(&state, "state", "", "the sums of earlier stages, which fleet merge wrote to `FILE`")
	cmd.Flags().StringVar(&columns, "columns", defaultColumns, "the `COLUMNS` of the lines")
	complete(cmd, "stage", "apps", "joint", "scores", "prior", "rates", "detail", "trees")
	complete(cmd, "columns")
	return cmd
}

// defaultColumns are the columns of lines on the standard input.
const defaultColumns = "client,time,level,state,trigger,apps,screen,model,os,network"

// stateOf reads what earlier stages found, or begins.
func stateOf(path string, judge fleet.Options, in samples.Options, columns []string) (*fleet.Fleet, error) {
	if path != "" {
		return fleet.Open(path)
	}
	return fleet.New(judge, in.Map.FeaturesOf(columns))
}

func newFleetMerge(files *outputs) *cobra.Command {
	var in fleetInput
	var judge fleetJudge
	var state, output, columns string
	cmd := &cobra.Command{
		Use:   "merge [--state FILE] -o FLEET SUMS...",
		Short: "Add up the sums that a cluster wrote",
		Long: `merge adds the sums of a stage, which partial wrote on the machines of a cluster
and which may have been added up there, to those of the stages before. After the
last stage the file is what analyze would have written, to the byte.`,
		Args: some("file with sums"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return errors.New("-o FLEET says where to write the sums")
			}
			out, err := files.open(output, args...)
			if err != nil {
				return err
			}
			options, err := in.options(nil)
			if err != nil {
				return err
			}
			f, err := stateOf(state, judge.options(), options, strings.Split(columns, ","))
			if err != nil {
				return err
			}
			for _, path := range args {
				if err := mergeFile(f, path); err != nil {
					return err
				}
			}
			return writeFleet(files, out, f)
		},
	}
	in.bind(cmd)
	judge.bind(cmd)
	cmd.Flags().StringVar(&state, "state", "", "the sums of earlier stages are in `FILE`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FLEET`")
	cmd.Flags().StringVar(&columns, "columns", defaultColumns, "the `COLUMNS` that partial was given")
	complete(cmd, "columns")
	return cmd
}

func mergeFile(f *fleet.Fleet, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	t := sums.New()
	if err := t.Read(bufio.NewReader(io.Reader(file))); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f.Add(t)
	return nil
}
