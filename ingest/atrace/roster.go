package atrace

// A roster gives different ids to threads that had the same system number at different times. It
// does the same for processes. The first thread with a number has the number as its id. The roster
// has an entry for a number once a thread with it has ended.
type roster map[int64]turn

// A turn describes the use of a number. before counts the threads that had the number before the
// latest one. over is set if the latest thread has ended.
type turn struct {
	before int64
	over   bool
}

// again is added to the id each time a number is reused. It is larger than all thread numbers.
const again = 1 << 32

// numberOf returns the system's number of the thread or process with an id.
func numberOf(id int64) int64 {
	if id < 0 {
		return id
	}
	return id % again
}

// thread returns the id of the thread that now has a number.
func (r roster) thread(number int64) int64 {
	t, ok := r[number]
	if !ok {
		return number
	}
	if t.over {
		t = turn{before: t.before + 1}
		r[number] = t
	}
	return number + t.before*again
}

// process returns the id of the process that now has a number. A process and its first thread have
// the same number, and Linux does not reuse the number while any thread has it.
func (r roster) process(number int64) int64 { return number + r[number].before*again }

// take replaces the thread and process numbers in an event by ids.
func (r roster) take(e *event) {
	prev := e.prev.tid
	if len(r) > 0 {
		e.tid = r.thread(e.tid)
		e.tgid = r.process(e.tgid)
		switch e.kind {
		case schedSwitch:
			e.prev.tid, e.next.tid = r.thread(e.prev.tid), r.thread(e.next.tid)
		case mark:
			e.mark.Process = r.process(e.mark.Process)
		}
	}
	if e.kind == schedSwitch && e.gone && prev > 0 {
		r[prev] = turn{before: r[prev].before, over: true}
	}
}
