package atrace

// A roster distinguishes threads that had the same number at different times, and also processes.
// It processes a log in order and gives each thread an id. The id of the first thread with a number
// is the number itself. The roster has an entry for each number whose thread has ended.
type roster map[int64]turn

// A turn is the state of a number. before counts the earlier threads with the number. over is set
// if the latest thread with the number has ended.
type turn struct {
	before int64
	over   bool
}

// again is the difference between the ids of successive threads with the same number. It is larger
// than all thread numbers.
const again = 1 << 32

// numberOf returns the system's number of the thread or process with an id.
func numberOf(id int64) int64 {
	if id < 0 {
		return id
	}
	return id % again
}

// thread returns the id of the current thread with a number.
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

// process returns the id of the current process with a number. The first thread of a process has
// the number of the process, and the system does not reuse the number while any thread has it.
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
