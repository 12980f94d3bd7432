package eflask

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
)

// rarity weighs labels: the rarer a label, the more it says about two subtrees that share it. The
// weight of a label is log(1/frequency). For example, nearly every subtree has
// StringBuilder.append, so its weight is near zero.
type rarity struct {
	// class numbers the labels. Labels that count as equal (γ = 0) share a number.
	class []int32
	// weight is the weight of each class, in millionths. Sums of integers do not depend on their
	// order, so swapping the trees does not change them.
	weight []int64
}

// millionths is the scale of weights: a weight of 1 is stored as one million.
const millionths = 1_000_000

func newRarity(g *gamma, trees ...*preprocess.Tree) *rarity {
	r := &rarity{class: g.class, weight: make([]int64, len(g.class))}
	nodes := 0
	for _, t := range trees {
		nodes += len(t.Nodes)
		for i := range t.Nodes {
			r.weight[r.class[t.Nodes[i].Label]]++
		}
	}
	for c, n := range r.weight {
		if n > 0 {
			r.weight[c] = int64(math.Round(millionths * math.Log(1+float64(nodes)/float64(n))))
		}
	}
	return r
}

// A bag is a set of label classes in ascending order, with the sum of their weights.
type bag struct {
	classes []int32
	weight  int64
}

// bag returns a bag of classes. It sorts classes in place.
func (r *rarity) bag(classes []int32) bag {
	slices.Sort(classes)
	b := bag{classes: slices.Compact(classes)}
	for _, c := range b.classes {
		b.weight += r.weight[c]
	}
	return b
}

// has reports whether the bag has a class.
func (b *bag) has(class int32) bool {
	_, ok := slices.BinarySearch(b.classes, class)
	return ok
}

// common returns the total weight of the classes in both bags.
func (r *rarity) common(a, b *bag) int64 {
	sum := int64(0)
	for i, j := 0, 0; i < len(a.classes) && j < len(b.classes); {
		switch x, y := a.classes[i], b.classes[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			sum += r.weight[x]
			i++
			j++
		}
	}
	return sum
}

// dice returns Dice's coefficient of two sets: 1 for equal sets, 0 for disjoint or empty ones. a
// and b are the weights of the sets, and common is the weight of their intersection.
func dice(common, a, b int64) float64 {
	if a+b <= 0 {
		return 0
	}
	return min(2*float64(common)/float64(a+b), 1)
}

// Similarities of the names of two different F-methods.
const (
	overload   = 0.8 // same class and name, other parameters
	otherClass = 0.7 // same name, other classes
	delegation = 0.7 // one method calls the other
	// Two names in one class may begin with the same letters, such as getItem and getItemAt. Their
	// similarity is the length of the common prefix divided by the longer length, but at most
	// prefixMost. Below prefixLeast it counts as 0.
	prefixMost  = 0.7
	prefixLeast = 0.2
)

// alike returns the similarity of the names of two different methods, between 0 (nothing in common)
// and the constant overload. Constructors all have the same name, so it proves nothing.
func alike(m, n name.Method) float64 {
	return alikeParts(m.Scope == n.Scope && m.Type == n.Type, m.Name == n.Name, m.Type != "", m.Name, n.Name)
}

// alikeParts is alike after the parts of the two names are compared. typed reports whether the
// first method has a class.
func alikeParts(sameClass, sameName, typed bool, a, b string) float64 {
	switch {
	case sameClass && sameName:
		return overload
	case sameName && a != "<init>":
		return otherClass
	case !sameClass || !typed:
		return 0
	}
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	if share := float64(common) / float64(max(len(a), len(b))); share >= prefixLeast {
		return min(share, prefixMost)
	}
	return 0
}
