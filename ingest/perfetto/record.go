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
	// index is an index of a track of events, a series of signals, or a stack, as the kind
	// requires.
	index int32
	core  int32
	// task is the system's id of an operation's thread, or 0 if unknown. An operation has the app's
	// uid, or noUID, in place of the thread.
	task int32
	kind kind
	verb trace.Verb
	// last is set if a flow ends at the record, or if the previous thread of a switch has ended.
	last bool
}

// kind is the kind of a record.
type kind uint8

const (
	// kindPrint is a line that a thread wrote to the kernel's trace.
	kindPrint kind = iota
	// kindSwitch means that a core starts to run a thread.
	kindSwitch
	// kindLeave means that a core stops running a thread.
	kindLeave
	// kindBegin, kindEnd and kindInstant are track events. The field index is the track, and the
	// field text is the event's name.
	kindBegin
	kindEnd
	kindInstant
	// kindFlow is a flow from or to the previous event. The field value is the flow's id. The field
	// core is flowIn, flowOut, both, or 0 if the event states no direction. The position of the
	// event in the flow then determines the direction.
	kindFlow
	// kindEnergy is the energy of the slice that ends next. The field value is in nanojoules. The
	// field core is 1 if the slice shows samples, not a call.
	kindEnergy
	// kindThreadTime is a reading of a thread's processor-time clock. The field index is the
	// thread's track.
	kindThreadTime
	// kindSignal is a new value of a signal. The field index is its series.
	kindSignal
	// kindOperation is an operation on a component, such as acquire on a wakelock. The field index
	// is the component, and the field value is the number of bytes or the wakelock's id.
	kindOperation
	// kindSysEnter begins a system call. The field value is the call's number, and the field text
	// is the encoded event. kindSysExit ends a system call. The field index is the call's number,
	// and the field value is its result.
	kindSysEnter
	kindSysExit
	// kindProperty is a new value of the system property that the field text names. kindBrightness
	// is the brightness of the screen in percent.
	kindProperty
	kindBrightness
	// kindSample is a stack sample. The field index is its stack, and the field value is the
	// sample's value.
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
