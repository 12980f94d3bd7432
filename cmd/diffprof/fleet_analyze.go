package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/report/words"
)

// fleetInput are the flags of the commands that read samples.
type fleetInput struct {
	mapFile  string
	features []string
	key      keyFlag
}

func (in *fleetInput) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&in.mapFile, "map", "", "read the meaning of columns from `FILE`, in YAML")
	flags.StringArrayVar(&in.features, "feature", nil, "take the column `NAME` as a condition too; repeatable")
	in.key.bind(flags)
	complete(cmd, "feature")
}

// options returns the samples.Options for the flags.
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

// fleetJudge are the flags of the statistics.
type fleetJudge struct {
	o      fleet.Options
	within string
	flags  *pflag.FlagSet
}

// judgeFlags are the flags whose values a state file stores.
var judgeFlags = []string{"method", "h", "within", "fdr", "bug-fdr", "min-clients"}

func (j *fleetJudge) bind(cmd *cobra.Command) {
	j.o = fleet.Defaults()
	j.within = strings.Join(j.o.Within, ",")
	flags := cmd.Flags()
	j.flags = flags
	parsedVar(flags, &j.o.Method, "method", "METHOD", "within: compare each client with itself; paper: judge as Carat's paper does (default within)",
		func(s string) (fleet.Method, error) {
			m, err := oneOf(string(fleet.Within), string(fleet.Paper))(s)
			return fleet.Method(m), err
		})
	parsedVar(flags, &j.o.H, "h", "ERRORS", "errors of the paper's method: normal is 1.96 standard errors for any number of rates, student has Student's t (default normal)",
		func(s string) (paper.H, error) {
			word, err := oneOf("normal", "student")(s)
			return paper.H(slices.Index([]string{"normal", "student"}, word)), err
		})
	flags.StringVar(&j.within, "within", j.within, "compare only while these `FEATURES` are the same; all is every recorded condition, as far as there are enough samples")
	parsedVar(flags, &j.o.Rate, "fdr", "SHARE", "accept this share of false hogs (default 0.05)", parseShare)
	parsedVar(flags, &j.o.BugRate, "bug-fdr", "SHARE", "accept this share of false bugs (default 0.05)", parseShare)
	parsedVar(flags, &j.o.MinClients, "min-clients", "N", "judge apps for which at least N clients have samples with the app and without it (default 10)", positive)
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

// begins rejects flags of the first stage in a later stage. state is the file from the earlier
// stages, or "" in the first stage.
func (j *fleetJudge) begins(state string) error {
	for _, name := range judgeFlags {
		if state != "" && j.flags.Changed(name) {
			return fmt.Errorf("--%s is for the first stage: the state %s already fixes the method", name, state)
		}
	}
	return nil
}

// check returns an error if the flags name a feature that the samples lack.
func (j *fleetJudge) check(features []string) error {
	for _, name := range j.options().Within {
		if j.flags.Changed("within") && name != fleet.All && !slices.Contains(features, name) {
			return fmt.Errorf("--within %s: the samples have no such feature; --feature adds a column", name)
		}
	}
	return nil
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
	names := defaultNames
	cmd := &cobra.Command{
		Use:   "analyze [flags] DIR... -o FLEET",
		Short: "Analyze samples and write the result to a file",
		Long: `analyze reads battery samples from files or folders: Parquet, CSV, JSON lines or
SQLite, plain or compressed. A sample has a client, a time and the battery level,
and optionally the running apps and conditions such as the network.

analyze shows how it reads each column, and what it leaves out. It hashes the
names of clients.`,
		Example: `  diffprof fleet analyze samples/ -o fleet.dp

  # With a secret for the names of clients, and names for other columns
  diffprof fleet analyze samples/ --key secret --map columns.yaml -o fleet.dp`,
		Args: some("file or folder with samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return errors.New("no output: give -o FLEET")
			}
			out, err := files.open(output, args...)
			if err != nil {
				return err
			}
			options, err := in.options(args)
			if err != nil {
				return err
			}
			options.MaxNames, options.Workers = names, judge.o.Workers
			f, err := analyzeFleet(cmd.Context(), options, &judge, cmd.Flags().Changed("max-names"))
			if err != nil {
				return err
			}
			return writeFleet(files, out, f)
		},
	}
	in.bind(cmd)
	judge.bind(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FLEET`")
	parsedVar(cmd.Flags(), &names, "max-names", "N", "with more than N names, read the samples twice and leave out names of fewer than 5 clients (default 250000)", positive)
	complete(cmd, "max-names")
	return cmd
}

// defaultNames is the default of --max-names.
const defaultNames = 250_000

// analyzeFleet reads samples and runs all stages. If the samples have too many names, it reads them
// again without rare names. If limited is false, the second reading has no limit of names.
func analyzeFleet(ctx context.Context, in samples.Options, judge *fleetJudge, limited bool) (*fleet.Fleet, error) {
	in.Reread, in.Show = true, true
	f, err := analyzeOnce(ctx, in, judge)
	if !errors.Is(err, samples.ErrNames) {
		return f, err
	}
	common, err := samples.FindCommon(ctx, in)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "The samples have more than %s names. They are read again without the names of fewer than 5 clients, among them about %s apps.\n",
		words.Count(int64(in.MaxNames)), words.Count(common.RareApps()))
	in.Common = common
	if !limited {
		in.MaxNames = 0
	}
	return analyzeOnce(ctx, in, judge)
}

// analyzeOnce reads samples and runs all stages. It returns samples.ErrNames if there are too many
// names.
func analyzeOnce(ctx context.Context, in samples.Options, judge *fleetJudge) (*fleet.Fleet, error) {
	set, err := samples.Open(ctx, in)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	if err := judge.check(set.Features); err != nil {
		return nil, err
	}
	writeLayouts(os.Stderr, set.Layouts)
	if note := notRead(set.Unused); note != "" {
		fmt.Fprintln(os.Stderr, printable(note))
	}
	show, end := fleetProgress()
	f, err := fleet.Analyze(ctx, set, judge.options(), show)
	end()
	if err != nil {
		return nil, withPlaces(err, set.Faults())
	}
	writeLeft(os.Stderr, f, set.Faults())
	return f, nil
}

// writeLayouts prints the meaning of each column, with its first values.
func writeLayouts(w io.Writer, all []samples.Layout) {
	const most = 5
	for _, l := range all[:min(most, len(all))] {
		name := l.File
		if l.Table != "" {
			name += ", table " + l.Table
		}
		if l.Files > 1 {
			name += fmt.Sprintf(" and %d more", l.Files-1)
		}
		fmt.Fprintln(w, printable(name))
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  column\tread as\tfirst values")
		for _, c := range l.Columns {
			role := cmp.Or(c.Role, "–")
			values := strings.Join(c.Values, ", ")
			if c.Role == "client" {
				values += fmt.Sprintf(": %s in %s", words.Some(c.Different, "client"), words.Some(c.Rows, "row"))
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\n", printable(c.Name), printable(role), printable(values))
		}
		_ = t.Flush()
	}
	if more := len(all) - most; more > 0 {
		fmt.Fprintf(w, "and %s with other columns\n", words.Some(more, "table"))
	}
}

// writeLeft prints how many samples were left out for each reason, and where it first occurs.
func writeLeft(w io.Writer, f *fleet.Fleet, faults []samples.Fault) {
	left := f.Total().Unpaired
	if len(left) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "left out\tnumber\tfirst")
	for _, c := range left {
		at := ""
		if i := slices.IndexFunc(faults, func(f samples.Fault) bool { return f.What == c.What }); i >= 0 {
			at = placeOf(&faults[i])
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", printable(c.What), words.Count(c.N), printable(at))
	}
	_ = t.Flush()
}

// placeOf describes where a fault is, for example: a.csv, row 3, column level. It returns "" if
// this is unknown.
func placeOf(f *samples.Fault) string {
	if f.Row == 0 {
		return ""
	}
	at := fmt.Sprintf("%s, row %d", f.File, f.Row)
	if f.Column != "" {
		at += ", column " + f.Column
	}
	if f.Value != "" {
		at += fmt.Sprintf(": %q", f.Value)
	}
	return at
}

// withPlaces adds to an error where the responsible fault first occurs.
func withPlaces(err error, faults []samples.Fault) error {
	i := 0
	if errors.Is(err, fleet.ErrLevels) {
		i = slices.IndexFunc(faults, func(f samples.Fault) bool { return f.What == samples.OverFull })
	}
	if (errors.Is(err, fleet.ErrNoSamples) || errors.Is(err, fleet.ErrLevels)) && i >= 0 && i < len(faults) {
		if at := placeOf(&faults[i]); at != "" {
			return fmt.Errorf("%w; see %s", err, at)
		}
	}
	return err
}

// notRead describes the columns with unknown names, which were not read. It returns "" if there are
// none.
func notRead(columns []string) string {
	const few = 20
	if len(columns) == 0 {
		return ""
	}
	more := ""
	if n := len(columns) - few; n > 0 {
		columns, more = columns[:few], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("columns not read: %s%s; --feature makes one a condition, --map states its meaning", strings.Join(columns, ", "), more)
}

// fleetProgress returns functions that show the progress of an analysis on a terminal.
func fleetProgress() (show func(done, total int), end func()) {
	update, end := terminalProgress()
	if update == nil {
		return nil, end
	}
	return func(done, total int) { update("reading samples", int64(done), int64(total)) }, end
}
