package appcode_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/app"
	"github.com/diffprof/diffprof/tools/truth/change"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// A base is a run from which pairs are made.
type base struct {
	name string
	run  *run.Run
}

// bases returns generated apps, and real ones if they exist, with the platform that knows the
// owners of their methods.
func bases(t *testing.T, first, count uint64) ([]base, *platform.Platform) {
	t.Helper()
	known, err := analysis.Platform(analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []base
	for i := range count {
		size := []int{600, 2000, 6000}[i%3]
		all = append(all, base{fmt.Sprintf("app %d of %d contexts", first+i, size), app.Generate(first+i, size)})
	}
	for _, file := range []string{"androidperformance-App.trace", "firefox-art-regular.trace.gz", "jagframework-dmtrace.trace"} {
		f, err := ingest.Open(t.Context(), filepath.Join("../../shared/data/art", file), ingest.Options{})
		if err != nil {
			t.Logf("without the real trace %s: %v", file, err)
			continue
		}
		r, err := run.Read(t.Context(), f, known)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, base{file, r})
	}
	return shorten.Some(all), known
}

// treeOf returns the tree of a run's recording.
func treeOf(t *testing.T, r *run.Run) *cct.Tree {
	t.Helper()
	tree, _, err := cct.Build(t.Context(), r.Recording(), cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// vary changes the costs of calls, and leaves some calls out.
func vary(r *rand.Rand, app *run.Run) {
	app.Filter(func(c *run.Call) bool { return len(c.Kids) > 0 || r.Float64() >= 0.05 })
	app.Each(func(c, _ *run.Call) {
		c.Cost = units.Energy(math.Round(float64(c.Cost) * math.Exp(0.2*r.NormFloat64())))
	})
}

// The ways to rename the methods of a build.
const (
	byPackage = iota
	byName    // classes and methods
	byLetter  // with the letters that an obfuscator gives
	all       // by letters, including the libraries in the app
	ways
)

// obfuscate renames the app's methods, differently for each seed. Constructors and methods that
// override a framework method keep their names. It returns the new label of each label.
func obfuscate(r *rand.Rand, app *run.Run, way int, renames func(name.Method) bool) map[string]string {
	overrides := make(map[[2]string]bool)
	app.Each(func(c, caller *run.Call) {
		if c.App && (caller == nil || !caller.App) {
			overrides[[2]string{c.Method.Name, c.Method.Signature}] = true
		}
	})
	numbers, short := r.Perm(100000), r.Perm(5000)
	classes, methods, labels := make(map[string]string), make(map[string]string), make(map[string]string)
	letters := func(n int) string {
		out := string(rune('a' + n%26))
		for n /= 26; n > 0; n /= 26 {
			out += string(rune('a' + n%26))
		}
		return out
	}
	app.Each(func(c, _ *run.Call) {
		class := c.Method.Class()
		if n := len(classes); c.App && renames(c.Method) && classes[class] == "" {
			switch way {
			case byPackage:
				classes[class] = fmt.Sprintf("org.other%d.%s", numbers[0], class)
			case byName:
				classes[class] = fmt.Sprintf("org.other%d.Class%d", numbers[0], numbers[n+1])
			default:
				classes[class] = letters(n/26) + "." + letters(short[n/26]%26) + letters(n % 26)[:1]
			}
		}
	})
	app.Each(func(c, _ *run.Call) {
		if !c.App || !renames(c.Method) {
			return
		}
		m := c.Method.In(classes[c.Method.Class()])
		if params, result, ok := name.ParseDescriptor(m.Signature); ok {
			for i, p := range append(params, result) {
				if to := classes[p]; to == "" {
					continue
				} else if i < len(params) {
					params[i] = to
				} else {
					result = to
				}
			}
			m.Signature = name.Descriptor(params, result)
		}
		if way != byPackage && !overrides[[2]string{c.Method.Name, c.Method.Signature}] && !strings.HasPrefix(m.Name, "<") {
			if n := len(methods); methods[m.Name] == "" {
				if way == byName {
					methods[m.Name] = fmt.Sprintf("method%d", numbers[n])
				} else {
					methods[m.Name] = letters(short[n])
				}
			}
			m.Name = methods[m.Name]
		}
		labels[c.Method.Label()] = m.Label()
		c.Method = m
	})
	return labels
}

// gains sums up the savings of rows.
func gains(c *appcode.Comparison) (sum units.Energy) {
	for _, row := range c.Rows {
		sum += max(row.Saving, 0)
	}
	return sum
}

// TestRenamedBuilds checks that two differently obfuscated builds are recognized as one app. It
// must find a method that works fifty times as much. Own code must have the same saving as with
// known names.
func TestRenamedBuilds(t *testing.T) {
	sources, known := bases(t, 300, 3)
	pairs, right := 0, 0
	for _, source := range sources {
		costs := make(map[name.Method]units.Energy)
		var own []name.Method
		source.run.Each(func(c, _ *run.Call) {
			if c.App && known.Library(c.Method) == "" {
				if _, ok := costs[c.Method]; !ok {
					own = append(own, c.Method)
				}
				costs[c.Method] += c.Cost
			}
		})
		for way := range ways {
			random := rand.New(rand.NewPCG(uint64(way), 1))
			slow := own[random.IntN(len(own))]
			for costs[slow] == 0 {
				slow = own[random.IntN(len(own))]
			}
			subject, reference := source.run.Clone(), source.run.Clone()
			vary(random, subject)
			vary(random, reference)
			subject.Each(func(c, _ *run.Call) {
				if c.Method == slow {
					c.Cost *= 50
				}
			})
			named, err := analysis.Trees(t.Context(), treeOf(t, subject), treeOf(t, reference), analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			renames := func(m name.Method) bool { return way == all || known.Library(m) == "" }
			here, there := obfuscate(random, subject, way, renames), obfuscate(random, reference, way, renames)
			trees := [2]*cct.Tree{treeOf(t, subject), treeOf(t, reference)}
			renamed, err := analysis.Trees(t.Context(), trees[0], trees[1], analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			conserves(t, renamed)
			swapped, err := analysis.Trees(t.Context(), trees[1], trees[0], analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			mirrors(t, renamed, swapped)

			truth := make(map[string]string) // maps labels of the subject to those of the reference
			for label, to := range here {
				truth[to] = there[label]
			}
			var paired, well units.Energy
			for _, row := range renamed.AppCode.Rows {
				if row.Match == appcode.Alike {
					paired += row.Energy
					label := row.Method.Label() // unless it was renamed
					if cmp.Or(truth[label], label) == row.Peer.Method.Label() {
						well += row.Energy
					}
				}
			}
			got, want := gains(renamed.AppCode), gains(named.AppCode)
			pairs++
			if renamed.AppCode.OneApp && 10*max(got-want, want-got) <= want && 10*well >= 9*paired {
				right++
			} else {
				t.Logf("%s, renamed in way %d: one app by %q; own code saves %d, with the names %d; of %d in pairs %d is paired well",
					source.name, way, renamed.AppCode.By, got, want, paired, well)
			}
		}
	}
	t.Logf("%d of %d renamed builds are compared as with their names", right, pairs)
	if 10*right < 9*pairs {
		t.Errorf("%d of %d renamed builds are compared as with their names", right, pairs)
	}
}

// TestStrangers checks that generated apps with few common tasks are not recognized as one app.
func TestStrangers(t *testing.T) {
	for seed := uint64(300); seed < 306; seed++ {
		size := []int{600, 2000}[seed%2]
		one, other := app.Generate(seed, size), app.Generate(seed+1000, size)
		var numbers run.Numbers
		numbers.Assign(one)
		numbers.Assign(other)
		for _, kind := range change.Kinds {
			if kind.Name != "strangers" {
				continue
			}
			for strength := 1; strength <= change.Strengths; strength++ {
				subject, reference := change.Case{Kind: kind, Strength: strength, Seed: seed}.Pair(one, other, &numbers)
				r, err := analysis.Trees(t.Context(), treeOf(t, subject), treeOf(t, reference), analysis.Options{})
				if err != nil {
					t.Fatal(err)
				}
				conserves(t, r)
				if r.AppCode.OneApp {
					t.Errorf("app %d and another one, strength %d: one app by %q", seed, strength, r.AppCode.By)
				}
			}
		}
	}
}
