package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// parsed is the value of a flag that a function reads.
type parsed[T any] struct {
	to    *T
	kind  string
	parse func(string) (T, error)
	text  string
}

// String returns what was given last; nothing at first, so that help texts state
// defaults in words.
func (p *parsed[T]) String() string { return p.text }

// Type names the value in help texts.
func (p *parsed[T]) Type() string { return p.kind }

// Set reads a value.
func (p *parsed[T]) Set(s string) error {
	v, err := p.parse(s)
	if err != nil {
		return err
	}
	*p.to, p.text = v, s
	return nil
}

// parsedVar adds a flag whose value parse reads into to, which holds the default.
func parsedVar[T any](flags *pflag.FlagSet, to *T, name, kind, usage string, parse func(string) (T, error)) {
	flags.Var(&parsed[T]{to: to, kind: kind, parse: parse}, name, usage)
}

// oneOf reads one of a few words.
func oneOf(words ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("use one of %s", strings.Join(words, ", "))
		}
		return s, nil
	}
}

// complete offers words for a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	mark(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// parseCount reads a whole number from 0 up.
func parseCount(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return 0, errors.New("use a whole number from 0 up")
	}
	return int(n), nil
}
