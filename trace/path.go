package trace

// A PathSink receives the execution paths through methods. A path is an acyclic sequence of basic
// blocks of one method. A decoder reuses a batch after the method returns. An error ends the scan.
type PathSink interface {
	// Paths receives paths, each with its count. The paths of all batches are numbered from 0, in
	// their order.
	Paths(batch []Path) error
	// PathTimes receives the times of single executions of paths, if the recorder kept them.
	PathTimes(batch []PathTime) error
	// Invocations receives single calls, if the recorder kept their times. The time of a call is
	// also part of the time of the path that makes the call.
	Invocations(batch []Invocation) error
	// PathCost is called once, after the last path.
	PathCost(c PathCost) error
}

// A PathTaker is a Sink that can receive paths.
type PathTaker interface {
	Sink
	// TakePaths is called once per scan, after Start and before the first batch. It returns nil if
	// the sink does not want paths.
	TakePaths() PathSink
}

// Paths returns the sink for paths. It returns nil if sink does not want paths, so that a decoder
// need not decode them. A decoder calls Paths once per scan, unless its format has no paths.
func Paths(sink Sink) PathSink {
	if s, ok := sink.(PathTaker); ok {
		return s.TakePaths()
	}
	return nil
}

// PathEnd is the way in which a path ends.
type PathEnd uint8

// The ends of paths.
const (
	// PathWhole is a path that ran to its end.
	PathWhole PathEnd = iota
	// PathStopped is a path that an exception ended. Its last line is the line that threw.
	PathStopped
	// PathClosed is the last path of an activation whose exit was not recorded. Its lines are
	// unknown.
	PathClosed
	// PathOther represents all paths of the method that the recorder had no memory for. Their lines
	// are unknown.
	PathOther
)

// A Path is a path of a method, with the number of times that a thread executed it.
type Path struct {
	Thread ThreadID
	Method MethodID
	End    PathEnd
	// Continues is set if the next path of the same activation begins on the last line of this
	// path. That line is then entered once, not twice.
	Continues bool
	Count     int64
	// Wall is the sum of the elapsed times of the executions, including callees, in nanoseconds.
	Wall int64
	// Lines are the lines that the path enters, in order. No line repeats the line before it.
	Lines []int32
	// Opcodes has, for each of Lines, the opcodes of the line's DEX instructions. It is nil if they
	// are unknown.
	Opcodes [][]byte
}

// A PathTime is one execution of a path. The times are on the trace's timeline.
type PathTime struct {
	Path        int
	Enter, Exit int64
}

// An Invocation is one timed call, such as a file read, a wait for a lock or a sleep. The executed
// lines of the caller do not show its energy, so its time was recorded (vLens, Section 3.1). The
// times are on the trace's timeline.
type Invocation struct {
	Thread ThreadID
	// Method is the called method. Caller and Line are the method and the line of the call.
	Method, Caller MethodID
	Line           int32
	// Waits is set if the thread only waits in the call, and so uses no energy.
	Waits       bool
	Enter, Exit int64
}

// A PathCost describes the overhead of recording paths (vLens, eq. 5).
type PathCost struct {
	// Busy is the time during which at least one thread was in a method with probes. The recorder
	// merges intervals that are close to each other. Joined is the length of the gaps between them,
	// in which perhaps no thread was in such a method. Busy includes the gaps.
	Busy, Joined int64
	// Probes is the time that the probes took, estimated from the time of one probe when the app
	// started.
	Probes int64
	// Dropped counts the path executions and invocations whose times were not kept.
	Dropped int64
}
