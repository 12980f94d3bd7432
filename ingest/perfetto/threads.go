package perfetto

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/ingest/ftrace"
)

// threads has data about threads from kernel events. Data in the process tree takes precedence.
type threads struct {
	pages map[int64]*[pageLen]thread
	// last is the most recently used page, and number is its index.
	last   *[pageLen]thread
	number int64
	// none is shared by all threads beyond the limit, and by threads without an id.
	none thread
}

// pageLen is the number of consecutive thread ids in a page. maxPages limits the number of pages.
const (
	pageLen  = 64
	maxPages = 1 << 13
)

// A thread has the data about a thread.
type thread struct {
	name   string
	slices int64
	// process is the thread's process. maker is the thread of the same process that created it.
	// Each is 0 if unknown.
	process, maker int64
}

// get returns a thread by its number.
func (t *threads) get(tid int64) *thread {
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

// called sets a thread's name.
func (t *threads) called(tid int64, name []byte) {
	if th := t.get(tid); len(name) > 0 && th.name != string(name) {
		th.name = string(name)
	}
}

// began counts a slice if the line begins a slice.
func (t *threads) began(tid int64, line []byte) {
	th := t.get(tid)
	th.slices++
	if th.process != 0 {
		return
	}
	if m, ok := ftrace.ReadMark(line); ok && m.Process > 0 {
		th.process = m.Process
	}
}

// addTo adds the threads of the first pass to tasks. The map known has the processes of described
// threads.
func (t *threads) addTo(tasks *ftrace.Tasks, known map[int64]int64) {
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
				// The process tree has the name of the process, but not the name of its main
				// thread.
				tasks.Thread(tid, process, []byte(th.name))
			default:
				// The process tree may lack the names of other threads.
				tasks.SetName(tid, []byte(th.name))
			}
			tasks.AddSlices(tid, th.slices)
		}
	}
}

// maxMakers limits how many creators are tried to find a thread's process.
const maxMakers = 32

// processOf returns the process of a thread, or noProcess if it is unknown.
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
		th = t.get(th.maker)
	}
	return noProcess
}
