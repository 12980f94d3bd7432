package analysis

import (
	"context"
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
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestLinesOfPprof compares the lines of real pprof files with sums over the samples that package
// pprof reads: the values of each line as the innermost frame, and of each line on the stack.
func TestLinesOfPprof(t *testing.T) {
	files, _ := filepath.Glob("../../shared/data/pprof/*")
	if len(files) == 0 {
		t.Skip("../shared/data/pprof is not here")
	}
	compared := 0
	for _, path := range shorten.Some(files) {
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
		// An at identifies a line by the function's name and the line number. Most file names
		// differ in form.
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
		// Energies are the values times the same power. Each sample is rounded down.
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
	if compared < shorten.Count(6) {
		t.Errorf("%d files were compared", compared)
	}
}

// TestLinesKeepTheRun reads real recordings with and without lines. The total energy, the times and
// the energy of each method must be the same.
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

// selfByMethod returns the exclusive energy of each method.
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

// A linedRun is a recording of samples, called from two places. Each has a function and a line.
type linedRun struct {
	methods []name.Method
	at      [][2]int32 // function and line
}

func (r linedRun) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, 1), Methods: append([]name.Method{{Name: "one"}, {Name: "two"}}, r.methods...)}
	for _, at := range r.at {
		for caller := range trace.MethodID(2) {
			s := trace.Sample{Stack: []trace.MethodID{caller, trace.MethodID(at[0]) + 2}, Lines: []int32{0, at[1]}, Energy: 1, Count: 1}
			if err := sink.Samples([]trace.Sample{s}); err != nil {
				return nil, err
			}
		}
	}
	return tr, nil
}

// TestFirstLines checks that lines are removed if they are the first lines of functions, without
// changing the energy.
func TestFirstLines(t *testing.T) {
	run := func(functions int, stated bool, line func(f, sample int) int) linedRun {
		var r linedRun
		for f := range functions {
			m := name.Method{Name: fmt.Sprint("f", f)}
			if stated {
				m = m.At("f.js", 10*f+1)
			}
			r.methods = append(r.methods, m)
			for i := range 3 {
				r.at = append(r.at, [2]int32{int32(f), int32(line(f, i))})
			}
		}
		return r
	}
	first := func(f, _ int) int { return 10*f + 1 }
	each := func(f, i int) int { return 10*f + 1 + i }
	once := func(f, i int) int {
		if f == 7 && i == 2 {
			return 79
		}
		return first(f, i)
	}
	twice := func(f, i int) int {
		if f == 3 && i == 1 {
			return 32
		}
		return once(f, i)
	}
	for _, tt := range []struct {
		name  string
		run   linedRun
		lines bool
		want  string
	}{
		{"first lines, stated", run(25, true, first), false, "has the first line of each function"},
		{"first lines, stated, one other", run(25, true, once), false, "has the first line of each function"},
		{"first lines, not stated", run(25, false, first), false, "nearly every function of the recording has a single line"},
		{"one function with two lines", run(25, false, once), false, "nearly every function of the recording has a single line"},
		{"two functions with two lines", run(25, false, twice), true, ""},
		{"few functions", run(19, true, first), true, ""},
		{"few functions, not stated", run(19, false, first), true, ""},
		{"real lines, stated", run(25, true, each), true, ""},
		{"real lines", run(25, false, each), true, ""},
	} {
		s := &setup{}
		tree, tr, err := buildByLine(t.Context(), lines.Split(tt.run), s.treeLimits(1))
		if err != nil {
			t.Fatal(err)
		}
		total := tree.Energy.Total()
		if tree, err = s.resolveLines(t.Context(), &opened{path: "run.folded"}, &Input{Trace: tr}, tree, nil); err != nil {
			t.Fatal(err)
		}
		located := slices.ContainsFunc(tree.Methods, func(m name.Method) bool { return m.On != 0 })
		warned := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool {
			return strings.HasSuffix(w.Message, "lines have no energy") && strings.Contains(w.Message, tt.want)
		})
		if located != tt.lines || warned == tt.lines || tree.Energy.Total() != total || total != units.Energy(len(tt.run.at)*2) {
			t.Errorf("%s: lines %v, warnings %v, energy %d of %d", tt.name, located, tr.Warnings, tree.Energy.Total(), total)
		}
	}
}
