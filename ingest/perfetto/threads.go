package perfetto

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/ingest/ftrace"
)

// threads are what the events of the kernel tell of threads. What the process tree says of
// one counts more.
type threads struct {
	pages map[int64]*[pageLen]thread
	// last is the page that was looked up last, number its number.
	last   *[pageLen]thread
	number int64
	// none is what is told of threads that there is no room for, or that have no number.
	none thread
}

// pageLen is how many threads with numbers in a row are kept together, maxPages how many
// such pages there may be.
const (
	pageLen  = 64
	maxPages = 1 << 13
)

// A thread is what is told of a thread.
type thread struct {
	name   string
	slices int64
	// process is its process, maker a thread of that; 0 if unknown.
	process, maker int64
}

// of returns a thread by its number.
func (t *threads) of(tid int64) *thread {
	if tid <= 0 {
		return &t.none
	}
	page := tid / pageLen
	if t.last == nil || t.number != page {
		if t.pages == nil {
			t.pages = make(map[int64]*[pageLen]thread)
		}
		if t.pages[page] == nil {
			if len(t.pages) >= maxPages {
				return &t.none
			}
			t.pages[page] = new([pageLen]thread)
		}
		t.last, t.number = t.pages[page], page
	}
	return &t.last[tid%pageLen]
}

// called notes a thread's name.
func (t *threads) called(tid int64, name []byte) {
	if th := t.of(tid); len(name) > 0 && th.name != string(name) {
		th.name = string(name)
	}
}

// began notes a slice that a line begins.
func (t *threads) began(tid int64, line []byte) {
	th := t.of(tid)
	th.slices++
	if th.process != 0 {
		return
	}
	if m, ok := ftrace.ReadMark(line); ok && m.Process > 0 {
		th.process = m.Process
	}
}

// tell tells tasks what is known of the threads. known are those whose process was described.
func (t *threads) tell(tasks *ftrace.Tasks, known map[int64]int64) {
	for _, page := range slices.Sorted(maps.Keys(t.pages)) {
		for i := range t.pages[page] {
			tid, th := page*pageLen+int64(i), &t.pages[page][i]
			if *th == (thread{}) {
				continue
			}
			process, ok := known[tid]
			switch {
			case !ok:
				tasks.Thread(tid, t.processOf(th, known), []byte(th.name))
			case process == tid:
				// The process tree names the process, and not its main thread.
				tasks.Thread(tid, process, []byte(th.name))
			default:
				// Nor need it name the others.
				tasks.Called(tid, []byte(th.name))
			}
			tasks.Slices(tid, th.slices)
		}
	}
}

// maxMakers bounds how far the makers of threads are followed.
const maxMakers = 32

// processOf returns the process of a thread, noProcess if it is unknown.
func (t *threads) processOf(th *thread, known map[int64]int64) int64 {
	for range maxMakers {
		if th.process != 0 {
			return th.process
		}
		if th.maker == 0 {
			break
		}
		if process, ok := known[th.maker]; ok {
			return process
		}
		th = t.of(th.maker)
	}
	return noProcess
}
