package metered

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/diffprof/diffprof/regression"
	"github.com/diffprof/diffprof/trace"
)

// A period is the time between two readings of the meter.
type period struct {
	begin, end int64
	energy     float64 // nJ
	// busy is the time in which any path ran.
	busy float64
	// lost is set if the period's energy is not used. Either the meter missed most of the energy,
	// or the recorder itself kept the device busy.
	lost bool
}

func (p *period) length() float64 { return float64(p.end - p.begin) }

// A part is the time of a run in a period. If several threads run at once, each gets an equal share
// of the time.
type part struct {
	run, period int32
	time        float64
}

// A sheet has the times of runs in the periods of the meter.
type sheet struct {
	*Data
	periods []period
	usual   float64 // the median length of periods
	// parts are sorted by run. first has the index of each run's first part.
	parts []part
	first []int32
	time  busyTime
	// whole reports, for each run, whether it begins and ends in the window.
	whole []bool
	// pathFirst has, for each path, the index of its first whole run. Whole runs are ordered by path
	// and then by their first period. filledFirst has, for each whole run, the index of its first
	// part in filled. measure thus reads memory in order.
	pathFirst, filledFirst []int32
	filled                 []filledPart
	// lines has the lines of all paths. uses has the lines of each path.
	lines []place
	uses  [][]use
	// opcodes is the number of different opcodes, or 0 if opcodes are unknown.
	opcodes int
	// probe is the mean time of a run's probes, in ns.
	probe float64
	// blend is the result of findBlend.
	blend float64
	// powers is the relative standard deviation of the power of lines.
	powers float64
	// doubts has the variance of the sampled time in each period. It is nil for paths.
	doubts []float64
	// halves has the time of each part, estimated from every second sample. It is nil for paths.
	halves []float64
}

// A place is a line of a method.
type place struct {
	method trace.MethodID
	line   int32
}

// A use is a line in a path. entries is the number of times that a run through the path enters the
// line.
type use struct {
	line    int32 // line is an index in sheet.lines.
	entries float64
	opcodes []opcode
}

// An opcode is a kind of instruction, with the number of times that it is executed.
type opcode struct {
	kind  int32
	count float64
}

// maxPeriods bounds the number of periods. If a fast meter has more readings, periods are joined.
const maxPeriods = 1 << 17

// newSheet divides the window into periods, and the runs into parts.
func newSheet(d *Data) *sheet {
	s := &sheet{Data: d, powers: minPowers}
	var cuts []int64
	cut := func(t int64) {
		if len(cuts) == 0 || t > cuts[len(cuts)-1] {
			cuts = append(cuts, t)
		}
	}
	cut(d.begin)
	step := len(d.meter)/maxPeriods + 1
	for i := 0; i < len(d.meter); i += step {
		if t := d.meter[i].time; t > d.begin && t < d.end {
			cut(t)
		}
	}
	cut(d.end)
	for i := range len(cuts) - 1 {
		s.periods = append(s.periods, period{begin: cuts[i], end: cuts[i+1], energy: float64(d.meter.energy(cuts[i], cuts[i+1]))})
	}
	s.usual = usualLength(s.periods)
	s.leaveBursts()
	s.divide(cuts)
	s.findLines()
	if total := d.totalRuns(); total > 0 {
		s.probe = float64(d.cost.Probes) / float64(total)
	}
	return s
}

// leaveBursts marks the periods of bursts as lost, with one period on each side. In a burst, the
// recorder itself kept the device busy.
func (s *sheet) leaveBursts() {
	for _, b := range s.bursts {
		first := sort.Search(len(s.periods), func(i int) bool { return s.periods[i].end > b.Begin })
		end := sort.Search(len(s.periods), func(i int) bool { return s.periods[i].begin >= b.End })
		for i := max(first-1, 0); i < min(end+1, len(s.periods)); i++ {
			s.periods[i].lost = true
		}
	}
}

// usualLength returns the median length of periods.
func usualLength(periods []period) float64 {
	lengths := make([]float64, len(periods))
	for i := range periods {
		lengths[i] = periods[i].length()
	}
	return regression.MedianOf(lengths)
}

// totalRuns returns the number of runs through paths, with known and unknown times.
func (d *Data) totalRuns() int64 {
	n := int64(0)
	for i := range d.paths {
		n += d.paths[i].Count
	}
	return max(n, int64(len(d.runs)))
}

