package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// A BundleComparison compares the bundles (active periods of components) of two runs.
type BundleComparison struct {
	Subject   *Bundles `json:"subject"`
	Reference *Bundles `json:"reference"`
	// Pairs has each bundle of both runs once, sorted by difference.
	Pairs []BundlePair `json:"pairs"`
}

// A BundlePair compares a bundle in both runs. Bundles match if the same methods used the
// component. A bundle without a match is a pair with one side.
type BundlePair struct {
	Component string `json:"component"`
	// Subject and Reference are indices into the lists, or nil.
	Subject   *int `json:"subject"`
	Reference *int `json:"reference"`
	// Difference is the subject's energy minus the reference's.
	Difference units.Energy `json:"differenceNJ"`
}

// compareBundles matches the bundles of both runs. It returns nil if a run has none.
func compareBundles(r *analysis.Result, methods Methods) *BundleComparison {
	c := &BundleComparison{Subject: NewBundles(&r.Subject, methods), Reference: NewBundles(&r.Reference, methods), Pairs: []BundlePair{}}
	if c.Subject == nil || c.Reference == nil {
		return nil
	}
	there := make(map[string][]int)
	for i := range c.Reference.List {
		key := c.Reference.List[i].drivenBy()
		there[key] = append(there[key], i)
	}
	for i := range c.Subject.List {
		b := &c.Subject.List[i]
		pair := BundlePair{Component: b.Component, Subject: &i, Difference: b.Energy}
		if key := b.drivenBy(); len(there[key]) > 0 {
			j := there[key][0]
			there[key] = there[key][1:]
			pair.Reference = &j
			pair.Difference -= c.Reference.List[j].Energy
		}
		c.Pairs = append(c.Pairs, pair)
	}
	for i := range c.Reference.List {
		b := &c.Reference.List[i]
		if slices.Contains(there[b.drivenBy()], i) {
			c.Pairs = append(c.Pairs, BundlePair{Component: b.Component, Reference: &i, Difference: -b.Energy})
		}
	}
	slices.SortStableFunc(c.Pairs, func(a, b BundlePair) int {
		return cmp.Compare(max(b.Difference, -b.Difference), max(a.Difference, -a.Difference))
	})
	return c
}

// drivenBy returns the key for matching bundles: the component and the methods that used it.
func (b *Bundle) drivenBy() string {
	methods := b.Drivers()
	slices.Sort(methods)
	return b.Component + "\n" + strings.Join(slices.Compact(methods), "\n")
}

// Drivers returns the labels of the methods that used the component, sorted by number of
// operations.
func (b *Bundle) Drivers() []string {
	operations := make(map[string]int64)
	var methods []string
	for _, s := range b.States {
		for _, d := range s.Drivers {
			if d.Operations == 0 || d.Method == "" {
				continue
			}
			if operations[d.Method] == 0 {
				methods = append(methods, d.Method)
			}
			operations[d.Method] += d.Operations
		}
	}
	slices.SortStableFunc(methods, func(x, y string) int { return cmp.Compare(operations[y], operations[x]) })
	return methods
}
