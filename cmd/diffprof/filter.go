package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// A packageFilter is the flag --package.
type packageFilter struct {
	names []string
	// set has the packages. nil means all packages.
	set *platform.Packages
}

// bind adds the flag.
func (f *packageFilter) bind(cmd *cobra.Command, usage string) {
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.set, "package", "PACKAGE", usage, func(text string) (*platform.Packages, error) {
			set, err := platform.NewPackages(append(slices.Clone(f.names), text))
			if err == nil {
				f.names = append(f.names, text)
			}
			return set, err
		})
	})
	complete(cmd, "package", platform.Groups()...)
}

// keep returns the filter for the rows of a table. If ownOnly is set, it keeps only the app's own
// code. Rows of threads and processes have no owner, so ownOnly does not affect them.
func (f *packageFilter) keep(grain finding.Grain, ownOnly bool) func(*finding.MethodUse) bool {
	ownOnly = ownOnly && grain != finding.EachThread && grain != finding.EachProcess
	return func(row *finding.MethodUse) bool {
		return (!ownOnly || row.Own) && (f.set == nil || f.set.Has(row.Method))
	}
}

// filterFlags are the flags that select which rows of a comparison are listed.
type filterFlags struct {
	packages packageFilter
	threads  []string
	kinds    []finding.Kind
}

// bind adds the flags.
func (f *filterFlags) bind(cmd *cobra.Command) {
	f.packages.bind(cmd, "list code of `PACKAGE` and tasks that it calls: com.mine, com.mine.* or @kotlin; repeatable")
	var kinds []string
	for _, k := range finding.Kinds() {
		kinds = append(kinds, string(k))
	}
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.threads, "thread", "NAME", "list what ran on threads with `NAME` in their names; repeatable",
			func(text string) ([]string, error) {
				if text == "" {
					return nil, errors.New("name a thread, or a part of its name")
				}
				return append(f.threads, text), nil
			})
		parsedVar(flags, &f.kinds, "kind", "LIST", "list these kinds of rows, any of "+strings.Join(kinds, ","),
			func(text string) (list []finding.Kind, err error) {
				for _, word := range strings.Split(text, ",") {
					kind, ok := finding.FindKind(strings.TrimSpace(word))
					if !ok {
						return nil, fmt.Errorf("use any of %s", strings.Join(kinds, ","))
					}
					list = append(list, kind)
				}
				return list, nil
			})
	})
	complete(cmd, "thread")
	complete(cmd, "kind", kinds...)
}

// only removes the rows that the flags do not select. The returned function notes in the report how
// many rows were removed.
func (f *filterFlags) only(set *finding.Set) (*finding.Set, func(*report.Report)) {
	if f.packages.set == nil && f.threads == nil && f.kinds == nil {
		return set, func(*report.Report) {}
	}
	filter := finding.Filter{Packages: f.packages.set, Threads: f.threads, Kinds: f.kinds}
	left, fewer := set.Filtered(&filter)
	var by []string
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--package", f.packages.set != nil}, {"--thread", f.threads != nil}, {"--kind", f.kinds != nil}} {
		if flag.given {
			by = append(by, flag.name)
		}
	}
	return left, func(made *report.Report) { made.NoteFiltered(fewer.Tasks, fewer.Code, strings.Join(by, " and ")) }
}
