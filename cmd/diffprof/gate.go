package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/units"
)

// gates are the values of the flag --fail-on.
type gates []finding.Gate

// measure reports whether any condition has the given measure, such as saving.
func (l gates) measure(what string) bool {
	return slices.ContainsFunc(l, func(g finding.Gate) bool { return g.Measures(what) })
}

// A passedError means that a condition of --fail-on holds. The report was still written.
type passedError struct{ message string }

// Error implements error.
func (e *passedError) Error() string { return e.message }

// gateUsage is the help of the flag for comparisons.
const gateUsage = "exit with code 1 if `CONDITION` is true: saving>5% (possible saving), row>5% (saving of one row), unmatched>2mJ (tasks only in the subject), wasted>5% (waste of components), total>+3% (growth), evidence (repeated runs show a growth), fleet-hog (a hog in --fleet); combine with and, or; repeatable: one is enough"

// bind adds the flag with this help.
func (l *gates) bind(cmd *cobra.Command, usage string) {
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, l, "fail-on", "CONDITION",
			usage,
			func(text string) (gates, error) {
				gate, err := finding.ParseGate(text)
				return append(*l, gate), err
			})
	})
	words := []string{finding.Evidence, finding.FleetHog, finding.FleetHog + ":"}
	for _, m := range finding.Measures() {
		words = append(words, m+">")
	}
	complete(cmd, "fail-on", words...)
}

// bindRun adds the flag for single runs.
func (l *gates) bindRun(cmd *cobra.Command) {
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsedVar(flags, l, "fail-on", "CONDITION",
			"exit with code 1 if `CONDITION` is true: wasted>5% or wasted>2mJ (waste of components); repeatable: one is enough",
			func(text string) (gates, error) {
				gate, err := finding.ParseRunGate(text)
				return append(*l, gate), err
			})
	})
	var words []string
	for _, m := range finding.RunMeasures() {
		words = append(words, m+">")
	}
	complete(cmd, "fail-on", words...)
}

// checkRun returns a passedError if one of the gates holds for a run.
func (l *gates) checkRun(in *analysis.Input, v units.Voltage) error {
	gate := finding.Join(*l...)
	fired, err := gate.MetBy(in, v)
	switch {
	case err != nil:
		return fmt.Errorf("--fail-on %w", err)
	case fired != nil:
		return &passedError{"--fail-on: " + words.RunGateFailure(gate, fired, v)}
	}
	return nil
}

// check returns a passedError if one of the gates holds for a comparison.
func (l *gates) check(set *finding.Set) error {
	gate := finding.Join(*l...)
	fired, err := gate.Met(set)
	switch {
	case err != nil:
		return fmt.Errorf("--fail-on %w", err)
	case fired != nil:
		return &passedError{"--fail-on: " + words.GateFailure(set, gate, fired)}
	}
	return nil
}
