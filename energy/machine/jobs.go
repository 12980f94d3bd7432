package machine

import (
	"math"
	"math/bits"
)

// maxParallel is the maximum number of operations that progress at the same time. These operations
// share the energy of a state, so the limit bounds the cost of computing the shares. Few threads
// use one component of a device, but thousands of sends may wait for a slow link.
const maxParallel = 16

// progressUnit is the number of parts of a nanosecond in which progress is measured. Each number up
// to parallel divides fine, so the progress is exact for any number of operations.
const progressUnit = 720720

// If more than minMergedJobs jobs wait, successive jobs with the same owner and round trip are
// merged. This keeps the line short if there are few owners.
const minMergedJobs = 1 << 10

// maxLine limits the number of waiting jobs. Further jobs are merged into the last one, and the
// energy of jobs of different owners is then unattributed.
const maxLine = 1 << 16

// A job is an operation with estimated work. The remaining work is left + part/fine nanoseconds.
type job struct {
	left, part int64
	// roundTrip is the duration of the operation's round trip.
	roundTrip, order int64
	owner            Owner
}

func (j *job) before(o *job) bool {
	return j.left < o.left || j.left == o.left && (j.part < o.part || j.part == o.part && j.order < o.order)
}

// jobs are the operations with estimated work.
type jobs struct {
	// active has the jobs in progress, all of which progress at the same rate. Their remaining work
	// is up to date as of the time worked.
	active []job
	worked int64
	// line has the waiting jobs, from index first on.
	line  []job
	first int
	// joined is set if the line was long and the latest job was merged into the last waiting job.
	// If the two jobs had different owners, both are in lost.
	joined bool
	lost   []Owner
}

// work updates the progress of the active jobs up to t.
func (q *jobs) work(t int64, progresses bool) {
	if n := int64(len(q.active)); progresses && n > 0 && t > q.worked {
		whole, part := (t-q.worked)/n, (t-q.worked)%n*(progressUnit/n)
		for i := range q.active {
			j := &q.active[i]
			j.left -= whole
			if j.part -= part; j.part < 0 {
				j.left--
				j.part += progressUnit
			}
		}
	}
	q.worked = t
}

// least returns the index of the active job that is done first.
func (q *jobs) least() int {
	least := 0
	for i := 1; i < len(q.active); i++ {
		if q.active[i].before(&q.active[least]) {
			least = i
		}
	}
	return least
}

// due returns the moment at which the first active job is done. It returns the constant never if
// there is none.
func (q *jobs) due() int64 {
	if len(q.active) == 0 {
		return never
	}
	j, n := &q.active[q.least()], int64(len(q.active))
	if j.left < 0 {
		return q.worked
	}
	over, left := bits.Mul64(uint64(j.left), uint64(n))
	left += uint64((j.part*n + progressUnit - 1) / progressUnit)
	if over == 0 && left <= uint64(never-max(q.worked, 0)) {
		return q.worked + int64(left)
	}
	return never
}

// pop removes the active job that is done first.
func (q *jobs) pop() job {
	i, last := q.least(), len(q.active)-1
	j := q.active[i]
	q.active[i] = q.active[last]
	q.active = q.active[:last]
	return j
}

// add adds a job and reports whether it is active. An inactive job waits in line, or was merged
// into the last job in line.
func (q *jobs) add(j job) bool {
	q.joined, q.lost = false, q.lost[:0]
	if len(q.active) < maxParallel {
		q.active = append(q.active, j)
		return true
	}
	if n := len(q.line); n > q.first {
		tail := &q.line[n-1]
		if same := tail.owner == j.owner && tail.roundTrip == j.roundTrip; same && n-q.first >= minMergedJobs || n-q.first >= maxLine {
			q.joined = true
			for _, o := range [...]Owner{tail.owner, j.owner} {
				if !same && o != NoOwner {
					q.lost = append(q.lost, o)
					tail.owner = NoOwner
				}
			}
			tail.left += min(j.left, math.MaxInt64-tail.left)
			tail.roundTrip, tail.order = max(tail.roundTrip, j.roundTrip), j.order
			return false
		}
	}
	if q.first > len(q.line)/2 && len(q.line) == cap(q.line) {
		q.line = q.line[:copy(q.line, q.line[q.first:])]
		q.first = 0
	}
	q.line = append(q.line, j)
	return false
}

// merged reports whether the latest job was merged into the last job in line. It returns the owners
// that lost their jobs.
func (q *jobs) merged() (bool, []Owner) {
	if len(q.lost) > 0 {
		return true, q.lost
	}
	return q.joined, nil
}

// next makes the first job in line active, and returns its owner.
func (q *jobs) next() (Owner, bool) {
	if q.first == len(q.line) {
		return NoOwner, false
	}
	j := q.line[q.first]
	if q.first++; q.first == len(q.line) {
		q.line, q.first = q.line[:0], 0
	}
	q.active = append(q.active, j)
	return j.owner, true
}

// A roundTrip is the round trip of an operation after its work.
type roundTrip struct {
	// end is the end of the round trip, or the constant never if there is no round trip.
	end, order int64
	owner      Owner
}

// before reports whether r ends before a round trip with the given end and order. It is true if r
// is no round trip.
func (r *roundTrip) before(end, order int64) bool {
	return r.end == never || r.end < end || r.end == end && r.order < order
}
