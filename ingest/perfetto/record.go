package perfetto

import (
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/trace"
)

// A record is something that happened at a moment, as one packet or one event of the kernel
// tells it. Which of its fields mean anything, its kind says.
type record struct {
	// text is the line of a print, or a name. It is good until the record was taken.
	text []byte
	// thread is the system's id of a thread.
	thread int64
	value  int64
	// index is that of a track of events, of a series of signals, or of a stack.
	index int32
	core  int32
	// task is the system's id of the thread that asked for an operation, 0 if that is not
	// known; thread is its app.
	task int32
	kind kind
	verb trace.Verb
	// last says that a flow ends here, or that the thread before a switch has ended.
	last bool
}

// kind says what a record is.
type kind uint8

const (
	// kindPrint is a line that thread wrote to the kernel's trace.
	kindPrint kind = iota
	// kindSwitch: thread runs on core from now on.
	kindSwitch
	// kindLeave: thread runs on core no longer.
	kindLeave
	// kindBegin, kindEnd and kindInstant are events of the track index, called text.
	kindBegin
	kindEnd
	kindInstant
	// kindFlow leads from or to the event before it: value is its number. core is flowIn,
	// flowOut or both where the event says which, 0 where its place among others does.
	kindFlow
	// kindEnergy is the energy, of value nanojoules, of the slice that ends next; core is 1 for one of
	// samples.
	kindEnergy
	// kindThreadTime is the processor time of the thread of the track index.
	kindThreadTime
	// kindSignal gives the series index the value.
	kindSignal
	// kindOperation is what verb says of the component index, of value bytes.
	kindOperation
	// kindSysEnter begins system call number value of thread, whose event is text; kindSysExit ends
	// number index with the result value.
	kindSysEnter
	kindSysExit
	// kindProperty is the value of a system property called text, kindBrightness is that of the
	// screen in percent.
	kindProperty
	kindBrightness
	// kindSample is the stack index of a thread, worth value.
	kindSample
)

// Directions of a flow, as Chrome's older format has them.
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
