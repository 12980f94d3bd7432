package eflask

import (
	"math"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// A trust decides how similar the apps of the two runs are: one app, similar apps or unlike apps.
// It computes the traits of pairs.
type trust struct {
	*pairing
	// shape is the share of the two runs' tasks that have equal paths. names is the share of app
	// methods that both runs have. It is computed only if needed, as are the other fields.
	shape, names float64
	// apart is true if the runs are of unlike apps.
	apart bool
	// own numbers the names of the app's methods, by method of either tree's Source. It is -1 for
	// other methods, and for names that do not identify a method.
	own [2][]int32
	// seen[n] is the value of asked when method n of own was last counted as a caller.
	seen  []int32
	asked int32
	// Weight of the tasks that are counterparts of each other, by pair of callbacks. The weights of
	// both runs are added.
	here map[[2]int32]int64
	// weight is the weight of all tasks of each callback, by side.
	weight [2][]int64
	// merged is the number of app methods that were merged into each callback, or -1 if it is not
	// yet computed.
	merged [2][]int32
}

// newTrust measures the similarity of the runs. Tasks with equal paths must already be paired.
func newTrust(p *pairing) *trust {
	t := &trust{pairing: p}
	var both, mine, theirs int64
	for i, j := range p.subject.peer {
		w := t.evidence(p.subject, int32(i))
		mine += w
		if j >= 0 {
			both += w
		}
	}
	for j := range p.reference.nodes {
		theirs += t.evidence(p.reference, int32(j))
	}
	if t.shape = overMean(float64(both), float64(mine), float64(theirs)); t.shape < similarRuns {
		t.names = t.number()
	}
	if t.similar() {
		t.lower()
	}
	return t
}

// similar reports whether the runs are of two similar apps, not of one: many tasks have different
// paths, and few app methods have the same name.
func (t *trust) similar() bool { return t.shape < similarRuns && t.names < oneApp }

// lower sets the likelihood of pairs with equal paths between two apps. A pair gets a lower
// likelihood under two conditions:
//
//   - The two callbacks have only such tasks in common that every app has.
//   - No caller has the same name in both apps.
//
// It is then only a possible counterpart, unless the callbacks override the F-method. lower also
// sets Evidence.Stated, on which no matching depends.
func (t *trust) lower() {
	p := t.pairing
	t.weigh()
	telling := make(map[[2]int32]bool)
	for i, j := range p.subject.peer {
		if j >= 0 && !t.bothPlumbing(int32(i), j) {
			telling[[2]int32{p.subject.callback[i], p.reference.callback[j]}] = true
		}
	}
	for i, j := range p.subject.peer {
		if j < 0 {
			continue
		}
		i := int32(i)
		traits := t.equalPath(i, j)
		e := &p.found[i].Evidence
		e.Likelihood = EqualPaths
		if !telling[[2]int32{p.subject.callback[i], p.reference.callback[j]}] && traits[tCallers] == 0 {
			e.Likelihood, e.Doubted = sure, traits[tSuper] == 0
		}
		e.Stated = min(e.Likelihood, traits.Similar())
	}
}

// equalPath returns the traits of a pair with equal paths, for one app or similar apps.
func (t *trust) equalPath(i, j int32) Traits {
	if t.here == nil {
		t.weigh()
	}
	traits := Traits{tBias: 1, tShape: t.shape, tCallers: t.callers(i, j), tAround: t.around(i, j)}
	if t.bothPlumbing(i, j) {
		traits[tPlumbing] = 1
	}
	if t.overrides(t.subject, i) && t.overrides(t.reference, j) {
		traits[tSuper] = 1
	}
	if t.subject.leaf[i] && t.reference.leaf[j] {
		traits[tLeaf] = 1
	}
	return traits
}

// suspect reports whether the runs may be of unlike apps: few tasks have equal paths, and few app
// methods have the same name.
func (t *trust) suspect() bool { return t.shape < alikeRuns && t.names < oneApp }

// kin returns the share of the two runs' tasks that have a counterpart with strong evidence.
func (t *trust) kin() float64 {
	var both, mine, theirs int64
	for i, j := range t.subject.peer {
		w := t.evidence(t.subject, int32(i))
		mine += w
		if j >= 0 && t.found[i].Evidence.strong() {
			both += w
		}
	}
	for j := range t.reference.nodes {
		theirs += t.evidence(t.reference, int32(j))
	}
	return overMean(float64(both), float64(mine), float64(theirs))
}

// doubt treats the runs as runs of unlike apps, and computes the likelihood of tasks with equal
// paths anew. It must be called before other tasks are paired.
func (t *trust) doubt() {
	t.apart = true
	p := t.pairing
	t.weigh()
	for i, j := range p.subject.peer {
		if j >= 0 {
			e := &p.found[i].Evidence
			e.Likelihood, e.Stated, e.Doubted = t.unlikeApps(int32(i), j, e), 0, false
		}
	}
}

// weigh computes the fields here and weight, and clears merged.
func (t *trust) weigh() {
	p := t.pairing
	t.here = make(map[[2]int32]int64)
	for i, j := range p.subject.peer {
		if j >= 0 {
			t.here[[2]int32{p.subject.callback[i], p.reference.callback[j]}] += p.subject.weight(int32(i)) + p.reference.weight(j)
		}
	}
	for k, s := range []*taskSide{p.subject, p.reference} {
		t.weight[k] = make([]int64, len(s.callbacks))
		t.merged[k] = fill(nil, len(s.callbacks), int32(-1))
		for i, c := range s.callback {
			t.weight[k][c] += s.weight(int32(i))
		}
	}
}

// around returns the share of work that the callbacks of two tasks have in common, without the two
// tasks.
func (t *trust) around(i, j int32) float64 {
	c, d := t.subject.callback[i], t.reference.callback[j]
	w, v := t.subject.weight(i), t.reference.weight(j)
	common := t.here[[2]int32{c, d}]
	if t.subject.peer[i] == j {
		common -= w + v
	}
	return max(dice(common/2, t.weight[0][c]-w, t.weight[1][d]-v), 0)
}

// evidence returns the weight of a task as evidence that two runs are of one app. Tasks that every
// app has weigh less.
func (t *trust) evidence(s *taskSide, task int32) int64 {
	if isPlumbing(t.labels.Method(s.label(task))) {
		return s.weight(task) / plumbingShare
	}
	return s.weight(task)
}

// Distinctive returns how characteristic a call of an F-method is for the app that makes it, from 0
// to 1. It is low for methods that every app calls.
func Distinctive(m name.Method) float64 {
	if isPlumbing(m) {
		return 1.0 / plumbingShare
	}
	return 1
}

// plumbingShare divides the weight of tasks that every app has.
const plumbingShare = 4

// overMean returns part divided by the geometric mean of a and b, but at most 1.
func overMean(part, a, b float64) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return min(part/math.Sqrt(a*b), 1)
}

