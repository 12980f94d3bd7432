package strace

// An id identifies a thread of the log. It is the system's number of the thread, plus 2³² for each
// earlier thread with the same number. Until a line states its number, the first thread has the id
// 0.
type id int64

// again is the distance between the ids of threads with the same number. It exceeds all numbers.
const again = 1 << 32

// number returns the system's number of the thread.
func (i id) number() int64 { return int64(i) % again }

// A roster finds the thread of a line. strace omits the thread number while there is only one
// thread. The system may reuse the number of a thread that has ended.
type roster struct {
	// main is the first thread. It is 0 until a line states its number.
	main id
	// live has the running threads, each with its first line.
	live map[id]int
	// ended has the ended threads, by number.
	ended map[int64]ended
	// began has, for each thread, the line in which its latest call began.
	began map[id]int
	// line counts the lines.
	line int
}

// An ended describes the ended threads with one number. threads is how many there were. first is
// the first line of the latest one.
type ended struct{ threads, first int }

func newRoster(main id) roster {
	return roster{main: main, live: make(map[id]int), ended: make(map[int64]ended), began: make(map[id]int)}
}

// thread returns the thread of a line.
func (r *roster) thread(l *line) id {
	r.line++
	thread := r.holder(l.thread)
	if l.thread == 0 {
		if thread = r.main; len(r.live) == 1 {
			for only := range r.live {
				thread = only
			}
		}
	}
	if _, lives := r.live[thread]; !lives {
		r.live[thread] = r.line
	}
	switch l.kind {
	case isExit:
		if thread != 0 {
			r.ended[thread.number()] = ended{r.ended[thread.number()].threads + 1, r.live[thread]}
		}
		delete(r.live, thread)
		delete(r.began, thread)
	case isCall, isBegin:
		r.began[thread] = r.line
	}
	return thread
}

// holder returns the running thread with a number. If that thread has ended, it returns the id of
// the next thread with this number.
func (r *roster) holder(number int64) id { return id(number + int64(r.ended[number].threads)*again) }

// child returns the thread that a call of parent created. number is the result of the call. The
// child may already have ended.
func (r *roster) child(parent id, number int64) id {
	thread := r.holder(number)
	if e := r.ended[number]; e.threads > 0 && e.first > r.began[parent] {
		return thread - again
	}
	return thread
}
