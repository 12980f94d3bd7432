package atrace

// A roster tells threads apart to which the system gave one number, one after the other, and
// processes likewise. It goes through a log in order, and gives each of them an id: for the first
// of a number the number itself. It knows the numbers whose thread ended.
type roster map[int64]turn

// A turn says how many threads of a number there were before the one that has it, and whether
// that one has ended.
type turn struct {
	before int64
	over   bool
}

// again is beyond the numbers of threads.
const again = 1 << 32

// numberOf returns the number of a thread or a process.
func numberOf(id int64) int64 {
	if id < 0 {
		return id
	}
	return id % again
}

// thread returns the thread that has a number.
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

// process returns the process that has a number. The number is free for another one only when
// it is free for a thread, and the first thread of a process has the same.
func (r roster) process(number int64) int64 { return number + r[number].before*again }

// take replaces the numbers of an event by ids.
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
