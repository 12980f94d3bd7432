package strace

// An id identifies a thread of the log: the number that the system gave it, and how many
// earlier threads with that number ended. 0 is a thread whose number no line states.
type id int64

// again is above all thread numbers.
const again = 1 << 32

// number returns the system's number of the thread.
func (i id) number() int64 { return int64(i) % again }

// A roster finds the thread of a line. strace omits the number while there is only one thread,
// and the system may reuse the number of a thread that has ended.
type roster struct {
	// main is the first thread, 0 until a line states its number.
	main id
	// live has the running threads, with the first line of each.
	live map[id]int
	// ended has the threads that ended, by their numbers.
	ended map[int64]ended
	// began has the line in which the latest call of a thread began.
	began map[id]int
	// line counts the lines.
	line int
}

// An ended is the ended threads of one number: their count, and the first line of the last one.
type ended struct{ threads, first int }

func newRoster(main id) roster {
	return roster{main: main, live: make(map[id]int), ended: make(map[int64]ended), began: make(map[id]int)}
}

// thread returns the thread of a line.
func (r *roster) thread(l *line) id {
	r.line++
	of := r.holder(l.thread)
	if l.thread == 0 {
		if of = r.main; len(r.live) == 1 {
			for only := range r.live {
				of = only
			}
		}
	}
	if _, lives := r.live[of]; !lives {
		r.live[of] = r.line
	}
	switch l.kind {
	case isExit:
		if of != 0 {
			r.ended[of.number()] = ended{r.ended[of.number()].threads + 1, r.live[of]}
		}
		delete(r.live, of)
		delete(r.began, of)
	case isCall, isBegin:
		r.began[of] = r.line
	}
	return of
}

// holder returns the thread that has a number, or will have it.
func (r *roster) holder(number int64) id { return id(number + int64(r.ended[number].threads)*again) }

// child returns the thread with a number that was created by the call which just ended in
// parent. The child may have ended before the call did.
func (r *roster) child(parent id, number int64) id {
	of := r.holder(number)
	if e := r.ended[number]; e.threads > 0 && e.first > r.began[parent] {
		return of - again
	}
	return of
}
