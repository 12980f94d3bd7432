package main

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/internal/nearest"
)

// A parsed is a flag value that the function parse reads from text.
type parsed[T any] struct {
	to    *T
	kind  string
	parse func(string) (T, error)
	text  string
}

// String returns the text that was last given. It does not return the default, because help
// describes it in words.
func (p *parsed[T]) String() string { return p.text }

// Type names the value in help texts.
func (p *parsed[T]) Type() string { return p.kind }

// Set parses a text and sets the value.
func (p *parsed[T]) Set(s string) error {
	v, err := p.parse(s)
	if err != nil {
		return err
	}
	*p.to, p.text = v, s
	return nil
}

// parsedVar adds a flag. Its value is parsed by parse and stored in to, whose initial value is the
// default.
func parsedVar[T any](flags *pflag.FlagSet, to *T, name, kind, usage string, parse func(string) (T, error)) {
	flags.Var(&parsed[T]{to: to, kind: kind, parse: parse}, name, usage)
}

// oneOf returns a parser that accepts only the given words.
func oneOf(words ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", errors.New(nearest.Choice(s, words))
		}
		return s, nil
	}
}

// fileName returns s, or an error if s is empty.
func fileName(s string) (string, error) {
	if s == "" {
		return "", errors.New("name a file, or - for the standard output")
	}
	return s, nil
}

// complete sets the words that shells offer as the value of a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	completeWith(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeWith sets the function that completes a flag's value.
func completeWith(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	// It fails only for an unknown flag and for a second function. TestFlagsComplete finds flags
	// without a function.
	_ = cmd.RegisterFlagCompletionFunc(flag, complete)
}

// parseCount reads an integer of at least 0.
func parseCount(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return 0, errors.New("use a whole number from 0 up")
	}
	return int(n), nil
}