// number sets the field own, and returns the share of app methods that both runs have.
func (t *trust) number() float64 {
	numbers := make(map[string]int32)
	var in [2][]bool
	for k, tree := range []*preprocess.Tree{t.subject.tree, t.reference.tree} {
		t.own[k] = fill(nil, len(tree.Source.Methods), int32(-1))
		for m := range tree.Source.Methods {
			if tree.MethodKind(trace.MethodID(m)) != preprocess.App {
				continue
			}
			called := tree.Compared(trace.MethodID(m))
			if !tellingName(called) {
				continue
			}
			n := numberIn(numbers, plainly(called))
			t.own[k][m] = n
			for int(n) >= len(in[k]) {
				in[k] = append(in[k], false)
			}
			in[k][n] = true
		}
	}
	t.seen = make([]int32, len(numbers))
	var both, mine, theirs float64
	for n := range numbers {
		n := numbers[n]
		here := int(n) < len(in[0]) && in[0][n]
		there := int(n) < len(in[1]) && in[1][n]
		if here {
			mine++
		}
		if there {
			theirs++
		}
		if here && there {
			both++
		}
	}
	return overMean(both, mine, theirs)
}

// tellingName reports whether a method's name identifies the method. A name of one or two letters
// does not: shrinkers give such names, and two apps share them by chance.
func tellingName(m name.Method) bool { return len(m.Type) > 2 || m.Type == "" && len(m.Name) > 2 }

