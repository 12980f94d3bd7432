package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/settings"
)

// flaskFlags are the flags of diffprof flask.
type flaskFlags struct {
	project
	format, output, color string
	task                  string
	// rows is how many rows to show, negative for as many as suit.
	rows int
}

// treeShare is the share of energy that a branch of a tree needs to be shown, unless
// told.
const treeShare = 0.01

// rowsInText is how many rows text shows unless told.
const rowsInText = 60

func newFlask(files *outputs) *cobra.Command {
	f := flaskFlags{task: "1", rows: -1}
	cmd := &cobra.Command{
		Use:   "flask [flags] [SUBJECT [REFERENCE]]",
		Short: "Show what a task calls in the subject and in the reference, side by side",
		Long: `flask shows the two call trees of a task side by side: the subject's to the left,
the reference's to the right, and methods that the comparison paired on the same
row. It says which part of the tree most of the difference comes from.

--task takes a task's number in the table of compare, its id in compare's JSON, or
"run" for both runs as a whole.`,
		Example: `  # Why the first task of the table is dearer
  diffprof flask new.trace old.trace

  # The third, with every branch
  diffprof flask --task 3 --min-share 0 --rows 0 new.trace old.trace

  # For a pull request
  diffprof flask --task 2 --format markdown new.trace old.trace`,
		Args: atMost("SUBJECT", "REFERENCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.loadPair(cmd, args); err != nil {
				return err
			}
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: fileArgs(2),
	}
	f.bind(cmd)
	bindOutput(cmd, &f.format, &f.output, "markdown")
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.task, "task", "TASK", "show the task with this number or id, or run for all (default 1)", parseTask)
		parsedVar(flags, &f.rows, "rows", "N",
			"show the N heaviest rows; 0 is all (default 60 in text, all in json)", parseCount)
	})
	bindColor(cmd, &f.color)
	complete(cmd, "task", "run")
	complete(cmd, "rows")
	return cmd
}

var taskID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// parseTask takes a number from 1 up, an id, or run.
func parseTask(s string) (string, error) {
	if n, err := strconv.ParseInt(s, 10, 32); s != "run" && !taskID.MatchString(s) && (err != nil || n < 1) {
		return "", errors.New("use a task's number in the table of compare, its id of 16 digits in compare's JSON, or run")
	}
	return s, nil
}

// find returns the index of the task asked for.
func (f *flaskFlags) find(r *analysis.Result) (int, error) {
	switch {
	case f.task == "run":
		return analysis.WholeRun, nil
	case taskID.MatchString(f.task):
		for i := range r.Tasks {
			if finding.ID(r, i) == f.task {
				return i, nil
			}
		}
		return 0, fmt.Errorf("--task %s: the comparison has no task with this id; compare --format json lists them", f.task)
	}
	n, err := strconv.Atoi(f.task)
	if err != nil || n > len(r.Tasks) {
		return 0, fmt.Errorf("--task %s: the comparison has %d tasks; compare lists them", f.task, len(r.Tasks))
	}
	return n - 1, nil
}

func (f *flaskFlags) run(ctx context.Context, files *outputs) error {
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	result, err := f.compare(ctx)
	if err != nil {
		return err
	}
	if !taskID.MatchString(f.task) {
		// Numbers are those of the table, which lists no ignored tasks.
		result, _ = f.without(result)
	}
	task, err := f.find(result)
	if err != nil {
		return err
	}
	switch f.format {
	case "json":
		err = report.NewFlask(result, result.Flask(task, f.pruned(0))).WriteJSON(write)
	case "markdown":
		if task == analysis.WholeRun {
			return errors.New("--format markdown shows single tasks; name one with --task")
		}
		err = markdown.Flask(write, result, task, markdown.Options{Unit: f.Unit})
	default:
		err = f.writeText(write, result, task, files)
	}
	return finish(files, write, err)
}

// pruned is what to leave out, with a number of rows for where none was asked for.
func (f *flaskFlags) pruned(rows int) analysis.Prune {
	if f.rows >= 0 {
		rows = f.rows
	}
	return analysis.Prune{MinShare: f.MinShareOr(treeShare), MaxRows: rows}
}

func (f *flaskFlags) writeText(write *bufio.Writer, r *analysis.Result, task int, files *outputs) error {
	p := f.pruned(rowsInText)
	if p.MaxRows > 0 {
		// The path has a line of its own.
		p.MaxRows += int(r.Flask(task, analysis.Prune{MaxRows: 1}).F)
	}
	made := report.NewFlask(r, r.Flask(task, p))
	o := textOptions(&f.Settings, f.color, files.stdout, f.output == "")
	whole := *r
	if task == analysis.WholeRun {
		whole.Tasks = nil
		return text.Flasks(write, report.New(&whole, toolVersion(), 0), nil, made, "", o)
	}
	whole.Tasks = r.Tasks[task : task+1]
	one := report.New(&whole, toolVersion(), 0)
	return text.Flasks(write, one, &one.Tasks[0], made, words.Why(&r.Tasks[task], r.Explain(task), nil), o)
}

// compare does the work, with a progress bar if somebody watches.
func (f *flaskFlags) compare(ctx context.Context) (*analysis.Result, error) {
	defer showProgress(&f.Options)()
	return analysis.Compare(ctx, f.Options)
}
