package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// newFleetSQL builds the command that prints statements of Spark SQL. Their clause TRANSFORM runs a
// program on each partition. Hive has the same clause, and so does Flink in Hive's dialect.
func newFleetSQL(files *outputs) *cobra.Command {
	var s fleetStage
	var program, output, from string
	cmd := &cobra.Command{
		Use:   "sql --stage STAGE [flags]",
		Short: "Print Spark SQL that sums up a stage on a cluster",
		Long: `sql prints statements of Spark SQL for one stage. They run diffprof fleet partial
on each machine, and write the sums to a folder, which fleet merge reads. Run one
stage after the other:

  fleet sql --stage apps -o apps > apps.sql     and run it with spark-sql -f apps.sql
  fleet merge -o state1 apps                    the sums so far
  fleet sql --stage joint --state state1 -o joint > joint.sql         and so on

The stages are apps, joint, scores, detail and trees, or for --method paper
prior, rates, detail and trees. Give the flags of the method with the first
stage, and --key, --map, --feature and --columns with each. The program and the
files must have the same path on all machines.`,
		Example: `  diffprof fleet sql --stage apps --from 'parquet.` + "`" + `/data/samples` + "`" + `' -o /data/apps > apps.sql`,
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			// Check the flags here, because an invalid flag would fail on each machine.
			options, err := s.in.options(nil)
			if err != nil {
				return err
			}
			if program == "" {
				if program, err = os.Executable(); err != nil {
					return err
				}
			}
			command, err := transform(program, cmd.Flags())
			if err != nil {
				return err
			}
			columns, err := columnNames(s.columns)
			if err != nil {
				return err
			}
			roles := options.Map.Roles(columns)
			client, time := slices.Index(roles, "client"), slices.Index(roles, "time")
			if client < 0 || time < 0 {
				return fmt.Errorf("--columns %s: the client or the time is missing; --map FILE states the meaning of columns", s.columns)
			}
			out, err := files.open("")
			if err != nil {
				return err
			}
			if err := printSQL(out, command, output, from, columns, roles, client, time); err != nil {
				return err
			}
			return files.commit()
		},
	}
	s.bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&program, "program", "", "diffprof is at `PATH` on the machines (default its path on this machine)")
	flags.StringVar(&from, "from", "parquet.`samples`", "the `TABLE` with the samples")
	flags.StringVarP(&output, "output", "o", "out", "write the sums to the folder `DIR`")
	complete(cmd, "from")
	return cmd
}

// transform returns the command line that each machine runs, "diffprof fleet partial". It passes on
// the flags of sql, except those for sql itself. File paths become absolute, because machines run
// the command in other folders.
func transform(program string, flags *pflag.FlagSet) (string, error) {
	words := []string{program, "fleet", "partial"}
	var err error
	add := func(name, value string) {
		if slices.Contains([]string{"map", "key", "state"}, name) {
			var abs string
			if abs, err = filepath.Abs(value); err == nil {
				value = abs
			}
		}
		words = append(words, "--"+name, value)
	}
	flags.Visit(func(f *pflag.Flag) {
		switch list, several := f.Value.(pflag.SliceValue); {
		case slices.Contains([]string{"program", "from", "output"}, f.Name):
		case several:
			for _, v := range list.GetSlice() {
				add(f.Name, v)
			}
		default:
			add(f.Name, f.Value.String())
		}
	})
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " "), err
}

// shellWord quotes a word for a shell if necessary.
func shellWord(w string) string {
	if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !strings.ContainsRune(plainRunes, r) }) {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

// plainRunes have no special meaning in a shell.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%"

// quoted returns a text as an SQL string literal.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`).Replace(s) + "'"
}

// printSQL prints the statements of a stage. Times become text in UTC, and lists become text with
// separators. Tabs become spaces, because the program reads columns separated by tabs.
func printSQL(w io.Writer, command, output, from string, columns, roles []string, client, time int) error {
	var in, names, types, add []string
	for i, c := range columns {
		c = "`" + strings.ReplaceAll(c, "`", "``") + "`"
		value := "CAST(" + c + " AS STRING)"
		if roles[i] == "apps" || roles[i] == "versions" {
			mark := fmt.Sprintf(`'\u%04X'`, samples.ListMark[0])
			value = fmt.Sprintf("concat(%s, array_join(%s, %s, ''))", mark, c, mark)
		}
		names = append(names, fmt.Sprintf("c%d", i))
		in = append(in, fmt.Sprintf(`regexp_replace(%s, '[\\t\\n\\r]', ' ') AS c%d`, value, i))
	}
	for i := range sums.Width {
		types = append(types, fmt.Sprintf("s%d DECIMAL(38,0)", i))
		add = append(add, fmt.Sprintf("CAST(sum(s%d) AS STRING)", i))
	}
	_, err := fmt.Fprintf(w, `SET spark.sql.session.timeZone = UTC;
INSERT OVERWRITE DIRECTORY %s USING text
SELECT concat_ws('\t', key, %s) FROM (
  SELECT TRANSFORM (%s)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
  USING %s AS (key STRING, %s)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
  FROM (
    SELECT * FROM (
      SELECT %s
      FROM %s
    ) DISTRIBUTE BY c%d SORT BY c%d, c%d
  )
) GROUP BY key;
`, quoted(output), strings.Join(add, ", "), strings.Join(names, ", "), quoted(command), strings.Join(types, ", "),
		strings.Join(in, ",\n        "), from, client, client, time)
	return err
}
