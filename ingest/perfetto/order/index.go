// Package order puts what many streams of a file hold into one order of time.
//
// The records of a stream lie in packets all over the file, between those of other streams,
// and nearly in order of time. The first pass notes runs of packets of one stream
// ([Index.Add]): where a run lies, and the earliest time in it. The second ([Merge]) reads
// the runs of each stream in the order of the file, one run of a stream at a time, and gives
// their records in order of time over all streams: a record waits until no later run of any
// stream can hold an earlier one.
//
// Memory is needed for the index, for a run of each stream, and for records that wait. The
// index is bounded: where streams alternate so often that it would grow too large, runs take
// in packets of other streams, which their readers pass over.
package order

import "math"

const (
	// runLen is how long a run is, unless a packet is longer.
	runLen = 16 << 10
	// maxRuns bounds the index.
	maxRuns = 1 << 20
)

// Unknown is the time of a run whose times are not known yet. It is read at once.
const Unknown = math.MinInt64

// A run is a stretch of the file that has packets of a stream.
type run struct {
	at, size int64
	// floor is the earliest time in the run and, once all are known, in the later runs of
	// the stream.
	floor int64
}

// An Index knows where the packets of each stream are. The zero Index is empty. It is for
// one goroutine.
type Index struct {
	streams [][]run
	runs    int
	// gap is how many bytes of other streams a run may hold in one place, most how long
	// it may get.
	gap, most int64
	sealed    bool
}

// Add notes a packet of a stream: where it lies, how long it is, and the earliest time in
// it. Packets come in the order of the file. Streams count up from 0.
func (x *Index) Add(stream int, at, size, earliest int64) {
	for len(x.streams) <= stream {
		x.streams = append(x.streams, nil)
	}
	runs := x.streams[stream]
	if n := len(runs); n > 0 && runs[n-1].join(run{at, size, earliest}, x.gap, max(x.most, runLen)) {
		return
	}
	x.streams[stream] = append(runs, run{at, size, earliest})
	x.runs++
	for x.runs > maxRuns {
		x.coarsen()
	}
}

// join extends a run by the next one of its stream, if that lies near enough.
func (r *run) join(next run, gap, most int64) bool {
	end := next.at + next.size
	between := next.at - (r.at + r.size)
	if between < 0 || between > gap || end-r.at > most {
		return false
	}
	r.size = end - r.at
	r.floor = min(r.floor, next.floor)
	return true
}

// coarsen joins runs that lie near each other.
func (x *Index) coarsen() {
	x.gap = max(4*x.gap, 256)
	x.most = max(4*x.most, 4*runLen)
	x.runs = 0
	for i, runs := range x.streams {
		kept := runs[:1]
		for _, r := range runs[1:] {
			if !kept[len(kept)-1].join(r, x.gap, x.most) {
				kept = append(kept, r)
			}
		}
		x.streams[i] = kept
		x.runs += len(kept)
	}
}

// seal makes the floor of each run that of all that follow.
func (x *Index) seal() {
	for _, runs := range x.streams {
		for i := len(runs) - 2; i >= 0; i-- {
			runs[i].floor = min(runs[i].floor, runs[i+1].floor)
		}
	}
	x.sealed = true
}
