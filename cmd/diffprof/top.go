package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// topFlags are the flags of diffprof top.
type topFlags struct {
	project
	format, output, color string
	sort, group, method   string
	packages              packageFilter
}

func newTop(files *outputs) *cobra.Command {
	f := topFlags{sort: report.BySelf, group: string(finding.EachMethod)}
	cmd := &cobra.Command{
		Use:   "top [flags] [SUBJECT [REFERENCE]]",
		Short: "List methods by energy, of one trace or two",
		Long: `top lists the methods of a trace by energy over all call paths: the method itself
(self) and with callees (all). For two traces it lists both with the difference,
and matches methods by name alone. For repeated runs it shows the mean.

--group adds methods up. --method shows one method with its callers and callees.
Overloads count as one method unless the name has a descriptor.`,
		Example: `  # Which methods use most
  diffprof top app.trace

  # Which methods of the new version use more than in the old one
  diffprof top --sort saving new.trace old.trace

  # Whose code the energy goes to
  diffprof top --group library new.trace old.trace

  # Who calls View.invalidate, and what it calls
  diffprof top --method View.invalidate new.trace old.trace`,
		Args: atMost("SUBJECT", "REFERENCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			two, err := f.loadInputs(cmd, args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), files, two)
		},
		ValidArgsFunction: fileArgs(2),
	}
	f.bindPair(cmd)
	bindOutput(cmd, &f.format, &f.output, report.ByMethod)
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.sort, "sort", "ORDER",
			"sort methods by self (without callees), all (with callees) or saving (the difference of self) (default self)",
			oneOf(report.BySelf, report.ByAll, report.BySaving))
		parsedVar(flags, &f.group, "group", "WHAT",
			"add methods up by "+strings.Join(finding.Grains(), ", ")+" (default method)", oneOf(finding.Grains()...))
		parsedVar(flags, &f.method, "method", "METHOD",
			"show `METHOD`, such as TextView.setText, with its callers and callees", methodName)
	})
	f.packages.bind(cmd, "list methods of `PACKAGE` alone: com.mine, com.mine.* or @kotlin; repeatable")
	bindColor(cmd, &f.color)
	complete(cmd, "group", finding.Grains()...)
	complete(cmd, "sort", report.BySelf, report.ByAll, report.BySaving)
	complete(cmd, "method")
	return cmd
}

// loadInputs sets the settings for one recording or a pair. two is true for a pair. Without
// arguments and flags, the project file names the pair.
func (f *topFlags) loadInputs(cmd *cobra.Command, args []string) (two bool, err error) {
	subjects := append(slices.Clone(f.subjects), args...)
	if len(f.references) > 0 || len(args) > 1 || len(args) > 0 && len(f.subjects) > 0 || len(subjects) == 0 {
		return true, f.loadPair(cmd, args)
	}
	if err := f.loadOne(subjects[0]); err != nil {
		return false, err
	}
	f.Subject.Repeats = subjects[1:]
	return false, nil
}

// methodName returns s, or an error if s is empty.
func methodName(s string) (string, error) {
	if s == "" {
		return "", fmt.Errorf("name a method, such as TextView.setText")
	}
	return s, nil
}

func (f *topFlags) run(ctx context.Context, files *outputs, two bool) error {
	if f.sort == report.BySaving && !two {
		return fmt.Errorf("--sort saving needs a REFERENCE")
	}
	if f.method != "" && f.group != string(finding.EachMethod) {
		return fmt.Errorf("--method shows one method: it does not go with --group %s", f.group)
	}
	if f.packages.set != nil && !finding.Grain(f.group).InPackages() {
		return fmt.Errorf("--package lists methods, classes or packages: it does not go with --group %s", f.group)
	}
	f.Lines = f.group == string(finding.EachLine)
	out, err := files.open(f.output, f.inputs()...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	r, err := f.read(ctx, two)
	if err != nil {
		return err
	}
	inputs := []*analysis.Input{&r.Subject}
	if two {
		inputs = append(inputs, &r.Reference)
	}
	table := finding.ByGrain(finding.Grain(f.group), inputs...)
	renderer, _ := render.Find(report.ByMethod, f.format)
	show := report.TopOptions{Sort: f.sort, Grain: finding.Grain(f.group), Keep: f.packages.keep(finding.Grain(f.group), f.OwnOnly), Rows: f.TopOr(renderer.Top), Method: -1}
	if f.method != "" {
		if table, show.Method, err = oneMethod(table, f.method, inputs); err != nil {
			return err
		}
	}
	made := report.NewTop(table, inputs, toolVersion(), show)
	made.NoteInputs(r.Comparability, r.Warnings)
	err = renderer.Render(write, &report.Document{View: report.ByMethod, Top: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}

// read reads one or two recordings.
func (f *topFlags) read(ctx context.Context, two bool) (*analysis.Result, error) {
	defer showProgress(&f.Options)()
	if two {
		return analysis.Runs(ctx, f.Options)
	}
	in, err := analysis.Read(ctx, f.Options)
	if err != nil {
		return nil, err
	}
	return &analysis.Result{Subject: *in, Warnings: in.Trace.Warnings, Voltage: f.Voltage}, nil
}

// oneMethod finds the method that the user named. If several overloads have the name, it returns a
// table with one row for all of them. The int is the row's index.
func oneMethod(table *finding.MethodTable, text string, inputs []*analysis.Input) (*finding.MethodTable, int, error) {
	const most = 5
	found := table.Find(text)
	switch {
	case len(found) == 0:
		return nil, 0, fmt.Errorf("--method %q: no method that ran has this name; top --top 0 lists all", text)
	case len(found) == 1:
		return table, found[0], nil
	}
	if together, row, ok := table.Merged(found, inputs...); ok {
		return together, row, nil
	}
	var labels []string
	for _, i := range found[:min(most, len(found))] {
		labels = append(labels, table.Methods[i].Method.Label())
	}
	if more := len(found) - len(labels); more > 0 {
		labels = append(labels, fmt.Sprintf("%d more", more))
	}
	return nil, 0, fmt.Errorf("--method %q: %d methods have this name: %s; name one of them", text, len(found), strings.Join(labels, ", "))
}
