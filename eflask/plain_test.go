package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// transcription computes Lemma 3.1 without Match's shortcuts. Benchmarks compare it with Match, to
// measure what the shortcuts gain. It computes candidate sets from the top down, one entry after
// the other, and then sizes from the bottom up, with a Hungarian algorithm for each pair that has
// children. Unlike the oracle, plain, it is fast enough for real trees.
type transcription struct {
	s, r             *preprocess.Tree
	alpha            int32
	sKids, rKids     [][]int32
	candidates       []map[int32]int32 // for each node of s, ρ of each candidate in r
	sizes            []map[int32]int32
	sDepth, rDepth   []int32
	pairs, solutions int
}

func transcribe(s, r *preprocess.Tree, alpha int) *transcription {
	t := &transcription{s: s, r: r, alpha: int32(alpha)}
	t.sKids, t.sDepth = layout(s)
	t.rKids, t.rDepth = layout(r)
	t.candidates = make([]map[int32]int32, len(s.Nodes))
	t.sizes = make([]map[int32]int32, len(s.Nodes))
	for v := range s.Nodes {
		t.find(int32(v))
	}
	for v := len(s.Nodes) - 1; v >= 0; v-- {
		t.size(int32(v))
	}
	return t
}

func layout(t *preprocess.Tree) (kids [][]int32, depth []int32) {
	kids = make([][]int32, len(t.Nodes))
	depth = make([]int32, len(t.Nodes))
	for i, n := range t.Nodes[1:] {
		kids[n.Parent] = append(kids[n.Parent], int32(i+1))
		depth[i+1] = depth[n.Parent] + 1
	}
	return kids, depth
}

// find computes Cα(v) in preorder of the reference.
func (t *transcription) find(v int32) {
	at := make(map[int32]int32)
	var visit func(w int32, dist int32)
	visit = func(w, dist int32) {
		if dist > t.alpha {
			return
		}
		if old, ok := at[w]; ok && old <= dist {
			return
		}
		at[w] = dist
		for _, c := range t.rKids[w] {
			visit(c, dist+1)
		}
	}
	if v == 0 {
		visit(0, 0)
	} else {
		for w, d := range t.candidates[t.s.Nodes[v].Parent] {
			visit(w, d+1)
			for _, c := range t.rKids[w] {
				visit(c, d+int32(t.s.Labels.Gamma(t.s.Nodes[v].Label, t.r.Nodes[c].Label)))
			}
		}
	}
	t.candidates[v] = at
	t.pairs += len(at)
}

func (t *transcription) size(v int32) {
	t.sizes[v] = make(map[int32]int32)
	order := make([]int32, 0, len(t.candidates[v]))
	for w := range t.candidates[v] {
		order = append(order, w)
	}
	slices.Sort(order)
	for _, w := range slices.Backward(order) {
		var best int32
		for _, c := range t.rKids[w] {
			best = max(best, t.sizes[v][c])
		}
		for _, c := range t.sKids[v] {
			best = max(best, t.sizes[c][w])
		}
		here := 1 - int32(t.s.Labels.Gamma(t.s.Nodes[v].Label, t.r.Nodes[w].Label))
		if len(t.sKids[v]) > 0 && len(t.rKids[w]) > 0 {
			rows, cols := t.sKids[v], t.rKids[w]
			if len(rows) > len(cols) {
				here += t.hungarian(len(cols), len(rows), func(i, j int) int32 { return t.sizes[rows[j]][cols[i]] })
			} else {
				here += t.hungarian(len(rows), len(cols), func(i, j int) int32 { return t.sizes[rows[i]][cols[j]] })
			}
		}
		if best = max(best, here); best > 0 {
			t.sizes[v][w] = best
		}
	}
}

// hungarian is the textbook's cubic Hungarian algorithm for n rows and m ≥ n columns.
func (t *transcription) hungarian(n, m int, weight func(i, j int) int32) int32 {
	t.solutions++
	u, v := make([]int32, n+1), make([]int32, m+1)
	row, way := make([]int, m+1), make([]int, m+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		j0 := 0
		least := slices.Repeat([]int32{1 << 30}, m+1)
		used := make([]bool, m+1)
		for row[j0] != 0 {
			used[j0] = true
			i0, delta, j1 := row[j0], int32(1<<30), 0
			for j := 1; j <= m; j++ {
				if used[j] {
					continue
				}
				if cur := -weight(i0-1, j-1) - u[i0] - v[j]; cur < least[j] {
					least[j], way[j] = cur, j0
				}
				if least[j] < delta {
					delta, j1 = least[j], j
				}
			}
			for j := 0; j <= m; j++ {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			row[j0] = row[way[j0]]
			j0 = way[j0]
		}
	}
	return v[0]
}
