package repeats

import (
	"math"
	"testing"
)

// TestHidden compares the difference that builds may hide with the 97.5 % quantile of the normal
// distribution, which is 1.959964, times the deviation of a difference of two builds.
func TestHidden(t *testing.T) {
	for builds, want := range map[float64]float64{0: 0, 0.1: 0.1959964 * 1.4142136, 0.02: 0.03919928 * 1.4142136} {
		if got := Hidden(builds); !near(got, want, 1e-6) {
			t.Errorf("noise of %v hides %v, want %v", builds, got, want)
		}
	}
}

// TestScatterOfRows compares two equal programs with many rows. An assumed noise between builds is
// replaced if the rows scatter by less, and only then.
func TestScatterOfRows(t *testing.T) {
	rows := func(n int, scatter float64) (list []Pair) {
		for i := range n {
			x := 100 * (1 + float64(i)/7)
			y := x * (1 + scatter*float64(i%5-2))
			list = append(list, Pair{[]float64{x, 1.001 * x, 0.999 * x}, []float64{y, 1.001 * y, 0.999 * y}})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		rows    []Pair
		assumed bool
		less    bool
	}{
		{"few rows", rows(minScatter-1, 0), true, false},
		{"steady rows", rows(minScatter, 0), true, true},
		{"many steady rows", rows(100, 0), true, true},
		{"a measured noise", rows(100, 0), false, false},
		{"rows that scatter by more", rows(100, 0.3), true, false},
	} {
		got := JudgeUnder(Conditions{Builds: 0.1, Assumed: c.assumed}, c.rows).Noise.Builds()
		if c.less && !(got >= 0 && got < 0.05) || !c.less && got != 0.1 {
			t.Errorf("%s: the noise between builds is %v", c.name, got)
		}
	}
}

// TestDetectableFollowsTheStudy checks the directions in which the smallest detectable increase
// changes with the number of runs, of tasks and of rows, and with the noise.
func TestDetectableFollowsTheStudy(t *testing.T) {
	s := SpreadOf(100, 0.02)
	if x := s.Detectable(LeastRuns-1, 1); !math.IsInf(x, 1) {
		t.Errorf("too few runs detect %v", x)
	}
	if x := SpreadOf(100, 0.9).Detectable(LeastRuns, 1); !math.IsInf(x, 1) {
		t.Errorf("noise as large as the mean hides all, but %v is detected", x)
	}
	base := s.Detectable(5, 1)
	for _, c := range []struct {
		name string
		more float64
	}{
		{"fewer runs", s.Detectable(3, 1)},
		{"more tasks", s.Detectable(5, 20)},
		{"more noise", SpreadOf(100, 0.03).Detectable(5, 1)},
		{"noise between builds", s.WithBuilds(0.05, 0).Detectable(5, 1)},
	} {
		if !(c.more > base && c.more < 1 && base > 0) {
			t.Errorf("%s: %v, and %v without", c.name, c.more, base)
		}
	}
	if a, b := s.Detectable(5, 0), base; a != b {
		t.Errorf("no other tasks: %v, want %v", a, b)
	}
	assumed := s.WithBuilds(0.05, 0).Detectable(5, 1)
	if few := s.WithBuilds(0.05, minScatter-1).Detectable(5, 1); few != assumed {
		t.Errorf("few rows: %v, want %v", few, assumed)
	}
	twenty, hundred := s.WithBuilds(0.05, minScatter).Detectable(5, 1), s.WithBuilds(0.05, 100).Detectable(5, 1)
	if !(base < hundred && hundred < twenty && twenty < assumed) {
		t.Errorf("without builds %v, 100 rows %v, 20 rows %v, assumed %v: these should ascend", base, hundred, twenty, assumed)
	}
}

// TestExpectedNoise checks how an expected deviation changes the noise of rows: it counts as one
// more run with this deviation.
func TestExpectedNoise(t *testing.T) {
	pairs := []Pair{{[]float64{100, 102, 98}, []float64{100, 104, 96}}}
	plain, more := newRows(pairs, &Conditions{})[0], newRows(pairs, &Conditions{Expected: 0.5})[0]
	if plain.freedom != 4 || more.freedom != 5 || !near(more.own*5, plain.own*4+0.25, 1e-12) {
		t.Errorf("%v with the freedom %v becomes %v with %v", plain.own, plain.freedom, more.own, more.freedom)
	}
	a, b := estimate([]row{plain}, Conditions{}), estimate([]row{more}, Conditions{Expected: 0.5})
	if a.Runs != 4 || b.Runs != 5 {
		t.Errorf("the runs have %v degrees of freedom, and %v with an expectation", a.Runs, b.Runs)
	}
}
