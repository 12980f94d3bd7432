// Package runtime has the code that diffprof instrument adds to an app: a DEX file, which the
// script build makes of the Java sources in java/. A test compares the file with its sources.
//
// # The probes
//
// The class diffprof.Runtime has static methods without result. A probe calls such a method with
// the ID of a method or of a call site in the map:
//
//	enter(int method)  at the start of a method
//	exit(int method)   before it returns, and when it is left by an exception
//	call(int site)     before a call of the framework
//
// An app that was changed with --async also calls these methods. Work is asynchronous work, which a
// call hands over to another thread or to a later time:
//
//	enqueue(int site, Object work)    in place of call, if the call hands work over
//	repeat(int site, Object work)     the same, for work that is carried out several times
//	send(Object handler, int what)    before a call, if the work is a message with only a number
//	dispatch(int method, Object work) in place of enter, if the method may carry out work
//
// An app that was changed with --paths calls these methods in place of enter, dispatch and exit.
// begin returns a token for this execution of the method, which the other methods take. path is the
// number of a path in the method's control-flow graph, and register is the register of a path in a
// block. Package code/path explains both.
//
//	int begin(int method)                        at the start of a method
//	int beginWork(int method, Object work)       the same, if the method may carry out work
//	path(int token, int path)                    where a path ends and the next path begins
//	end(int token, int path)                     before the method returns
//	abort(int token, int register, int block)    at the start of a handler: an exception stopped the path
//	leave(int token, int register, int block)    where an exception leaves the method
//	invoke(int site, int token)                  in place of call, if the times of the call are kept
//	invoked(int token)                           after this call; if it throws, abort or leave ends it instead
//
// A block and its bitwise complement mean the same block. If block is the number of blocks, the
// path is at its end.
//
// Probes never throw. An exit without an enter is ignored and counted. An enter without an exit
// ends with the exit of a caller. So no counts are lost if some exits of a method have no probe.
//
// # The map
//
// [MapEntry] is an entry of the rewritten APK: the map in JSON, compressed by gzip. The app copies
// it to the folder of its recordings, next to the file of each process. Each file states the
// SHA-256 of the JSON. Package ingest/calls documents both. The map has these fields:
//
//	{"format": "diffprof-calls-map 1",
//	 "dex":     [{"name", "sha256"}],
//	 "methods": [{"id", "class", "name", "descriptor", "file"}],
//	 "sites":   [{"id", "method", "line", "class", "name", "descriptor", "resolved"}]}
//
// With --paths, the format is "diffprof-calls-map 2". The map then has the version of the path
// numbers ("numbers", path.Version). A method whose paths are counted has "paths": {"next",
// "starts", "lines"}. These are the successors of each block, the blocks where control enters, and
// the lines of each block in order.
//
// Classes have dots. If class is defined by the app, resolved is the first platform class above it.
//
// # Hand-overs
//
// A hand-over is a call that hands work over, such as Handler.post. Work is recognized by the
// identity of its object, and a message with only a number by its handler and number:
//
//   - If an object is handed over several times, the latest hand-over counts.
//   - A dispatch uses up a hand-over, unless the work repeats.
//   - Work has the path of its thread if no call handed it over. The same holds if the call that
//     handed it over carries it out at once.
//   - Work that hands itself over again, directly or through other work, keeps its first origin.
//
// The framework may reuse a message object that was removed from its queue. The message's latest
// number, and the latest hand-over of its handler, then decide.
//
// # Times
//
// Each call path has its elapsed time by the boot clock, and its processor time by the thread's
// clock. Reading the thread's clock is a system call, so it is read only if 20 µs passed since the
// last probe. A shorter time counts as processor time at first, and the next reading corrects the
// sum.
//
// # Bounds
//
// A process keeps at most:
//
//   - 131,072 call paths, and 262,144 pairs of a call path and a call site;
//   - call paths of 1,024 calls. Beyond that depth, a recursive call counts for the nearest equal
//     method above it;
//   - 256 threads. If there are more, the counts of ended threads are added up in one thread;
//   - 16,384 objects that wait to be carried out, without keeping them alive;
//   - 16,384 nodes of paths with hand-overs, of at most 512 calls. A further hand-over is counted,
//     and its work has the path of its thread;
//   - 262,144 different paths of threads and methods. Further ones are counted by method alone;
//   - the times of 131,072 runs through paths, and 16,384 times in which a thread was in methods. If
//     there are more, it joins neighboring times and states the time between them.
//
// All other counts beyond the bounds are kept by method and by call site, so no call is lost. A
// process writes its file every two seconds if there was a probe, and at its end.
package runtime

import (
	_ "embed"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Class is the descriptor of the class whose methods are the probes.
const Class = "Ldiffprof/Runtime;"

// Names of the methods that probes call.
const (
	Enter    = "enter"
	Exit     = "exit"
	Call     = "call"
	Enqueue  = "enqueue"
	Repeat   = "repeat"
	Send     = "send"
	Dispatch = "dispatch"

	Begin     = "begin"
	BeginWork = "beginWork"
	Path      = "path"
	End       = "end"
	Abort     = "abort"
	Leave     = "leave"
	Invoke    = "invoke"
	Invoked   = "invoked"
)

// MapEntry is the entry of the APK that has the map.
const MapEntry = "assets/diffprof-calls.map"

//go:embed runtime.dex
var dex []byte

// Dex returns a DEX file of version 035 with the classes of the runtime.
func Dex() []byte { return slices.Clone(dex) }

// MapBlock returns the block of a recording that has the map. packed is the map, compressed by
// gzip. The app writes the same block.
func MapBlock(packed []byte) []byte {
	block := append([]byte("\x89DPCALL\nM"), binary.LittleEndian.AppendUint32(nil, uint32(len(packed)))...)
	block = append(block, packed...)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte("M")), crc32.IEEETable, packed)
	return binary.LittleEndian.AppendUint32(block, sum)
}
