package finding_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// oracleRows computes the rows of a grain stack by stack. A row has the energy of all stacks with
// one of its methods. Recursive calls are folded into the outer call, as in the tree.
func oracleRows(folded string, row func(label string) string) (self, all map[string]units.Energy) {
	self, all = map[string]units.Energy{}, map[string]units.Energy{}
	for line := range strings.Lines(folded) {
		var e units.Energy
		text, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		fmt.Sscan(value, &e)
		var path []string
		for _, method := range append([]string{cct.RootLabel}, strings.Split(text, ";")...) {
			for i, above := range path {
				if above == method {
					path = path[:i]
					break
				}
			}
			path = append(path, method)
		}
		self[row(path[len(path)-1])] += e
		on := map[string]bool{}
		for _, method := range path {
			on[row(method)] = true
		}
		for r := range on {
			all[r] += e
		}
	}
	return self, all
}

func TestBy(t *testing.T) {
	rows := map[finding.Grain]func(string) string{
		finding.EachClass: func(label string) string {
			return map[string]string{"native": "(no class)"}[label] + name.Parse(label, name.JVM).Place()
		},
		finding.EachPackage: func(label string) string {
			return map[string]string{"native": "(no package)"}[label] + name.Parse(label, name.JVM).Scope
		},
		finding.EachLibrary: func(label string) string {
			switch {
			case strings.HasPrefix(label, "android."):
				return "(framework)"
			case strings.HasPrefix(label, "kotlin."):
				return "Kotlin"
			case strings.HasPrefix(label, "p."):
				return "(own code)"
			}
			return "(no class)"
		},
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range shorten.Count(100) {
		texts := [2]string{randomStacks(random), strings.ReplaceAll(randomStacks(random), "p.B", "kotlin.B")}
		r := compare(t, texts[0], texts[1]).Result
		for grain, row := range rows {
			table := finding.ByGrain(grain, &r.Subject, &r.Reference)
			for run, text := range texts {
				self, all := oracleRows(text, func(label string) string {
					if label == cct.RootLabel {
						return label
					}
					return row(label)
				})
				var sum units.Energy
				for _, m := range table.Methods {
					name, use := m.Method.Label(), m.Runs[run]
					if use.Self != self[name] || use.All != all[name] {
						t.Fatalf("%s\n%s: %s drained %d, and %d with its callees; want %d and %d", text, grain, name, use.Self, use.All, self[name], all[name])
					}
					sum += use.Self
				}
				if want := r.Subject.Energy; run == 0 && sum != want {
					t.Fatalf("%s: rows drained %d, the run %d", grain, sum, want)
				}
			}
		}
	}
}
