package trace

// A PathSink receives the paths through methods that a run took. A path is a part of the control flow
// through a method, without a cycle. A decoder reuses a batch after the method returns. An error ends the
// scan.
type PathSink interface {
	// Paths receives different paths with their counts. They are numbered in their order over all
	// batches, from 0.
	Paths(batch []Path) error
	// PathTimes receives the times of single runs through paths, as far as the recorder kept them.
	PathTimes(batch []PathTime) error
	// Invocations receives single calls, as far as the recorder kept their times. Their time is part of the
	// time of the paths that make the calls.
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

// Paths returns the sink for paths. It returns nil if sink does not want paths, and a decoder then need not
// decode them. A decoder calls Paths once per scan, unless its format has no paths.
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
	// PathStopped is a path that an exception stopped. Its last line is the line of the exception.
	PathStopped
	// PathClosed is the last path of an activation that was left without an exit. Its lines are unknown.
	PathClosed
	// PathOther is any path for which the recorder had no memory. Their lines are unknown.
	PathOther
)

// A Path is a path of a method, with the number of times that a thread took it.
type Path struct {
	Thread ThreadID
	Method MethodID
	End    PathEnd
	// Continues is set if the next path of the activation begins on the last line of this path, so
	// that the line is not entered twice.
	Continues bool
	Count     int64
	// Wall is the sum of the elapsed times with callees, in nanoseconds.
	Wall int64
	// Lines are the lines that the path enters, in order. No line repeats the line before it.
	Lines []int32
	// Opcodes has the opcodes of the instructions of DEX code at each of Lines. It is nil if they are unknown.
	Opcodes [][]byte
}

// A PathTime is one run through a path. The times are on the trace's timeline.
type PathTime struct {
	Path        int
	Enter, Exit int64
}

// An Invocation is one call of a method whose energy the lines of its caller do not determine, such as a call that reads a file,
// waits for a lock or sleeps (vLens, Section 3.1). The times are on the trace's timeline.
type Invocation struct {
	Thread ThreadID
	// Method is the called method. Caller and Line are the place of the call.
	Method, Caller MethodID
	Line           int32
	// Waits is set if the thread only waits in the call, and so uses no energy.
	Waits       bool
	Enter, Exit int64
}

// A PathCost describes the cost of recording paths (vLens, eq. 5).
type PathCost struct {
	// Busy is the time during which a thread was in a method with probes. A moment counts once for
	// all threads. Joined is the part of Busy that may have been outside of methods, because the
	// recorder merged intervals that were close to each other.
	Busy, Joined int64
	// Probes is the time that the probes took, by their cost at the start of the app.
	Probes int64
	// Dropped counts runs through paths and invocations whose times were not kept.
	Dropped int64
}
