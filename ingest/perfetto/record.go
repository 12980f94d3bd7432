package perfetto

import (
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/trace"
)

// A record is a decoded event at a moment, from a packet or an event of the kernel. Its kind
// defines which fields are used.
type record struct {
	// text is the line of a print, or a name. It is valid until the record is processed.
	text []byte
	// thread is the system's id of a thread.
	thread int64
	value  int64
	// index is the index of a track of events, of a series of signals, or of a stack.
	index int32
	core  int32
	// task is the system's id of the thread of an operation, 0 if unknown; thread is then its
	// app.
	task int32
	kind kind
	verb trace.Verb
	// last is set if a flow ends here, or if the previous thread of a switch has ended.
	last bool
}

// kind is the kind of a record.
type kind uint8

const (
	// kindPrint is a line that thread wrote to the kernel's trace.
	kindPrint kind = iota
	// kindSwitch: thread starts running on core.
	kindSwitch
	// kindLeave: thread stops running on core.
	kindLeave
	// kindBegin, kindEnd and kindInstant are events of the track index, named text.
	kindBegin
	kindEnd
	kindInstant
	// kindFlow is a flow from or to the previous event. value is its number. core is flowIn,
	// flowOut or both if the event states it, or 0 if its place in the flow determines it.
	kindFlow
	// kindEnergy is the energy of the slice that ends next, value in nanojoules. core is 1 for
	// a slice that represents samples.
	kindEnergy
	// kindThreadTime is the processor time of the thread of the track index.
	kindThreadTime
	// kindSignal sets the series index to value.
	kindSignal
	// kindOperation is the operation verb of the component index, moving value bytes.
	kindOperation
	// kindSysEnter begins system call number value of thread; text is the event. kindSysExit
	// ends number index with the result value.
	kindSysEnter
	kindSysExit
	// kindProperty sets the system property text to value. kindBrightness sets the screen's
	// brightness in percent.
	kindProperty
	kindBrightness
	// kindSample is the stack index of a thread, with the given value.
	kindSample
)

// Directions of a flow in Chrome's older format.
const (
	flowIn  = 1
	flowOut = 2
)

// A list is records of a stream, in the order of the file.
type list []order.Record[record]

// add appends a record.
func (l *list) add(time int64, r record) {
	*l = append(*l, order.Record[record]{Time: time, Data: r})
}
