package art

import (
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// maxThreads limits the table of the packed form, whose ids have 32 bits. Ids of the other forms
// have at most 16 bits.
const maxThreads = 1 << 20

// A thread is the state of a thread between its events. Clock readings are in the file's unit.
type thread struct {
	// cpu and wall are the largest readings so far.
	cpu, wall           int64
	firstCPU, firstWall int64
	events              int64
	id                  int64
	name                string
}

// threads is the table of threads. Threads that the file lists come first. Other threads follow in
// the order of their first events.
type threads struct {
	list []thread
	byID map[int64]int32
	// byRecord maps the thread number of a record to an index in list. The index is -1 before the
	// thread's first event. A record has only the low bits of the thread's id.
	byRecord []int32
	unlisted int
	// newest is the latest time of an event so far. skew is the largest amount by which a later
	// event in the file had an earlier time than newest.
	newest, skew int64
}

// add adds a thread and returns its index. If the thread is already listed, it sets the name.
func (t *threads) add(id int64, name string) int32 {
	if t.byID == nil {
		t.byID = make(map[int64]int32)
	}
	if i, ok := t.byID[id]; ok {
		if name != "" {
			t.list[i].name = name
		}
		return i
	}
	i := int32(len(t.list))
	t.byID[id] = i
	t.list = append(t.list, thread{id: id, name: name})
	return i
}

// start creates byRecord for thread numbers of the given number of bits.
func (t *threads) start(bits int) {
	t.byRecord = make([]int32, 1<<bits)
	for i := range t.byRecord {
		t.byRecord[i] = -1
	}
}

// resolve finds the thread for the thread number in a record. It tries, in this order:
//
//   - the thread whose id is the number
//   - the first listed thread whose id has the number as its low bits
//   - a new thread
func (t *threads) resolve(number uint32) *thread {
	i, ok := t.byID[int64(number)]
	if !ok {
		mask := int64(len(t.byRecord) - 1)
		for j := range t.list {
			if th := &t.list[j]; th.id > mask && th.id&mask == int64(number) {
				i, ok = int32(j), true
				break
			}
		}
	}
	if !ok {
		i = t.add(int64(number), "")
		t.unlisted++
	}
	t.byRecord[number] = i
	return &t.list[i]
}

// noteLate records that an event is earlier than an event before it in the file, by the given time.
func (t *threads) noteLate(by int64) { t.skew = max(t.skew, by) }

// table returns the threads for the Trace. unit is the unit of the clock readings.
func (t *threads) table(unit time.Duration) []trace.Thread {
	list := make([]trace.Thread, len(t.list))
	for i, th := range t.list {
		list[i] = trace.Thread{
			ID: th.id, Name: th.name, Events: th.events,
			CPU:  span(th.cpu-th.firstCPU, unit),
			Wall: span(th.wall-th.firstWall, unit),
		}
	}
	return list
}

// span returns the duration of n units, or the largest Duration if that overflows.
func span(n int64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}

// first sets a thread's clocks to the readings at its first event.
func (th *thread) first(cpu, wall int64) {
	th.cpu, th.wall = cpu, wall
	th.firstCPU, th.firstWall = cpu, wall
}

// unwrap32 converts the first 32-bit wall clock reading of a thread to a time in microseconds. It
// chooses the time nearest to the latest time of the other threads.
func unwrap32(reading uint32, newest int64) int64 {
	return max(newest+int64(int32(reading-uint32(newest))), int64(reading))
}

// step32 advances the clock held to a 32-bit reading, and returns the difference. If the clock went
// back, it returns 0 and counts the reading in backwards.
//
// Differences of more than half of the 32-bit range are ambiguous:
//
//   - The reading is far below the clock: the clock has wrapped around.
//   - The reading is far above, after a wrap: the clock went back to before the wrap.
//   - The reading is far above, before the first wrap: the thread slept for a long time.
func step32(held *int64, reading uint32, backwards *int64) int64 {
	delta := int64(reading) - int64(uint32(*held))
	if uint64(delta) > 1<<31 {
		switch {
		case delta < -1<<31:
			delta += 1 << 32
		case delta < 0, *held >= 1<<32:
			*backwards++
			return 0
		}
	}
	*held += delta
	return delta
}

// step64 is step32 for clocks that do not wrap around.
func step64(held *int64, reading int64, backwards *int64) int64 {
	delta := reading - *held
	if delta < 0 {
		*backwards++
		return 0
	}
	*held = reading
	return delta
}
