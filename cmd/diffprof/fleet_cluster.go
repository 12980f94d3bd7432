package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
)

// defaultColumns are the columns of the lines on the standard input.
const defaultColumns = "client,time,level,state,trigger,apps,versions,screen,model,network"

// columnNames splits a list of column names. As in CSV, a name with a comma is in double quotes.
func columnNames(list string) ([]string, error) {
	names, err := csv.NewReader(strings.NewReader(list)).Read()
	if err != nil {
		return nil, fmt.Errorf("--columns %s: put double quotes only around whole names, as in CSV: %w", list, err)
	}
	return names, nil
}

// fleetStage has the flags of the commands that run once per stage.
type fleetStage struct {
	in                    fleetInput
	judge                 fleetJudge
	stage, state, columns string
}

func (s *fleetStage) bind(cmd *cobra.Command) {
	s.in.bind(cmd)
	s.judge.bind(cmd)
	stages := slices.Concat(fleet.StagesOf(fleet.Within), fleet.StagesOf(fleet.Paper))
	flags := cmd.Flags()
	flags.StringVar(&s.stage, "stage", "", "compute the sums of `STAGE`")
	flags.StringVar(&s.state, "state", "", "the sums of earlier stages, which fleet merge wrote to `FILE`")
	flags.StringVar(&s.columns, "columns", defaultColumns, "the `COLUMNS` that each sample has, with commas between them; a name with a comma has double quotes")
	complete(cmd, "stage", stages...)
	complete(cmd, "columns")
}

// check returns an error if the flags contradict each other.
func (s *fleetStage) check() error {
	stages := fleet.StagesOf(s.judge.o.Method)
	if s.stage == "" {
		return fmt.Errorf("no stage: give --stage, one of %s", strings.Join(stages, ", "))
	}
	if s.state == "" && s.stage != stages[0] {
		return fmt.Errorf("--stage %s needs the sums of the earlier stages: give the file of fleet merge with --state; the first stage of --method %s is %s", s.stage, s.judge.o.Method, stages[0])
	}
	return s.judge.begins(s.state)
}

func newFleetPartial(files *outputs) *cobra.Command {
	var s fleetStage
	cmd := &cobra.Command{
		Use:   "partial --stage STAGE [--state FILE] < SAMPLES > SUMS",
		Short: "Sum up the samples of some clients, for a cluster",
		Long: `partial reads the samples of whole clients from standard input, one per line
with tabs between the columns, and writes sums that add up by key. It runs on
each machine of a cluster. fleet sql prints the statements that start it.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			options, err := s.in.options(nil)
			if err != nil {
				return err
			}
			columns, err := columnNames(s.columns)
			if err != nil {
				return err
			}
			options.Show = true
			set, err := samples.ReadLines(cmd.Context(), os.Stdin, columns, options)
			if err != nil {
				return err
			}
			defer set.Close()
			if s.state == "" {
				writeLayouts(os.Stderr, set.Layouts)
			}
			f, err := s.fleet(set.Features)
			if err != nil {
				return err
			}
			table, err := f.Share(cmd.Context(), set, s.stage, nil)
			if err != nil {
				return err
			}
			out, err := files.open("")
			if err != nil {
				return err
			}
			write := bufio.NewWriter(out)
			return finish(files, write, f.WriteShare(write, s.stage, table))
		},
	}
	s.bind(cmd)
	return cmd
}

// fleet reads the result of earlier stages, or starts a new fleet.
func (s *fleetStage) fleet(features []string) (*fleet.Fleet, error) {
	if s.state == "" {
		if err := s.judge.check(features); err != nil {
			return nil, err
		}
		return fleet.New(s.judge.options(), features)
	}
	f, err := fleet.Open(s.state)
	if err == nil {
		f.Workers = s.judge.o.Workers
	}
	return f, err
}

func newFleetMerge(files *outputs) *cobra.Command {
	var state, output string
	names := defaultNames
	cmd := &cobra.Command{
		Use:   "merge [--state FILE] -o FLEET SUMS...",
		Short: "Add up the sums that a cluster wrote",
		Long: `merge adds the sums of a stage, written by partial on the machines of a cluster,
to the sums of earlier stages. SUMS are files or folders, or - for standard input.
After the last stage the output equals the output of analyze, byte for byte.

The store's own tool reads sums on a distributed store:

  hdfs dfs -cat 'hdfs://name/sums/part-*' | diffprof fleet merge -o FLEET -`,
		Example: `  diffprof fleet merge -o state1 /data/apps`,
		Args:    some("file with sums"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return errors.New("no output: give -o FLEET")
			}
			out, err := files.open(output, args...)
			if err != nil {
				return err
			}
			var f *fleet.Fleet
			if state != "" {
				if f, err = fleet.Open(state); err != nil {
					return err
				}
			}
			m := fleet.NewMerger(names, "")
			defer m.Close()
			for _, path := range args {
				if err := readSums(m, path); err != nil {
					return err
				}
			}
			t, err := m.Sums()
			if err != nil {
				return err
			}
			if f, err = fleet.Merge(f, t); err != nil {
				return fmt.Errorf("%s: %w", strings.Join(args, ", "), err)
			}
			return writeFleet(files, out, f)
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "the sums of earlier stages are in `FILE`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FLEET`")
	parsedVar(cmd.Flags(), &names, "max-names", "N", "add up at most N apps in memory, and others on disk (default 250000)", positive)
	complete(cmd, "max-names")
	return cmd
}

// catOf returns a shell command that prints the files of a folder on a distributed store.
func catOf(scheme, path string) string {
	files := "'" + strings.TrimSuffix(path, "/") + "/part-*'"
	switch scheme {
	case "gs":
		return "gcloud storage cat " + files
	case "s3", "s3a", "s3n":
		return "hadoop fs -cat '" + strings.TrimSuffix("s3a"+strings.TrimPrefix(path, scheme), "/") + "/part-*'"
	case "dbfs":
		return "databricks fs cat FILE"
	}
	return "hdfs dfs -cat " + files
}

// readSums adds the sums in a file, or in the files of a folder. It skips files whose names begin
// with a dot or an underscore, because they belong to the cluster.
func readSums(t *fleet.Merger, path string) error {
	if path == "-" {
		if err := t.Read(bufio.NewReader(os.Stdin)); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		return nil
	}
	if scheme, _, ok := strings.Cut(path, "://"); ok {
		return fmt.Errorf("%s: merge does not read %s; pipe the files to it: %s | diffprof fleet merge -o FLEET -", path, scheme, catOf(scheme, path))
	}
	if entries, err := os.ReadDir(path); err == nil {
		for _, e := range entries {
			if strings.ContainsAny(e.Name()[:1], "._") {
				continue
			}
			if err := readSums(t, filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := t.Read(bufio.NewReader(file)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
