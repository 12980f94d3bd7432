// Package descriptor follows what the descriptors of processes stand for: a file, a socket, a
// pipe. Several descriptors may stand for one object, since calls copy them and new processes
// inherit them.
//
// A Table may be used by one goroutine at a time, with all tables that share objects with it.
package descriptor

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// An Object is what descriptors stand for.
type Object struct {
	// Handle tells it from all others of the recording.
	Handle int64
	// Component is the part of the device that works when it is read or written; empty where
	// none does.
	Component string
	// Unknown is set where the recording does not say what it is.
	Unknown bool
	// Path is set for files, which are read and written; sockets receive and send. Ready is set
	// for files that are always ready to be read, so that reading does not wait for anybody.
	Path, Ready bool
	Name        string
	// Begun says that it was opened or connected in the recording, and has not ended.
	Begun bool
	// refs counts the descriptors that stand for it.
	refs int
}

// Moves is what moving data asks of an object: into the program (in), or out of it.
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
	// closes says that it does not outlive an execve.
	closes bool
}

// A Table has the descriptors of a process, which its threads share.
type Table struct {
	slots map[int64]slot
	// threads counts those that share it.
	threads int
}

// New returns a table without descriptors, of one thread.
func New() *Table { return &Table{slots: make(map[int64]slot), threads: 1} }

// Share says that one thread more has the table.
func (t *Table) Share() *Table {
	t.threads++
	return t
}

// Leave says that a thread has the table no longer, and whether it was the last one.
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

// At returns the object of a descriptor, nil if nothing is known of it.
func (t *Table) At(fd int64) *Object { return t.slots[fd].object }

// Put has a descriptor stand for an object, and returns the object that it was the last one
// of before, if it was: a recording may lack the close.
func (t *Table) Put(fd int64, o *Object, closes bool) *Object {
	o.refs++
	before := t.Drop(fd)
	t.slots[fd] = slot{o, closes}
	return before
}

// Closes says whether a descriptor that is known outlives an execve.
func (t *Table) Closes(fd int64, closes bool) {
	if s, ok := t.slots[fd]; ok {
		s.closes = closes
		t.slots[fd] = s
	}
}

// Drop closes a descriptor, and returns its object if no other stands for it.
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

// Which returns the descriptors that f chooses, in their order.
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
