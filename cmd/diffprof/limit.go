package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/settings"
)

// A limits is the flag --fail-on.
type limits []finding.Limit

// A passedError says that a comparison, which is written, came to more than a limit allows.
type passedError struct{ said string }

// Error implements error.
func (e *passedError) Error() string { return e.said }

// bind adds the flag.
func (l *limits) bind(cmd *cobra.Command) {
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, l, "fail-on", "LIMIT",
			"end with code 1 if a share is above `LIMIT`: saving:5% (what could be saved, of the subject's energy), row:5% (in one row) or growth:5% (how much more the subject drains than the reference); repeatable",
			func(text string) (limits, error) {
				limit, err := finding.ParseLimit(text)
				return append(*l, limit), err
			})
	})
	var measures []string
	for _, m := range finding.Measures() {
		measures = append(measures, m+":")
	}
	complete(cmd, "fail-on", measures...)
}

// check returns a passedError for the first limit that a result passes.
func (l *limits) check(r *analysis.Result) error {
	for _, limit := range *l {
		share, err := limit.Reached(r)
		if err != nil {
			return fmt.Errorf("--fail-on %s: %w", limit.Measure, err)
		}
		if share > limit.Share {
			return &passedError{"--fail-on: " + words.Passed(limit, share)}
		}
	}
	return nil
}
