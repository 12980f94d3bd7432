package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// doctorFlags are the flags of diffprof doctor.
type doctorFlags struct {
	project
	gates          gates
	baseline       string
	format, output string
}

func newDoctor(files *outputs) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor [flags] [SUBJECT [REFERENCE]]",
		Short: "Check whether a gate for builds can work",
		Long: `doctor checks the gate of a build. Give it the flags that the build gives to
compare. It lists conditions of --fail-on that cannot be judged, that never or
always hold, or that noise alone fulfils. It also lists entries of the baseline
and of ignore that match nothing, and the smallest growth that these runs show.

The exit code is 1 if the gate cannot work, and 0 if there are only cautions.`,
		Example: `  diffprof doctor --fail-on 'total>+3% and evidence' --subject 'new/*.trace' --reference 'old/*.trace'

  # With the baseline of the build
  diffprof doctor --baseline energy.json --fail-on 'row>1%' new.trace old.trace`,
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
	f.gates.bind(cmd, "check `CONDITION`, as the build gives it to compare; repeatable")
	bindBaseline(cmd, &f.baseline)
	bindOutput(cmd, &f.format, &f.output, report.Diagnosis)
	return cmd
}

func (f *doctorFlags) run(ctx context.Context, files *outputs) error {
	known, err := readBaseline(f.baseline)
	if err != nil {
		return err
	}
	out, err := files.open(f.output, append(f.inputs(), f.baseline)...)
	if err != nil {
		return err
	}
	f.Bundles = f.PowerModel != ""
	result, err := f.compare(ctx)
	if err != nil {
		return err
	}
	whole, err := f.judged(result)
	if err != nil {
		return err
	}
	set, noteKnown := known.without(whole)
	set, _ = f.listed(set)
	found := report.Troubles(finding.Join(f.gates...), set)
	var notes report.Report
	noteKnown(&notes)
	for _, n := range notes.Warnings {
		switch n.Code {
		case "known-gone", "old-baseline", "worse-than-known":
			found = append(found, report.Trouble{Code: n.Code, Message: n.Message})
		}
	}
	found = append(found, f.unused(whole)...)
	if len(f.Sources) == 0 {
		found = append(found, report.Trouble{Code: report.NoSource, Message: "no --source is given, so annotations and code scanning have no lines"})
	}
	shows, troubles := f.historyTroubles(ctx)
	found = append(found, troubles...)
	wrong := 0
	for _, t := range found {
		if t.Wrong {
			wrong++
		}
	}
	write := bufio.NewWriter(out)
	renderer, _ := render.Find(report.Diagnosis, f.format)
	d := &report.Document{View: report.Diagnosis, Doctor: report.NewDoctor(whole, toolVersion(), found, shows)}
	if err := finish(files, write, renderer.Render(write, d, renderOptions(&f.Settings, "never", files.stdout, f.output == ""))); err != nil {
		return err
	}
	if wrong > 0 {
		return &passedError{fmt.Sprintf("doctor: %s", map[bool]string{true: "1 thing is wrong", false: fmt.Sprintf("%d things are wrong", wrong)}[wrong == 1])}
	}
	return nil
}

// historyTroubles checks the history of the project, if there is one.
func (f *doctorFlags) historyTroubles(ctx context.Context) ([]report.HistorySensitivity, []report.Trouble) {
	if _, err := os.Stat(f.History); errors.Is(err, fs.ErrNotExist) && f.Settings.History == history.Path(".") {
		return nil, nil
	}
	entries, err := func() ([]history.Entry, error) {
		store, err := history.Open(ctx, f.History)
		if err != nil {
			return nil, err
		}
		defer store.Close()
		return store.List(ctx, history.Filter{})
	}()
	if err != nil {
		return nil, []report.Trouble{{Code: report.HistoryUnreadable, Wrong: true, Message: err.Error()}}
	}
	return report.HistoryTroubles(entries)
}

// unused lists the entries of the setting ignore that match nothing in a comparison.
func (f *doctorFlags) unused(set *finding.Set) []report.Trouble {
	var found []report.Trouble
	for i, g := range f.Ignore {
		one := settings.Settings{Ignore: []settings.Ignore{g}}
		rule := func(id, method string, above iter.Seq[string]) bool { return one.Ignored(id, method, above) != nil }
		if _, fewer := set.Without(rule); fewer == (finding.Removed{}) {
			what := strings.TrimSpace(g.Task + " " + g.ID)
			if g.Path != "" {
				what += " under " + g.Path
			}
			found = append(found, report.Trouble{Code: report.IgnoreUnused, Message: fmt.Sprintf("entry %d of ignore in %s matches nothing in these runs: %s", i+1, f.path, what)})
		}
	}
	return found
}
