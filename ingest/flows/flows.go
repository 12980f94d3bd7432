// Package flows reads which work one thread handed over to another, for example by posting a
// Runnable. Method traces do not record such hand-overs, so they come from a text file. Package
// flows inserts them into the events of a trace.
//
// The file states which thread put an object into a queue (enqueue), and which thread took it out
// and did its work (dispatch):
//
//	# posted by the click, run by the main looper
//	enqueue  12 1500 2c5fd1
//	dispatch  1 1720 2c5fd1
//
// A line has a verb, a thread's id as in the trace, a time, and the object's hash. The hash is any
// text without spaces. The time is in whole microseconds since the start of the trace. Its clock is
// the wall clock of the trace or, if there is none, the thread's own clock. Blank lines, and
// comments after a #, are skipped. Lines may be in any order.
//
// A dispatch belongs to the latest earlier enqueue with the same hash; equal times are allowed
// (DiffProf, OSDI 2018, Section 3.5). An enqueue may belong to several dispatches.
//
// A hand-over is inserted after all events of its thread whose time is not after the hand-over. It
// takes no time. Lines of threads without events, and dispatches without an enqueue, are left out
// and counted in a warning.
package flows

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
)

// Flows are the hand-overs in a file. They are immutable.
type Flows struct {
	// marks are sorted by time.
	marks []mark
	// resolved counts enqueues that have a dispatch. orphans counts dispatches without an enqueue.
	resolved, orphans int
}

// A mark is one line of a file: an enqueue or a dispatch.
type mark struct {
	dispatch bool
	flow     int32 // flow is the number of the hand-over, or -1 if the other half is missing.
	thread   int64
	time     int64 // time is in microseconds.
	hash     string
}

const (
	// maxMarks limits the memory for a file. maxFlowTime limits its times to 146 years, so that
	// they fit in nanoseconds.
	maxMarks    = 1 << 22
	maxFlowTime = math.MaxInt64 / 2000
)

// Read reads a file of hand-overs. If the file is invalid, it returns a *syntax.Error with the
// line.
func Read(r io.Reader) (*Flows, error) {
	f := &Flows{}
	lines := bufio.NewScanner(r)
	number := 0
	for lines.Scan() {
		number++
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		m, err := parseMark(fields)
		if err == nil && len(f.marks) == maxMarks {
			err = fmt.Errorf("more than %d lines", maxMarks)
		}
		if err != nil {
			return nil, &syntax.Error{Format: "flows", Line: number, Err: err,
				Hint: "write enqueue or dispatch, a thread id, a time in microseconds and a hash"}
		}
		f.marks = append(f.marks, m)
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, &syntax.Error{Format: "flows", Line: number + 1, Err: errors.New("the line is too long")}
		}
		return nil, err
	}
	f.resolve()
	return f, nil
}

func parseMark(fields []string) (mark, error) {
	m := mark{flow: -1}
	if len(fields) != 4 {
		return m, fmt.Errorf("%d fields, not 4", len(fields))
	}
	switch fields[0] {
	case "enqueue":
	case "dispatch":
		m.dispatch = true
	default:
		return m, fmt.Errorf("%.40q is neither enqueue nor dispatch", fields[0])
	}
	var err error
	if m.thread, err = strconv.ParseInt(fields[1], 10, 64); err != nil || m.thread < 0 {
		return m, fmt.Errorf("thread %.40q is not an id", fields[1])
	}
	if m.time, err = strconv.ParseInt(fields[2], 10, 64); err != nil || m.time < 0 || m.time > maxFlowTime {
		return m, fmt.Errorf("time %.40q is not a count of microseconds", fields[2])
	}
	m.hash = strings.Clone(fields[3])
	return m, nil
}

// resolve sorts the marks, and numbers the hand-overs in the order of their enqueues.
func (f *Flows) resolve() {
	slices.SortStableFunc(f.marks, func(a, b mark) int {
		if c := cmp.Compare(a.time, b.time); c != 0 || a.dispatch == b.dispatch {
			return c
		}
		if b.dispatch {
			return -1
		}
		return 1
	})
	last := make(map[string]int) // last has the latest enqueue of each hash.
	origin := make([]int, len(f.marks))
	for i := range f.marks {
		m := &f.marks[i]
		if !m.dispatch {
			last[m.hash] = i
			continue
		}
		at, ok := last[m.hash]
		if !ok {
			f.orphans++
			continue
		}
		origin[i] = at
		f.marks[at].flow, m.flow = 0, 0
	}
	for i := range f.marks {
		switch m := &f.marks[i]; {
		case m.flow < 0:
		case m.dispatch:
			// The enqueue precedes the dispatch, so the enqueue already has a
			// number.
			m.flow = f.marks[origin[i]].flow
		default:
			m.flow = int32(f.resolved)
			f.resolved++
		}
	}
}
