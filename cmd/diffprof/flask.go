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
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// flaskFlags are the flags of diffprof flask.
type flaskFlags struct {
	project
	format, output, color string
	task                  string
	// rows is the number of rows to show. A negative number means the default.
	rows   int
	filter filterFlags
}

// treeShare is the default of --min-share. Smaller branches are not shown.
const treeShare = 0.01

func newFlask(files *outputs) *cobra.Command {
	f := flaskFlags{task: "1", rows: -1}
	cmd := &cobra.Command{
		Use:   "flask [flags] [SUBJECT [REFERENCE]]",
		Short: "Show the call trees of a task side by side",
		Long: `flask shows the two call trees of a task side by side, with matched methods in the
same row, and marks the branch that explains most of the difference.

--task takes the number of a row of compare, an id from compare's JSON, or "run"
for both runs as a whole.`,
		Example: `  # Why the first task of the table costs more
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
	f.bindPair(cmd)
	bindOutput(cmd, &f.format, &f.output, report.OneTask, report.WholeRun)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.task, "task", "TASK", "show the task with this number or id, or run for all (default 1)", parseTask)
		parsedVar(flags, &f.rows, "rows", "N",
			"show the N heaviest rows; 0 is all (default 60 in text, all in json)", parseCount)
	})
	f.filter.bind(cmd)
	bindColor(cmd, &f.color)
	complete(cmd, "task", "run")
	complete(cmd, "rows")
	return cmd
}

var taskID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// parseTask checks the name of a task: a number from 1, an id, or run.
func parseTask(s string) (string, error) {
	if n, err := strconv.ParseInt(s, 10, 32); s != "run" && !taskID.MatchString(s) && (err != nil || n < 1) {
		return "", errors.New("use a task's number in the table of compare, its id of 16 digits in compare's JSON, or run")
	}
	return s, nil
}

// find returns the index of the requested task.
func (f *flaskFlags) find(set *finding.Set) (int, error) {
	switch {
	case f.task == "run":
		return analysis.WholeRun, nil
	case taskID.MatchString(f.task):
		if at, ok := set.Find(f.task); ok && !at.Code {
			return at.Index, nil
		}
		return 0, fmt.Errorf("--task %s: the comparison has no task with this id; compare --format json lists them", f.task)
	}
	n, err := strconv.Atoi(f.task)
	if err != nil || n > len(set.Result.Tasks) {
		return 0, fmt.Errorf("--task %s: the comparison has %d tasks; compare lists them", f.task, len(set.Result.Tasks))
	}
	return n - 1, nil
}

func (f *flaskFlags) run(ctx context.Context, files *outputs) error {
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	f.SliceTasks = true
	result, err := f.compare(ctx)
	if err != nil {
		return err
	}
	set, err := f.judged(result)
	if err != nil {
		return err
	}
	if !taskID.MatchString(f.task) {
		// diffprof compare with the same flags prints the same numbers of tasks.
		set, _ = f.listed(set)
		set, _ = f.filter.only(set)
	}
	task, err := f.find(set)
	if err != nil {
		return err
	}
	view := report.OneTask
	if task == analysis.WholeRun {
		view = report.WholeRun
	}
	renderer, ok := render.Find(view, f.format)
	if !ok {
		return fmt.Errorf("--format %s shows single tasks; name one with --task", f.format)
	}
	d := report.NewFlasks(set, toolVersion(), task, f.pruned(renderer, set.Result, task))
	return finish(files, write, renderer.Render(write, d, renderOptions(&f.Settings, f.color, files.stdout, f.output == "")))
}

// pruned returns the limits for the rows of the flask (the call tree of the task).
func (f *flaskFlags) pruned(renderer render.Renderer, r *analysis.Result, task int) analysis.Prune {
	p := analysis.Prune{MinShare: f.MinShareOr(treeShare), MaxRows: renderer.Rows}
	if f.rows >= 0 {
		p.MaxRows = f.rows
	}
	if p.MaxRows > 0 && renderer.RowsExcludePath {
		p.MaxRows += int(r.Flask(task, analysis.Prune{MaxRows: 1}).F)
	}
	return p
}
