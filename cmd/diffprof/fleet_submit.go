package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/sums"
)

//go:embed fleetjob.py
var fleetJob string

// jobFormats are the formats of samples that the job mentions. Spark may read more.
var jobFormats = []string{"parquet", "csv", "json", "orc", "delta", "table"}

// jobSettings are the values to insert into the job's text.
type jobSettings struct {
	Stages  []string `json:"stages"`
	Width   int      `json:"width"`
	From    string   `json:"from"`
	Format  string   `json:"format"`
	To      string   `json:"to"`
	Program string   `json:"program"`
	// Judge are the flags of the first stage, and Input the flags of every stage. Files maps a
	// flag, such as "key", to the name of a file that is copied to the machines.
	Judge []string          `json:"judge"`
	Input []string          `json:"input"`
	Files map[string]string `json:"files"`
}

// newFleetSubmit builds the command that writes a PySpark job that runs all stages.
func newFleetSubmit(files *outputs) *cobra.Command {
	var in fleetInput
	var judge fleetJudge
	var output, program, columns string
	var layout bool
	s := jobSettings{Width: sums.Width}
	cmd := &cobra.Command{
		Use:   "submit --from SAMPLES --to FLEET -o JOB",
		Short: "Write a Spark job that analyzes a fleet",
		Long: `submit writes a job for PySpark, and prints the line of spark-submit that runs it.
The job runs all stages and writes the same file as fleet analyze. spark-submit
ships diffprof to the workers, and the files of --key and --map.

docs/fleet.md describes YARN, Kubernetes, EMR, Dataproc and Databricks.`,
		Example: `  diffprof fleet submit --from s3a://bucket/samples/ --to s3a://bucket/fleet.dp --key key -o job.py`,
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := in.options(nil)
			if err != nil {
				return err
			}
			if layout {
				names, err := columnNames(columns)
				if err != nil {
					return err
				}
				roles := options.Map.Roles(names)
				client, time := slices.Index(roles, "client"), slices.Index(roles, "time")
				if client < 0 || time < 0 {
					return fmt.Errorf("no column of %s is the client or none is the time; --map FILE states the meaning of columns", columns)
				}
				out, err := files.open("")
				if err != nil {
					return err
				}
				return finishJSON(files, out, map[string]string{"client": names[client]})
			}
			if output == "" {
				return errors.New("no output: give -o JOB")
			}
			if s.From == "" {
				return errors.New("no samples: give --from SAMPLES, a path or a table that Spark reads")
			}
			if s.To == "" {
				return errors.New("no output: give --to FLEET, a path that Spark writes")
			}
			s.Stages = fleet.StagesOf(judge.o.Method)
			ship := s.flags(cmd.Flags())
			if program == "" {
				if program, err = os.Executable(); err != nil {
					return err
				}
			}
			s.Program = filepath.Base(program)
			job, err := s.job()
			if err != nil {
				return err
			}
			to, err := files.open(output)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(to, job); err != nil {
				return err
			}
			out, err := files.open("")
			if err != nil {
				return err
			}
			line := []string{"spark-submit", "--files", strings.Join(append([]string{program}, ship...), ","), output}
			for i, w := range line {
				line[i] = shellWord(w)
			}
			if _, err := fmt.Fprintln(out, strings.Join(line, " ")); err != nil {
				return err
			}
			return files.commit()
		},
	}
	in.bind(cmd)
	judge.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&s.From, "from", "", "the samples are at `PATH`, or in the table of this name")
	parsedVar(flags, &s.Format, "from-format", "FORMAT", "the samples are "+strings.Join(jobFormats, ", ")+" (default parquet)", oneOf(jobFormats...))
	s.Format = "parquet"
	flags.StringVar(&s.To, "to", "", "the job writes the fleet to `PATH`")
	flags.StringVarP(&output, "output", "o", "", "write the job to `JOB`")
	flags.StringVar(&program, "program", "", "ship the diffprof at `PATH`, which must run on the workers (default this one)")
	flags.BoolVar(&layout, "layout", false, "print how the job reads --columns")
	flags.StringVar(&columns, "columns", "", "the `COLUMNS` of --layout")
	for _, hidden := range []string{"layout", "columns"} {
		_ = flags.MarkHidden(hidden)
	}
	complete(cmd, "from-format", jobFormats...)
	for _, f := range []string{"from", "to", "columns"} {
		complete(cmd, f)
	}
	return cmd
}

// flags sets the flags of the stages. It returns the paths of the files to copy to the machines.
func (s *jobSettings) flags(flags *pflag.FlagSet) (ship []string) {
	s.Judge, s.Input, s.Files = []string{}, []string{}, map[string]string{}
	flags.Visit(func(f *pflag.Flag) {
		switch list, several := f.Value.(pflag.SliceValue); {
		case f.Name == "map" || f.Name == "key":
			s.Files["--"+f.Name] = filepath.Base(f.Value.String())
			ship = append(ship, f.Value.String())
		case f.Name == "feature" && several:
			for _, v := range list.GetSlice() {
				s.Input = append(s.Input, "--feature", v)
			}
		case slices.Contains(judgeFlags, f.Name):
			s.Judge = append(s.Judge, "--"+f.Name, f.Value.String())
		}
	})
	return ship
}

// job returns the text of the job.
func (s *jobSettings) job() (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return strings.Replace(fleetJob, "@SETTINGS@", strconv.QuoteToASCII(string(text)), 1), nil
}

// finishJSON writes a value as JSON and finishes the output.
func finishJSON(files *outputs, out io.Writer, v any) error {
	if err := json.NewEncoder(out).Encode(v); err != nil {
		return err
	}
	return files.commit()
}