// plainly returns the name of a method without package, signature and the numbers of anonymous
// classes. Libraries move between packages, and the numbers change when classes are added.
func plainly(m name.Method) string {
	class := m.Type
	for i := strings.LastIndexByte(class, '$'); i > 0 && strings.Trim(class[i+1:], "0123456789") == ""; i = strings.LastIndexByte(class, '$') {
		class = class[:i]
	}
	if class == "" {
		class = m.Scope
	}
	return class + "." + m.Name
}

// traits returns the traits of a pair of tasks between unlike apps, and zero traits otherwise. The
// last two traits are left to the caller. around and below are fields of Evidence. If they are
// Unknown, traits computes them.
func (t *trust) traits(i, j int32, around, below float64) Traits {
	if !t.unlike() {
		return Traits{}
	}
	c, d := t.subject.callback[i], t.reference.callback[j]
	x, y := t.subject.class[i], t.reference.class[j]
	out := Traits{tBias: 1, tShape: t.shape, tCallers: t.callers(i, j)}
	if t.bothPlumbing(i, j) {
		out[tPlumbing] = 1
	}
	all := float64(len(t.subject.nodes) + len(t.reference.nodes))
	for _, class := range []int32{x, y} {
		out[tRarity] += math.Log(max(all, 1)/float64(max(t.subject.all[class]+t.reference.all[class], 1))) / 20
	}
	if around == Unknown {
		around = t.around(i, j)
	}
	out[tAround] = around
	if t.subject.leaf[i] && t.reference.leaf[j] {
		out[tLeaf] = 1
	} else {
		if below == Unknown {
			below = t.below(i, j)
		}
		out[tBelow] = below
	}
	if t.overrides(t.subject, i) && t.overrides(t.reference, j) {
		out[tSuper] = 1
	}
	out[tMerged] = (t.spread(0, t.subject, c) + t.spread(1, t.reference, d)) / 2
	out[tDepth] = float64(min(t.subject.depth(c), t.reference.depth(d))) / maxDepth
	return out
}

// overrides reports whether a task's callback has the name of the F-method, which it therefore
// overrides.
func (t *trust) overrides(s *taskSide, task int32) bool {
	called := t.labels.Method(s.label(task)).Name
	return called != "<init>" && called == t.labels.Method(s.callbacks[s.callback[task]].label).Name
}

// bothPlumbing reports whether every app uses both F-methods.
func (t *trust) bothPlumbing(i, j int32) bool {
	return isPlumbing(t.labels.Method(t.subject.label(i))) && isPlumbing(t.labels.Method(t.reference.label(j)))
}

// maxDepth limits the number of methods that depth counts.
const maxDepth = 8

// depth counts the framework methods on the path to a callback, up to maxDepth.
func (s *taskSide) depth(c int32) int {
	depth := 0
	nodes := s.tree.Nodes
	for v := nodes[nodes[s.nodes[s.tasksOf(c)[0]]].Parent].Parent; v > 0 && depth < maxDepth; v = nodes[v].Parent {
		depth++
	}
	return depth
}

// spread returns a measure of how many app methods were merged into a callback: their logarithm,
// scaled.
func (t *trust) spread(k int, s *taskSide, c int32) float64 {
	if t.merged[k][c] < 0 {
		v := s.tree.Nodes[s.nodes[s.tasksOf(c)[0]]].Parent
		methods := make(map[trace.MethodID]bool)
		for _, o := range s.tree.Originals(v) {
			if from := s.tree.Caller(o); from < 0 || s.tree.Image[from] != v {
				methods[s.tree.Source.Nodes[o].Method] = true
			}
		}
		t.merged[k][c] = int32(len(methods))
	}
	return math.Log2(float64(max(t.merged[k][c], 1))) / 6
}

