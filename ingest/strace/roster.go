package strace

// An id tells a thread from all others of the log: the number that the system gave it, and how
// many threads before it had that number and ended. 0 is a thread whose number no line says.
type id int64

// again is beyond the numbers of threads.
const again = 1 << 32

// number is what the system called the thread.
func (i id) number() int64 { return int64(i) % again }

// A roster tells which thread a line is of. strace leaves the number out as long as there is one
// thread alone, and the system may give the number of one that ended to another.
type roster struct {
	// main is the first thread, 0 while no line has said its number.
	main id
	// live has the threads that are there, with the line that is the first of each.
	live map[id]int
	// ended has the threads that ended, by their numbers.
	ended map[int64]ended
	// began has the line with which the latest call of a thread began.
	began map[id]int
	// line counts the lines.
	line int
}

// An ended is the threads of one number that ended: how many there were, and the line that is
// the first of the last.
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

// holder is the thread that has a number, or will have it.
func (r *roster) holder(number int64) id { return id(number + int64(r.ended[number].threads)*again) }

// child is the thread of a number that the call made which just ended in parent. It may have
// ended before the call did.
func (r *roster) child(parent id, number int64) id {
	of := r.holder(number)
	if e := r.ended[number]; e.threads > 0 && e.first > r.began[parent] {
		return of - again
	}
	return of
}
