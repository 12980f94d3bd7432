package eflask

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// plainWays computes the similarity of the paths to two callbacks by its definition. For the
// weights of the classes, it walks the path to each callback of both trees.
func plainWays(subject, reference *taskSide, c, d int32) float64 {
	met, all := make(map[int32]float64), 0.0
	path := func(s *taskSide, callback int32, visit func(class int32)) {
		nodes := s.tree.Nodes
		for v := nodes[s.nodes[s.tasksOf(callback)[0]]].Parent; v > 0; v = nodes[v].Parent {
			visit(s.rarity.class[nodes[v].Label])
		}
	}
	for _, s := range []*taskSide{subject, reference} {
		for callback := range s.callbacks {
			all++
			path(s, int32(callback), func(class int32) { met[class]++ })
		}
	}
	weight := func(class int32) float64 { return math.Log(1 + max(all/met[class], 1)) }
	mine, theirs := make(map[int32]bool), make(map[int32]bool)
	path(subject, c, func(class int32) { mine[class] = true })
	path(reference, d, func(class int32) { theirs[class] = true })
	var common, sum float64
	for class := range mine {
		sum += weight(class)
		if theirs[class] {
			common += 2 * weight(class)
		}
	}
	for class := range theirs {
		sum += weight(class)
	}
	return common / sum
}

func TestWaysAgreeWithTheirDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 1))
	labels := []string{"android/Sub.go", "android/Super.go", "android/S.open", "app/M.run", "app/N.onClick"}
	held := 0
	for range shorten.Count(300) {
		s, r := apps(randomTree(rnd, 1+rnd.IntN(40), labels), randomTree(rnd, 1+rnd.IntN(40), labels))
		p := newPairing(s, r, &Matching{})
		w, back := newPaths(p.subject, p.reference), newPaths(p.reference, p.subject)
		for c := range p.subject.callbacks {
			for d := range p.reference.callbacks {
				got, want := w.alike(p.subject, int32(c), p.reference, int32(d)), plainWays(p.subject, p.reference, int32(c), int32(d))
				if math.Abs(got-want) > 1e-5 {
					t.Fatalf("callbacks %d and %d are alike by %v, want %v", c, d, got, want)
				}
				if mirrored := back.alike(p.reference, int32(d), p.subject, int32(c)); mirrored != got {
					t.Fatalf("callbacks %d and %d are alike by %v, mirrored by %v", c, d, got, mirrored)
				}
				held++
			}
		}
	}
	if held < shorten.Count(1000) {
		t.Errorf("only %d pairs of callbacks were compared", held)
	}
}

// TestEvidenceHasTheWay checks Evidence.Way of pairs with a computed likelihood: the share of
// labels that the paths to their two callbacks have in common.
func TestEvidenceHasTheWay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 1))
	labels := []string{"android/A.a", "android/A.b", "android/B.a", "android/Sub.go", "android/S.open", "app/M.run", "app/N.onClick"}
	held, apart := 0, 0
	for range shorten.Count(3000) {
		s, r := apps(randomTree(rnd, 1+rnd.IntN(40), labels), randomTree(rnd, 1+rnd.IntN(40), labels))
		p := newPairing(s, r, &Matching{})
		task := func(side *taskSide, node int32) int { return slices.Index(side.nodes, node) }
		for _, c := range Counterparts(s, r, match(t, s, r, 1, Options{}), false) {
			if c.Evidence.Way == Unknown {
				continue
			}
			i, j := task(p.subject, c.Subject), task(p.reference, c.Reference)
			want := plainWays(p.subject, p.reference, p.subject.callback[i], p.reference.callback[j])
			if math.Abs(c.Evidence.Way-want) > 1e-5 {
				t.Fatalf("tasks %d and %d have the way %v, want %v", c.Subject, c.Reference, c.Evidence.Way, want)
			}
			if held++; want > 0 && want < 1 {
				apart++
			}
		}
	}
	if held < shorten.Count(400) || apart < shorten.Count(300) {
		t.Errorf("%d pairs were compared, %d with partly equal ways", held, apart)
	}
}

// TestWayIsBounded checks that only the end of a long path is stored, so that the memory is
// bounded.
func TestWayIsBounded(t *testing.T) {
	var path strings.Builder
	for i := range 3 * maxWay {
		fmt.Fprintf(&path, "android/L.m%d(", i)
	}
	deep := path.String() + "app/M.run(android/S.open)" + strings.Repeat(")", 3*maxWay)
	s, r := apps(deep, deep)
	p := newPairing(s, r, &Matching{})
	w := newPaths(p.subject, p.reference)
	if got := w.alike(p.subject, 0, p.reference, 0); got != 1 {
		t.Errorf("equal paths are alike by %v", got)
	}
	if n := len(w.path(p.subject, w.subject, 0).classes); n != maxWay {
		t.Errorf("the way has %d methods", n)
	}
}
