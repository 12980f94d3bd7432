package eflask

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// newScratch returns a scratch. All scratches share the cache of paths.
func (s *scale) newScratch(known *paths) *scratch {
	classes := len(s.rarity.class)
	return &scratch{
		paths: &paths{rarity: known.rarity, subject: known.subject, reference: known.reference, on: make([]int32, classes)},
		at:    make([]relation, len(s.reference.callbacks)), met: make([]int32, len(s.reference.nodes)),
		open: make([]int32, classes), under: make([]int32, classes),
	}
}

// clear invalidates all entries of earlier rounds.
func (d *scratch) clear() {
	clear(d.at)
	clear(d.met)
	clear(d.open)
	clear(d.under)
	d.underOf = 0
}

// callbacksAtOnce is the number of callbacks that a goroutine takes at a time. A round with fewer
// callbacks has one goroutine.
const callbacksAtOnce = 64

// share calls a function for each callback of the subject, on several goroutines. The calls must
// not depend on each other. Each goroutine has a scale with its own scratch. At the end, share
// joins what the scratches recorded about the reference's callbacks.
func (s *scale) share(do func(s *scale, c int32)) {
	all := len(s.subject.callbacks)
	n := min(runtime.GOMAXPROCS(0), (all+callbacksAtOnce-1)/callbacksAtOnce)
	if s.subject.scarce || s.reference.scarce {
		n = min(n, 1)
	}
	for len(s.scratches) < n {
		s.scratches = append(s.scratches, s.newScratch(s.scratches[0].paths))
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, d := range s.scratches[:n] {
		d.clear()
		at := *s
		at.scratch = d
		wg.Go(func() {
			for {
				from := int(next.Add(callbacksAtOnce)) - callbacksAtOnce
				if from >= all {
					return
				}
				for c := from; c < min(from+callbacksAtOnce, all); c++ {
					do(&at, int32(c))
				}
			}
		})
	}
	wg.Wait()
	for _, d := range s.scratches[:n] {
		for callback := range s.theirs {
			s.theirs[callback].join(d.at[callback].best)
		}
	}
}
