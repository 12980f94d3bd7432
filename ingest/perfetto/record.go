package perfetto

import (
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/trace"
)

// A record is a decoded event, from a packet or from a kernel event. Its kind determines which
// fields are used.
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
	// task is the system's id of an operation's thread. It is 0 if unknown, and the field thread is
	// then the uid of the app.
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
	// kindSwitch means that core starts to run thread.
	kindSwitch
	// kindLeave means that core stops running thread.
	kindLeave
	// kindBegin, kindEnd and kindInstant are events with the name text on the track index.
	kindBegin
	kindEnd
	kindInstant
	// kindFlow is a flow from or to the previous event. value is the flow's id. core is flowIn,
	// flowOut or both if the event states a direction. If core is 0, the event's position in the
	// flow determines the direction.
	kindFlow
	// kindEnergy states the energy of the slice that ends next: value, in nanojoules. core is 1 if
	// the slice represents samples.
	kindEnergy
	// kindThreadTime is a reading of the thread clock of the thread that owns the track index.
	kindThreadTime
	// kindSignal sets the series index to value.
	kindSignal
	// kindOperation is the operation verb on the component index. It moves value bytes.
	kindOperation
	// kindSysEnter begins a system call on thread. value is the number of the system call, and text
	// is the encoded event. kindSysExit ends a system call. index is the number of the system call,
	// and value is its result.
	kindSysEnter
	kindSysExit
	// kindProperty sets the system property text to value. kindBrightness sets the screen's
	// brightness in percent.
	kindProperty
	kindBrightness
	// kindSample is a stack sample. index is the index of the stack, and value is the sample's
	// value.
	kindSample
)

// The directions of a flow in Chrome's older format.
const (
	flowIn  = 1
	flowOut = 2
)

// A list has records of a stream in file order.
type list []order.Record[record]

// add appends a record.
func (l *list) add(time int64, r record) {
	*l = append(*l, order.Record[record]{Time: time, Data: r})
}
