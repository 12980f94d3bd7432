// Package runtime has the code that diffprof instrument adds to an app: a dex file, made of the
// Java sources in java/ by the script build. A test compares the file with its sources.
//
// # The probes
//
// The class diffprof.Runtime has static methods without result, which a probe calls with
// the number of a method or a call site in the map:
//
//	enter(int method)  at the start of a method
//	exit(int method)   before it returns, and when it is left by an exception
//	call(int site)     before a call of the framework
//
// An app that was changed with --async also calls these methods:
//
//	enqueue(int site, Object work)    in place of call, if the call hands work over
//	repeat(int site, Object work)     the same, for work that is carried out several times
//	send(Object handler, int what)    before a call, if the work is a message with only a number
//	dispatch(int method, Object work) in place of enter, if the method may carry out work
//
// An app that was changed with --paths calls these methods in place of enter, dispatch and exit. begin returns a
// token of the activation, which the others take. path is the number of a path in the graph of the method, or the
// register in a block, see package code/path:
//
//	int begin(int method)                        at the start of a method
//	int beginWork(int method, Object work)       the same, if the method may carry out work
//	path(int token, int path)                    where a path ends and the next one begins
//	end(int token, int path)                     before the method returns
//	abort(int token, int register, int block)    at the start of a handler: an exception stopped the path
//	leave(int token, int register, int block)    where an exception leaves the method
//	invoke(int site, int token)                  in place of call, if the times of the call are kept
//	invoked(int token)                           behind this call, unless it throws: abort or leave then end it
//
// The complement of a block is the same block. The number of blocks means the end of a path.
//
// No probe throws. An exit without an enter is ignored and counted. An enter without an exit
// ends with the exit of a caller. So a method whose exits are not all found loses no counts.
//
// # The map
//
// [MapEntry] is an entry of the rewritten APK: the map in JSON, compressed by gzip. The app copies
// it to the folder of its recordings, next to the file of each process, and each file states the
// SHA-256 of the JSON. Package ingest/calls documents both. The map has these fields:
//
//	{"format": "diffprof-calls-map 1",
//	 "dex":     [{"name", "sha256"}],
//	 "methods": [{"id", "class", "name", "descriptor", "file"}],
//	 "sites":   [{"id", "method", "line", "class", "name", "descriptor", "resolved"}]}
//
// With --paths, the format is "diffprof-calls-map 2", the map has the version of the numbers of paths ("numbers",
// path.Version), and a method whose paths are counted has "paths": {"next", "starts", "lines"}. These are the
// successors of each block, the blocks where control enters, and the lines of each block in order.
//
// Classes have dots. resolved is the first class of the platform above class, if class is
// one of the app's.
//
// # Hand-overs
//
// Work is recognised by its identity, and a message with only a number by its handler and number. The
// latest hand-over of an object counts. A dispatch uses one hand-over up, unless the work repeats. Work that
// no call handed over has the path of its thread, and so has work that a handing call carries out at once. Work
// that hands itself over again, directly or through other work, keeps its first origin.
//
// A message object that was removed from its queue may be used again by the framework. Its latest number,
// and the latest hand-over of its handler, then decide.
//
// # Times
//
// Each path has its elapsed time by the boot clock, and its processor time by the thread's clock.
// The thread's clock is a system call, so it is read only if 20 µs passed since the latest probe. In a
// shorter time the thread counts as running. The next reading corrects the sum.
//
// # Bounds
//
// A process keeps 131,072 paths, 262,144 pairs of a path and a call site, and paths of 1,024
// calls. Beyond the depth, a recursive call counts for the nearest equal method above it. All
// other figures beyond the bounds are counted by method and by call site, so no call is lost. The
// figures of ended threads are added up in one thread if there are more than 256 threads. A
// process keeps 16,384 objects that wait, without keeping them alive, and 16,384 nodes of paths with
// hand-overs, of at most 512 calls. A hand-over beyond that is counted, and its work has the path of its thread. A
// process counts 262,144 different paths of threads and methods, and further ones by method alone. It keeps the times of
// 131,072 runs through paths, and 16,384 times in which a thread was in methods: then it joins neighbours, and
// states the time between them. A
// process writes its file every two seconds if there was a probe, and at its end.
package runtime

import (
	_ "embed"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Class is the class with the probes, as a descriptor.
const Class = "Ldiffprof/Runtime;"

// The names of the probes.
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

// MapEntry is the entry of the APK with the map.
const MapEntry = "assets/diffprof-calls.map"

//go:embed runtime.dex
var dex []byte

// Dex returns the dex file with the classes of the runtime, in version 035.
func Dex() []byte { return slices.Clone(dex) }

// MapBlock returns the block of a recording with a map, which is compressed by gzip. The app makes the same block.
func MapBlock(packed []byte) []byte {
	block := append([]byte("\x89DPCALL\nM"), binary.LittleEndian.AppendUint32(nil, uint32(len(packed)))...)
	block = append(block, packed...)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte("M")), crc32.IEEETable, packed)
	return binary.LittleEndian.AppendUint32(block, sum)
}
