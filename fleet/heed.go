package fleet

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
)

// heed compares the hogs with their trees. If the tree of a hog does not show an excess in all
// cases in which the app runs, the app is only a hog under the worst conditions of the tree. If
// there is no excess under these either, it is not a hog.
func (f *Fleet) heed(j *judgement) {
	apps := map[string][]tree.Cell{}
	for i := range j.hogs {
		apps[j.hogs[i].App] = nil
	}
	f.Sums.Each("cell", func(rest []string, r *sums.Row) {
		if cells, hog := apps[rest[0]]; hog {
			apps[rest[0]] = f.appendCell(cells, rest, r)
		}
	})
	var kept []Hog
	for _, h := range j.hogs {
		if len(apps[h.App]) > 0 {
			s := &split{f, f.grower(), apps[h.App], h.Reference}
			root := s.grower.Grow(s.cells)
			if root.Drain.Known() && s.excess(root.Drain).Least() <= 0 {
				where, at := s.worst(root)
				if len(where) == 0 || at.Least() <= 0 {
					j.doubtful = append(append(j.doubtful, h.App), h.Like...)
					continue
				}
				h.Where, h.Drain = where, at
			}
		}
		kept = append(kept, h)
	}
	j.hogs = kept
	slices.Sort(j.doubtful)
}
