package analysis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest"
)

// expand replaces the names of runs by the recordings that they stand for: a pattern by the
// files that fit it, a folder of repeated runs by its runs. A file of the name comes before
// the files that it fits as a pattern. Runs that several names stand for count once.
func (o *Options) expand(ctx context.Context) error {
	for _, of := range []struct {
		first *string
		more  *[]string
	}{{&o.Subject, &o.RepeatsSubject}, {&o.Reference, &o.RepeatsReference}} {
		if *of.first == "" {
			continue
		}
		var runs []string
		for _, name := range append([]string{*of.first}, *of.more...) {
			found, err := runsOf(ctx, name)
			if err != nil {
				return err
			}
			for _, path := range found {
				if !slices.Contains(runs, path) {
					runs = append(runs, path)
				}
			}
		}
		*of.first, *of.more = runs[0], runs[1:]
	}
	return nil
}

// runsOf are what a name stands for, one or more.
func runsOf(ctx context.Context, name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case name == ingest.Stdin:
		return []string{name}, nil
	case err == nil && info.IsDir():
		return ingest.Runs(ctx, name)
	case err == nil || !strings.ContainsAny(name, "*?["):
		return []string{name}, nil
	}
	found, err := filepath.Glob(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w; write * for any text, ? for a character and [a-z] for one of some", name, err)
	case len(found) == 0:
		return nil, fmt.Errorf("%s: no file fits the pattern", name)
	}
	return found, nil
}
