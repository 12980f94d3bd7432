package analysis

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/units"
)

// TestLinesOfPprof compares the lines of real pprof files with sums over the samples as the pprof
// package reads them: the values of each line as the innermost frame, and of each line on the stack.
func TestLinesOfPprof(t *testing.T) {
	files, _ := filepath.Glob("../../shared/data/pprof/*")
	if len(files) == 0 {
		t.Skip("../shared/data/pprof is not here")
	}
	compared := 0
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(f)
		f.Close()
		if err != nil || p.CheckValid() != nil {
			continue
		}
		in, err := ReadFile(t.Context(), Options{Subject: Side{Path: path}, Lines: true})
		if err != nil || in.Energy == 0 {
			continue
		}
		column := slices.IndexFunc(p.SampleType, func(s *profile.ValueType) bool { return s.Type == "cpu" })
		if column < 0 {
			continue
		}
		// A line is known by the function's name and the number, as most names of files differ in form.
		type at struct {
			name string
			line int64
		}
		own, total := make(map[int64]int64), int64(0)
		all := make(map[int64]int64)
		for _, s := range p.Sample {
			total += s.Value[column]
			on := make(map[at]bool)
			for k, loc := range s.Location {
				for j, line := range loc.Line {
					if k == 0 && j == 0 {
						own[line.Line] += s.Value[column]
					}
					on[at{line.Function.Name, line.Line}] = true
				}
			}
			for a := range on {
				all[a.line] += s.Value[column]
			}
		}
		table := in.Lines()
		gotOwn, gotAll := make(map[int64]units.Energy), make(map[int64]units.Energy)
		for _, r := range table.Rows {
			gotOwn[int64(r.Line)] += r.Own
			gotAll[int64(r.Line)] += r.All
		}
		if table.Located+table.Unknown+table.Outside != in.Energy || total == 0 {
			t.Errorf("%s: %d, %d and %d do not add up to %d", path, table.Located, table.Unknown, table.Outside, in.Energy)
			continue
		}
		// Energies are values times one power. Each sample is rounded down.
		close := func(e units.Energy, v int64) bool {
			want := float64(in.Energy) * float64(v) / float64(total)
			return math.Abs(float64(e)-want) <= 1e-6*float64(in.Energy)+float64(len(p.Sample))
		}
		for line, v := range own {
			if line > 0 && !close(gotOwn[line], v) {
				t.Errorf("%s: lines %d have %d of %d nJ themselves, want %d of %d ns", path, line, gotOwn[line], in.Energy, v, total)
			}
		}
		for line, v := range all {
			if line > 0 && !close(gotAll[line], v) {
				t.Errorf("%s: lines %d have %d of %d nJ with callees, want %d of %d ns", path, line, gotAll[line], in.Energy, v, total)
			}
		}
		if len(own) > 1 {
			compared++
		}
	}
	if compared < 6 {
		t.Errorf("%d files were compared", compared)
	}
}

// TestLinesKeepTheRun reads real recordings with and without lines: the energy, the times and the
// energy of each method are the same.
func TestLinesKeepTheRun(t *testing.T) {
	var files []string
	for _, pattern := range []string{"jfr/*.gz", "jfr/*.jfr", "pprof/*go*", "simpleperf/*interpreter*", "simpleperf/*bitmaps.data", "art/*", "chrome/*"} {
		found, _ := filepath.Glob("../../shared/data/" + pattern)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("../shared/data is not here")
	}
	compared := 0
	for _, path := range shorten.Some(files) {
		plain, err := ReadFile(t.Context(), Options{Subject: Side{Path: path}})
		if err != nil {
			continue
		}
		split, err := ReadFile(t.Context(), Options{Subject: Side{Path: path}, Lines: true})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		compared++
		if plain.Energy != split.Energy || plain.CPU != split.CPU {
			t.Errorf("%s: %d nJ in %v, and by line %d nJ in %v", path, plain.Energy, plain.CPU, split.Energy, split.CPU)
		}
		a, b := selfByMethod(plain), selfByMethod(split)
		if !maps.Equal(a, b) {
			t.Errorf("%s: the methods have other energies by line", path)
		}
	}
	if compared < shorten.Count(10) {
		t.Errorf("%d files were compared", compared)
	}
}

// selfByMethod returns the own energy of each method.
func selfByMethod(in *Input) map[string]units.Energy {
	sums := make(map[string]units.Energy)
	tree := in.Tree.Source
	for v, n := range tree.Nodes {
		label := fmt.Sprint(n.Method)
		if n.Method >= 0 {
			label = tree.Methods[n.Method].OnLine(0).Label()
		}
		if e := tree.Energy.Self(int32(v)); e != 0 {
			sums[strings.TrimSpace(label)] += e
		}
	}
	return sums
}
