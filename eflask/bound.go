package eflask

// bound returns an upper bound of μ(v, w). It follows the recurrence for the given number of
// levels, and compares labels from there on.
func (s *searcher) bound(v, w int32, levels int) int32 {
	sub, ref := s.m.sub, s.m.ref
	most := min(sub.size(v), ref.size(w))
	mine, others := sub.children(v), ref.children(w)
	if levels == 0 || most < leastLarge/4 {
		return s.common(v, w)
	}
	least := int32(0)
	var rows int32
	var columns [maxSpread]int32
	for _, x := range mine {
		best := int32(0)
		for j, y := range others {
			n := s.bound(x, y, levels-1)
			best, columns[j] = max(best, n), max(columns[j], n)
		}
		rows += best
		least = max(least, min(sub.size(x), ref.size(w)))
	}
	sum := int32(0)
	for j, y := range others {
		sum += columns[j]
		least = max(least, min(sub.size(v), ref.size(y)))
	}
	return min(most, max(least, 1+min(rows, sum)))
}

// wide decides which pairs are anchors if there are many children. It is cheaper than narrow: one
// bound for all edges of a child together.
func (s *searcher) wide(v, w int32) {
	s.visits += 2 * int64(s.m.sub.size(v)+s.m.ref.size(w))
	s.here.add(s.subClasses(v)[1:], 1)
	s.there.add(s.refClasses(w)[1:], 1)
	for i := range s.rows {
		r := &s.rows[i]
		if !r.anchor {
			continue
		}
		mine, others := s.subClasses(r.v), s.refClasses(r.w)
		s.visits += 4 * int64(len(mine)+len(others))
		s.here.add(mine, -1)
		s.there.add(others, -1)
		r.anchor = s.natural[r.v] > s.there.common(mine)+s.here.common(others)
		s.here.add(mine, 1)
		s.there.add(others, 1)
	}
	s.here.add(s.subClasses(v)[1:], -1)
	s.there.add(s.refClasses(w)[1:], -1)
}
