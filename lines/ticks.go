package lines

import (
	"time"

	"github.com/diffprof/diffprof/trace"
)

// longestTick is the longest duration of a tick.
const longestTick = int64(2 * time.Millisecond)

// ticks counts the samples of each tick. A tick is a moment at which a recorder takes samples. It
// has at most one sample of each thread.
type ticks struct {
	begin int64
	// latest has the number of each thread's latest tick. number is the number of the current tick.
	latest []int64
	number int64
	// present has the innermost line of each sample in the current tick. counts is a buffer for
	// counting them.
	present []place
	counts  map[place]int64
	// timed is set if samples have different times. In some formats, samples have no times.
	timed bool
	// samples counts all samples. squares is the sum of n² over the places of each tick, where n is
	// the number of samples at the place in the tick.
	samples, squares int64
}

// add adds a sample. It ignores samples whose count is not 1.
func (t *ticks) add(s *trace.Sample) {
	if s.Count != 1 || s.Account != 0 || len(s.Stack) == 0 {
		return
	}
	t.timed = t.timed || t.number > 0 && s.Time != t.begin
	for len(t.latest) <= int(s.Thread) {
		t.latest = append(t.latest, 0)
	}
	last := &t.latest[s.Thread]
	if t.number == 0 || *last == t.number || s.Time < t.begin || s.Time-t.begin > longestTick {
		t.end()
		t.number++
		t.begin = s.Time
	}
	*last = t.number
	own := place{method: s.Stack[len(s.Stack)-1]}
	if len(s.Lines) == len(s.Stack) {
		own.line = s.Lines[len(s.Lines)-1]
	}
	t.present = append(t.present, own)
	t.samples++
}

// end ends a tick.
func (t *ticks) end() {
	if len(t.present) == 1 { // as in most ticks
		t.squares++
		t.present = t.present[:0]
		return
	}
	for _, p := range t.present {
		t.counts[p]++
	}
	for _, n := range t.counts {
		t.squares += n * n
	}
	clear(t.counts)
	t.present = t.present[:0]
}

// together returns the mean number of samples at the same place in a tick, weighted by samples. It
// returns 0 if this number is unknown.
func (t *ticks) together() float64 {
	t.end()
	if t.samples == 0 || !t.timed {
		return 0
	}
	return float64(t.squares) / float64(t.samples)
}
