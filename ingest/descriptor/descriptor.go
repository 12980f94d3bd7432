// Package descriptor tracks which files, sockets and pipes the file descriptors of processes refer
// to. Several descriptors may refer to one object: system calls such as dup copy descriptors, and
// new processes inherit them.
//
// A Table must not be used concurrently. Nor must two tables that share objects.
package descriptor

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// An Object is a file, socket or pipe.
type Object struct {
	// Handle is unique within the recording.
	Handle int64
	// Component is the part of the device that works when the object is read or written. It is
	// empty if there is none.
	Component string
	// Unknown is set if the recording does not state the kind of the object.
	Unknown bool
	// Path is set for files, which a program reads and writes. It is not set for sockets, on which
	// it receives and sends. Ready is set for files that can always be read without waiting.
	Path, Ready bool
	Name        string
	// Begun is set if the recording contains the object's open or connect. It is cleared when the
	// object is closed.
	Begun bool
	// refs counts the descriptors that refer to the object.
	refs int
}

// Moves returns the verb for data that moves into the program (in is set) or out of it, such as
// read or write.
func (o *Object) Moves(in bool) trace.Verb {
	switch {
	case in && o.Path:
		return trace.OpRead
	case in:
		return trace.OpReceive
	case o.Path:
		return trace.OpWrite
	}
	return trace.OpSend
}

// A slot is a descriptor of a process.
type slot struct {
	object *Object
	// closes is set for a descriptor with the flag close-on-exec.
	closes bool
}

// A Table has the descriptors of a process. All threads of the process share it.
type Table struct {
	slots map[int64]slot
	// threads counts the threads that use the table.
	threads int
}

// New returns an empty table for one thread.
func New() *Table { return &Table{slots: make(map[int64]slot), threads: 1} }

// Share adds a thread to the table.
func (t *Table) Share() *Table {
	t.threads++
	return t
}

// Leave removes a thread from the table. It reports whether no thread is left.
func (t *Table) Leave() (last bool) {
	t.threads--
	return t.threads == 0
}

// Fork returns a copy for a new process.
func (t *Table) Fork() *Table {
	for _, s := range t.slots {
		s.object.refs++
	}
	return &Table{slots: maps.Clone(t.slots), threads: 1}
}

// At returns the object of a descriptor, or nil if it is unknown.
func (t *Table) At(fd int64) *Object { return t.slots[fd].object }

// Put makes a descriptor refer to o. The parameter closes is its close-on-exec flag. Put returns
// the object that the descriptor referred to before if no other descriptor refers to it. The
// recording perhaps lacks the close of that object.
func (t *Table) Put(fd int64, o *Object, closes bool) *Object {
	o.refs++
	before := t.Drop(fd)
	t.slots[fd] = slot{o, closes}
	return before
}

// Closes sets the close-on-exec flag of a known descriptor.
func (t *Table) Closes(fd int64, closes bool) {
	if s, ok := t.slots[fd]; ok {
		s.closes = closes
		t.slots[fd] = s
	}
}

// Drop closes a descriptor. It returns the object if the descriptor was the object's last one.
func (t *Table) Drop(fd int64) *Object {
	s, ok := t.slots[fd]
	if !ok {
		return nil
	}
	delete(t.slots, fd)
	if s.object.refs--; s.object.refs > 0 {
		return nil
	}
	return s.object
}

// Which returns the descriptors for which f returns true, sorted.
func (t *Table) Which(f func(fd int64, closes bool) bool) []int64 {
	var chosen []int64
	for fd, s := range t.slots {
		if f(fd, s.closes) {
			chosen = append(chosen, fd)
		}
	}
	slices.Sort(chosen)
	return chosen
}
