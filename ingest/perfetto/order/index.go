// Package order merges the streams of a file into one time order.
//
// The packets of a stream are spread over the whole file, between packets of other streams. The
// records in the packets of one stream are nearly in time order. The first pass indexes runs, which
// are ranges of the file with packets of one stream ([Index.Add]). It records the position of each
// run and the earliest time in it. The second pass ([Merge]) reads the runs of each stream in file
// order, one run per stream at a time, and yields the records of all streams in one time order. A
// record waits as long as a later run of any stream may contain an earlier record.
//
// The index, one run of each stream, and the waiting records are kept in memory. The size of the
// index is limited. If streams alternate so often that the index would become too large, runs
// include packets of other streams, and the readers of the streams skip such packets.
package order

import "math"

const (
	// runLen is the largest length of a run, unless a packet is longer.
	runLen = 16 << 10
	// maxRuns limits the number of runs in the index.
	maxRuns = 1 << 20
)

// Unknown is the earliest time of a packet whose times are unknown. A run with this time is read
// before all others.
const Unknown = math.MinInt64

// A run is a range of the file with packets of one stream.
type run struct {
	at, size int64
	// floor is the earliest time in the run. seal changes it to the earliest time in this run and
	// all later runs of the stream.
	floor int64
}

// An Index has the positions of the packets of each stream. The zero Index is empty. It must not be
// used concurrently.
type Index struct {
	streams [][]run
	runs    int
	// gap limits the bytes of other streams between two packets of a run. most limits the length of
	// a run.
	gap, most int64
	sealed    bool
}

// Add adds a packet of a stream, with its offset, its size and its earliest time. Packets must be
// added in file order. Streams are numbered from 0.
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

// join extends a run by the next run of its stream. It returns false if that run is too far away.
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

// coarsen joins runs of a stream that are near each other, to make the index smaller.
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

// seal sets the floor of each run to the earliest time in the run and all later runs of its stream.
func (x *Index) seal() {
	for _, runs := range x.streams {
		for i := len(runs) - 2; i >= 0; i-- {
			runs[i].floor = min(runs[i].floor, runs[i+1].floor)
		}
	}
	x.sealed = true
}
