package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/fleet/sums"
)

// newFleetSQL prints statements of Spark SQL. Its clause TRANSFORM runs a program on each partition;
// Hive has it too, and Flink in Hive's dialect.
func newFleetSQL(files *outputs) *cobra.Command {
	var judge fleetJudge
	var program, stage, state, output, columns, from string
	cmd := &cobra.Command{
		Use:   "sql --stage STAGE [flags]",
		Short: "Print Spark SQL that sums up a stage on a cluster",
		Long: `sql prints a statement of Spark SQL for one stage. It hands the samples of whole
clients to diffprof fleet partial on each machine, adds the sums up, and writes
them to a folder, whose files fleet merge reads. Run one stage after the other:

  fleet sql --stage apps > apps.sql       and run it with spark-sql -f apps.sql
  fleet merge -o state out/*              the sums so far
  fleet sql --stage joint --state state > joint.sql   and so on

The stages are apps, joint, scores, detail and trees, or for --method paper
prior, rates, detail and trees. The file with the state, the program and the
key must be at the same path on all machines.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			if stage == "" {
				return fmt.Errorf("--stage says what to sum up")
			}
			if program == "" {
				var err error
				if program, err = os.Executable(); err != nil {
					return err
				}
			}
			out, err := files.open("")
			if err != nil {
				return err
			}
			if err := printSQL(out, program, stage, state, output, columns, from, string(judge.o.Method)); err != nil {
				return err
			}
			return files.commit()
		},
	}
	judge.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&stage, "stage", "", "sum up what `STAGE` needs")
	flags.StringVar(&state, "state", "", "the sums of earlier stages are in `FILE`")
	flags.StringVar(&program, "program", "", "diffprof is at `PATH` on the machines (default where it is here)")
	flags.StringVar(&columns, "columns", defaultColumns, "the `COLUMNS` of the table")
	flags.StringVar(&from, "from", "parquet.`samples`", "the `TABLE` with the samples")
	flags.StringVarP(&output, "output", "o", "out", "write the sums to the folder `DIR`")
	complete(cmd, "stage", "apps", "joint", "scores", "prior", "rates", "detail", "trees")
	complete(cmd, "columns")
	complete(cmd, "from")
	return cmd
}

// printSQL prints the statement of a stage. Lists become texts, and tabs in texts blanks, since
// lines with tabs are what programs are handed.
func printSQL(w interface{ Write([]byte) (int, error) }, program, stage, state, output, columns, from, method string) error {
	var in, names []string
	var add []string
	for _, c := range strings.Split(columns, ",") {
		value := "CAST(" + c + " AS STRING)"
		if c == "apps" || c == "versions" {
			value = "array_join(" + c + ", ',')"
		}
		in = append(in, `regexp_replace(`+value+`, '[\t\n]', ' ') AS `+c)
		names = append(names, c)
	}
	sumTypes := []string{"key STRING"}
	for i := range sums.Width {
		sumTypes = append(sumTypes, fmt.Sprintf("s%d DECIMAL(38,0)", i))
		add = append(add, fmt.Sprintf("sum(s%d)", i))
	}
	command := fmt.Sprintf("%s fleet partial --method %s --stage %s --columns %s", program, method, stage, columns)
	if state != "" {
		command += " --state " + state
	}
	_, err := fmt.Fprintf(w, `INSERT OVERWRITE DIRECTORY '%s' USING csv OPTIONS (sep '\t', quote '', escape '')
SELECT key, %s FROM (
  SELECT TRANSFORM (%s)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
  USING '%s' AS (%s)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
  FROM (SELECT %s FROM %s DISTRIBUTE BY client SORT BY client, time)
) GROUP BY key;
`, output, strings.Join(add, ", "), strings.Join(names, ", "), command, strings.Join(sumTypes, ", "), strings.Join(in, ", "), from)
	return err
}
