package perfetto

import (
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/trace"
)

// A record is a decoded event at a moment. It comes from a packet or from an event of the kernel.
// The kind of the record determines which fields are used.
type record struct {
	// text is the line of a print, or a name. It is valid until the record is processed.
	text []byte
	// thread is the system's id of a thread.
	thread int64
	value  int64
	// index is the index of a track of events, of a series of signals, or of a stack. The kind
	// decides which.
	index int32
	core  int32
	// task is the system's id of the thread of an operation. It is 0 if unknown, and thread is then
	// the app.
	task int32
	kind kind
	verb trace.Verb
	// last is set if a flow ends at the record, or if the previous thread of a switch has ended.
	last bool
}

// kind is the kind of a record.
type kind uint8

const (
	// kindPrint is a line that thread wrote to the kernel's trace.
	kindPrint kind = iota
	// kindSwitch means that thread starts to run on core.
	kindSwitch
	// kindLeave means that thread stops running on core.
	kindLeave
	// kindBegin, kindEnd and kindInstant are events of the track index with the name text.
	kindBegin
	kindEnd
	kindInstant
	// kindFlow is a flow from or to the previous event. value is its number. core is flowIn,
	// flowOut or both if the event states the direction. It is 0 if the position in the flow
	// determines the direction.
	kindFlow
	// kindEnergy is the energy value of the slice that ends next, in nanojoules. core is 1 if the
	// slice represents samples.
	kindEnergy
	// kindThreadTime is the processor time of the thread that owns the track index.
	kindThreadTime
	// kindSignal sets the series index to value.
	kindSignal
	// kindOperation is the operation verb by the component index. It moves value bytes.
	kindOperation
	// kindSysEnter begins a system call on thread. value is the number of the call, and text is the event.
	// kindSysExit ends a system call. index is the number of the call, and value is the result.
	kindSysEnter
	kindSysExit
	// kindProperty sets the system property text to value. kindBrightness sets the screen's
	// brightness in percent.
	kindProperty
	kindBrightness
	// kindSample is the stack index of a thread. The value of the sample is value.
	kindSample
)

// These are the directions of a flow in Chrome's older format.
const (
	flowIn  = 1
	flowOut = 2
)

// A list has records of a stream in the order of the file.
type list []order.Record[record]

// add appends a record.
func (l *list) add(time int64, r record) {
	*l = append(*l, order.Record[record]{Time: time, Data: r})
}