// divide computes the parts of the runs. cuts are the ends of the periods.
func (s *sheet) divide(cuts []int64) {
	threads := make(map[trace.ThreadID][]int32)
	for i, r := range s.runs {
		th := s.paths[r.path].Thread
		threads[th] = append(threads[th], int32(i))
	}
	order := make([]trace.ThreadID, 0, len(threads))
	for th := range threads {
		order = append(order, th)
	}
	slices.Sort(order)
	edges := make([]edge, 0, 2*len(s.runs))
	for _, th := range order {
		list := threads[th]
		slices.SortStableFunc(list, func(a, b int32) int {
			return cmp.Or(cmp.Compare(s.runs[a].enter, s.runs[b].enter), cmp.Compare(s.runs[b].exit, s.runs[a].exit))
		})
		edges = innermost(th, s.runs, list, s.kind, edges)
	}
	last := make([]int32, len(s.runs))
	for i := range last {
		last[i] = -1
	}
	at, total := 0, 0.0
	sweep(edges, cuts, func(sl *slice) {
		if n := len(s.time.at); n == 0 || s.time.at[n-1] < sl.begin {
			s.time.at, s.time.busy = append(s.time.at, sl.begin), append(s.time.busy, total)
		}
		total += float64(sl.end - sl.begin)
		s.time.at, s.time.busy = append(s.time.at, sl.end), append(s.time.busy, total)
		for at < len(s.periods) && s.periods[at].end <= sl.begin {
			at++
		}
		if at == len(s.periods) || sl.begin < s.periods[at].begin {
			return
		}
		length := float64(sl.end - sl.begin)
		s.periods[at].busy += length
		for _, r := range sl.runs {
			if k := last[r]; k >= 0 && int(s.parts[k].period) == at {
				s.parts[k].time += length / float64(len(sl.runs))
				continue
			}
			last[r] = int32(len(s.parts))
			s.parts = append(s.parts, part{r, int32(at), length / float64(len(sl.runs))})
		}
	})
	slices.SortStableFunc(s.parts, func(a, b part) int { return cmp.Compare(a.run, b.run) })
	s.first = make([]int32, len(s.runs)+1)
	for _, p := range s.parts {
		s.first[p.run+1]++
	}
	for i := range s.runs {
		s.first[i+1] += s.first[i]
	}
	s.whole = make([]bool, len(s.runs))
	for i, r := range s.runs {
		s.whole[i] = r.enter >= s.begin && r.exit <= s.end
	}
	s.orderByPath()
}

// A filledPart is a part of a whole run. fill is its time, multiplied by the share of the period's
// paths that it has.
type filledPart struct {
	time   float64
	fill   float32
	period int32
}

// orderByPath computes pathFirst, filledFirst and filled.
func (s *sheet) orderByPath() {
	s.pathFirst = make([]int32, len(s.paths)+1)
	count := 0
	for i, r := range s.runs {
		if parts := s.partsOf(i); s.whole[i] && len(parts) > 0 {
			s.pathFirst[r.path+1]++
			count += len(parts)
		}
	}
	for p := range s.paths {
		s.pathFirst[p+1] += s.pathFirst[p]
	}
	order := make([]int32, s.pathFirst[len(s.paths)])
	next := slices.Clone(s.pathFirst)
	for i, r := range s.runs {
		if s.whole[i] && len(s.partsOf(i)) > 0 {
			order[next[r.path]] = int32(i)
			next[r.path]++
		}
	}
	s.filledFirst = make([]int32, 0, len(order)+1)
	s.filled = make([]filledPart, 0, count)
	for p := range s.paths {
		runs := order[s.pathFirst[p]:s.pathFirst[p+1]]
		slices.SortStableFunc(runs, func(a, b int32) int { return cmp.Compare(s.partsOf(int(a))[0].period, s.partsOf(int(b))[0].period) })
		for _, i := range runs {
			s.filledFirst = append(s.filledFirst, int32(len(s.filled)))
			for _, p := range s.partsOf(int(i)) {
				fill := p.time * math.Min(ratio(p.time, s.periods[p.period].busy), 1)
				s.filled = append(s.filled, filledPart{p.time, float32(fill), p.period})
			}
		}
	}
	s.filledFirst = append(s.filledFirst, int32(len(s.filled)))
}

// partsOf returns the parts of a run.
func (s *sheet) partsOf(run int) []part { return s.parts[s.first[run]:s.first[run+1]] }

// findLines numbers the lines and the opcodes of paths.
func (s *sheet) findLines() {
	ids := make(map[place]int32)
	kinds := make(map[byte]int32)
	s.uses = make([][]use, len(s.paths))
	for i := range s.paths {
		p := &s.paths[i]
		if p.End != trace.PathWhole && p.End != trace.PathStopped {
			continue
		}
		index := make(map[int32]int)
		for k, line := range p.Lines {
			if line <= 0 {
				continue
			}
			at := place{p.Method, line}
			id, known := ids[at]
			if !known {
				id = int32(len(s.lines))
				ids[at] = id
				s.lines = append(s.lines, at)
			}
			u, known := index[id]
			if !known {
				u = len(s.uses[i])
				index[id] = u
				s.uses[i] = append(s.uses[i], use{line: id})
			}
			spent := &s.uses[i][u]
			spent.entries++
			if k >= len(p.Opcodes) {
				continue
			}
			for _, code := range p.Opcodes[k] {
				kind, known := kinds[code]
				if !known {
					kind = int32(len(kinds))
					kinds[code] = kind
				}
				j := slices.IndexFunc(spent.opcodes, func(o opcode) bool { return o.kind == kind })
				if j < 0 {
					j = len(spent.opcodes)
					spent.opcodes = append(spent.opcodes, opcode{kind, 0})
				}
				spent.opcodes[j].count++
			}
		}
	}
	s.opcodes = len(kinds)
	if s.opcodes > 0 {
		return
	}
	// Without opcodes, an entry of a line counts as one instruction.
	for i := range s.uses {
		for k := range s.uses[i] {
			u := &s.uses[i][k]
			u.opcodes = []opcode{{0, u.entries}}
		}
	}
}

// kinds returns the number of opcodes, at least 1.
func (s *sheet) kinds() int { return max(s.opcodes, 1) }

// ratio returns a divided by b, and 0 if b is not positive.
func ratio(a, b float64) float64 {
	if b <= 0 || math.IsNaN(a) || math.IsInf(a, 0) {
		return 0
	}
	return a / b
}
