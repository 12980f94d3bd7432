package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/truth/app"
	"github.com/diffprof/diffprof/tools/truth/change"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/tools/truth/score"
)

// Seeds below fitting are for fitting weights. Seeds from firstScoring are for scoring.
const (
	fitting      = 10
	firstScoring = 100
)

// A source is a run to rewrite, and a run of another app, from which tasks are taken.
type source struct {
	name        string
	seed        uint64
	base, other *run.Run
}

// sizes are the sizes of the generated apps in contexts, used in turn.
var sizes = []int{600, 2000, 6000, 15000}

// generated returns generated apps with consecutive seeds, beginning with first.
func generated(first uint64, count int) []source {
	var out []source
	for i := range count {
		seed, size := first+uint64(i), sizes[i%len(sizes)]
		out = append(out, source{fmt.Sprintf("app %d, %d contexts", seed, size), seed, app.Generate(seed, size), app.Generate(seed+1000, size)})
	}
	return out
}

// minTasks is the smallest number of true tasks of a real trace that is measured. In a smaller
// trace, one task would dominate the results.
const minTasks = 30

// recorded returns the runs in a folder of ART traces that have enough tasks. The other app of each
// run is the next run. It skips files that are not ART traces.
func recorded(ctx context.Context, folder string, seed uint64) ([]source, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, err
	}
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		return nil, err
	}
	var out []source
	for _, entry := range entries {
		f, err := ingest.Open(ctx, filepath.Join(folder, entry.Name()), ingest.Options{})
		if err != nil {
			continue
		}
		base, err := run.Read(ctx, f, known)
		f.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		var numbers run.Numbers
		numbers.Assign(base)
		if len(base.Tasks()) >= minTasks {
			out = append(out, source{name: entry.Name(), seed: seed + uint64(len(out)), base: base})
		}
	}
	for i := range out {
		out[i].other = out[(i+1)%len(out)].base
	}
	return out, nil
}

// A result is the score of a method for a pair.
type result struct {
	source   string
	kind     string
	strength int
	seed     uint64
	method   string
	score    *score.Score
}

// compareAll runs all methods on all pairs of the sources: each kind at each strength. It processes
// one source at a time, and calls progress with its name.
func compareAll(ctx context.Context, sources []source, kinds []change.Kind, methods []score.Method, progress func(string)) ([]result, error) {
	var results []result
	for _, s := range sources {
		progress(s.name)
		err := s.each(kinds, func(c change.Case, p *score.Pair) error {
			for _, m := range methods {
				claims, err := m.Compare(ctx, p)
				if err != nil {
					return fmt.Errorf("%s, %s %d, %s: %w", s.name, c.Kind.Name, c.Strength, m.Name, err)
				}
				results = append(results, result{s.name, c.Kind.Name, c.Strength, c.Seed, m.Name, p.Score(claims)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// each calls visit for the pairs of a source.
func (s *source) each(kinds []change.Kind, visit func(change.Case, *score.Pair) error) error {
	base, other := s.base.Clone(), s.other.Clone()
	var numbers run.Numbers
	numbers.Assign(base)
	numbers.Assign(other)
	for _, kind := range kinds {
		for strength := 1; strength <= change.Strengths; strength++ {
			c := change.Case{Kind: kind, Strength: strength, Seed: s.seed}
			if err := visit(c, score.NewPair(c.Pair(base, other, &numbers))); err != nil {
				return err
			}
		}
	}
	return nil
}
