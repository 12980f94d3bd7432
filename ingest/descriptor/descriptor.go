// Package descriptor tracks the files, sockets and pipes that the descriptors of processes
// refer to. Several descriptors may refer to one object, because calls duplicate them and new
// processes inherit them.
//
// A Table, with all tables that share objects with it, must not be used concurrently.
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
	// Component is the part of the device that works when the object is read or written, or "".
	Component string
	// Unknown is set if the recording does not state what the object is.
	Unknown bool
	// Path is set for files, which are read and written; sockets receive and send. Ready is set
	// for files that can always be read without waiting.
	Path, Ready bool
	Name        string
	// Begun is set if the object was opened or connected in the recording, and has not ended.
	Begun bool
	// refs counts the descriptors of the object.
	refs int
}

// Moves returns the operation of moving data into the program (in) or out of it.
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
	// closes is set if the descriptor does not survive an execve.
	closes bool
}

// A Table holds the descriptors of a process, which its threads share.
type Table struct {
	slots map[int64]slot
	// threads counts the threads that share the table.
	threads int
}

// New returns an empty table of one thread.
func New() *Table { return &Table{slots: make(map[int64]slot), threads: 1} }

// Share adds a thread to the table.
func (t *Table) Share() *Table {
	t.threads++
	return t
}

// Leave removes a thread from the table, and reports whether it was the last.
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

// At returns the object of a descriptor, nil if it is not known.
func (t *Table) At(fd int64) *Object { return t.slots[fd].object }

// Put assigns an object to a descriptor. If the descriptor was the last one of another object,
// Put returns that object: a recording may lack the close.
func (t *Table) Put(fd int64, o *Object, closes bool) *Object {
	o.refs++
	before := t.Drop(fd)
	t.slots[fd] = slot{o, closes}
	return before
}

// Closes sets whether a known descriptor is closed by an execve.
func (t *Table) Closes(fd int64, closes bool) {
	if s, ok := t.slots[fd]; ok {
		s.closes = closes
		t.slots[fd] = s
	}
}

// Drop closes a descriptor, and returns its object if that has no other descriptor.
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

// Which returns the sorted descriptors for which f is true.
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