// callers returns the share of callers that two tasks have in common, relative to the task with
// fewer callers. For example, it is 0.5 if the tasks have 2 and 5 callers, one of them in common.
func (t *trust) callers(i, j int32) float64 {
	both, least := t.countCallers(i, j)
	if least == 0 {
		return 0
	}
	return float64(both) / float64(least)
}

// countCallers counts the app methods that call both tasks (both), and those that call the task
// with fewer callers (least). Only methods whose names identify them count.
func (t *trust) countCallers(i, j int32) (both, least int) {
	t.asked++
	mine := 0
	t.eachCaller(0, t.subject, i, func(n int32) {
		if n >= 0 && t.seen[n] != t.asked {
			t.seen[n] = t.asked
			mine++
		}
	})
	first := t.asked
	t.asked++
	theirs := 0
	t.eachCaller(1, t.reference, j, func(n int32) {
		if n < 0 || t.seen[n] == t.asked {
			return
		}
		theirs++
		if t.seen[n] == first {
			both++
		}
		t.seen[n] = t.asked
	})
	return both, min(mine, theirs)
}

// eachCaller calls visit for each of the app's methods that call a task's F-method.
func (t *trust) eachCaller(k int, s *taskSide, task int32, visit func(int32)) {
	v := s.nodes[task]
	tree := s.tree
	for _, o := range tree.Originals(v) {
		from := tree.Caller(o)
		if from < 0 || tree.Image[from] == v {
			continue
		}
		if m := tree.Source.Nodes[from].Method; m >= 0 {
			visit(t.own[k][m])
		}
	}
}

// plumbing lists the packages that every app uses everywhere.
var plumbing = map[string]bool{
	"java.lang": true, "java.lang.ref": true, "java.lang.reflect": true, "java.util": true,
	"java.util.concurrent.atomic": true, "java.util.concurrent.locks": true, "java.util.regex": true,
	"java.io": true, "java.nio.charset": true, "java.text": true, "java.math": true, "android.text": true,
	"libcore.reflect": true, "dalvik.system": true,
}

// isPlumbing reports whether every app uses a method.
func isPlumbing(m name.Method) bool {
	if m.Type == "" {
		return false
	}
	return plumbing[m.Scope]
}

// In runs of one app or of similar apps, equal paths suffice for a pair. Runs are of unlike apps if
// all three shares are below these limits.
const (
	alikeRuns = 0.05 // share of the tasks that have equal paths
	kinRuns   = 0.1  // share of the tasks that have strong counterparts, if equal paths need no evidence
	oneApp    = 0.25 // share of the app's methods that both runs have
)

// similarRuns separates one app from two similar apps. The runs are of two apps if two shares are
// small: less than similarRuns of the tasks have equal paths, and both runs have less than oneApp
// of the app methods.
const similarRuns = 0.5

// EqualPaths is the likelihood of tasks with equal paths in runs of two similar apps.
// tools/truth/README.md reports how many such pairs people judged to be right.
const EqualPaths = 0.85

// unlike reports whether the runs are of unlike apps. Equal paths then prove nothing, because the
// label *.run represents every Runnable of an app.
func (t *trust) unlike() bool { return t.apart }

// unlikeApps returns the likelihood of a pair in runs of unlike apps.
func (t *trust) unlikeApps(i, j int32, e *Evidence) float64 {
	traits := t.traits(i, j, e.Around, e.Below)
	if e.Way != Unknown {
		traits.Weighed(e.Likelihood)
	}
	return traits.Likelihood()
}

// unlikely reports whether a pair with equal paths is too unlikely to be a counterpart. It returns
// false for other pairs, which are judged by their features.
func (e *Evidence) unlikely() bool {
	return e.Way == Unknown && e.Likelihood != Unknown && e.Likelihood < leastLikely
}
