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

// expand replaces the names of runs in the options by the recordings that Expand returns.
func (o *Options) expand(ctx context.Context) error {
	for _, side := range []*Side{&o.Subject, &o.Reference} {
		if side.Path == "" {
			continue
		}
		runs, err := Expand(ctx, append([]string{side.Path}, side.Repeats...)...)
		if err != nil {
			return err
		}
		side.Path, side.Repeats = runs[0], runs[1:]
	}
	return nil
}

// Expand returns the recordings that names refer to, each once. A pattern refers to the files that
// match it, and a folder of repeated runs to its runs. A pattern that is itself the name of an
// existing file refers to this file. Each name must refer to at least one recording.
func Expand(ctx context.Context, names ...string) ([]string, error) {
	var runs []string
	for _, name := range names {
		found, err := runsOf(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			if !slices.Contains(runs, path) {
				runs = append(runs, path)
			}
		}
	}
	return runs, nil
}

// runsOf returns the recordings that one name refers to, at least one.
func runsOf(ctx context.Context, name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case name == ingest.Stdin, NamesStored(name):
		return []string{name}, nil
	case err == nil && info.IsDir():
		return ingest.Runs(ctx, name)
	case err == nil || !strings.ContainsAny(name, "*?["):
		return []string{name}, nil
	}
	found, err := filepath.Glob(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w; write * for any text, ? for one character and [a-z] for one of a range", name, err)
	case len(found) == 0:
		return nil, fmt.Errorf("%s: no file matches the pattern", name)
	}
	return found, nil
}
