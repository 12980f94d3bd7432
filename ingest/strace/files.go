package strace

import (
	"bytes"
	"maps"
	"strings"
)

// An object is what descriptors stand for: a file, a socket, a pipe.
type object struct {
	// handle tells it from all others of the log.
	handle int64
	// component is the part of the device that works when it is read or written; empty where
	// none does.
	component string
	// unknown is set where the log does not say what it is, file where it is one, so that
	// reading it does not wait for anybody.
	unknown, file bool
	// path is set for files, which are read and written; sockets receive and send.
	path bool
	name string
	// begun says that it was opened or connected in the log, and has not ended.
	begun bool
	// refs counts the descriptors that stand for it.
	refs int
}

// A slot is a descriptor of a process.
type slot struct {
	object *object
	// closes says that it does not outlive an execve.
	closes bool
}

// A table has the descriptors of a process, which its threads share.
type table struct {
	slots map[int64]slot
	// threads counts those that share it.
	threads int
}

func newTable() *table { return &table{slots: make(map[int64]slot), threads: 1} }

// fork returns a copy for a new process.
func (t *table) fork() *table {
	for _, s := range t.slots {
		s.object.refs++
	}
	return &table{slots: maps.Clone(t.slots), threads: 1}
}

// put has a descriptor stand for an object, and returns the object that it was the last one
// of before, if it was: a log may lack the close.
func (t *table) put(fd int64, o *object, closes bool) *object {
	o.refs++
	before := t.drop(fd)
	t.slots[fd] = slot{o, closes}
	return before
}

// drop closes a descriptor, and returns its object if no other stands for it.
func (t *table) drop(fd int64) *object {
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

// isFile says whether a path is of a file that is always ready to be read.
func isFile(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/dev/")
}

// ofNote returns the component that -y or -yy names, and whether that is by a path; ok is false if
// the note does not tell.
func (d *decoder) ofNote(note []byte) (component string, path, ok bool) {
	protocol, rest, marked := bytes.Cut(note, []byte(":["))
	switch {
	case len(note) == 0:
		return "", false, false
	case note[0] == '/':
		return d.triggers.File(string(note)), true, true
	case !marked:
		return "", false, true // anon_inode:..., or a device
	}
	switch p := string(protocol); {
	case p == "socket":
		return "", false, false
	case strings.HasPrefix(p, "TCP"), strings.HasPrefix(p, "UDP"), strings.HasPrefix(p, "ICMP"), strings.HasPrefix(p, "RAW"), strings.HasPrefix(p, "SCTP"):
		if stays(rest) {
			return "", false, true
		}
		return d.triggers.Socket("AF_INET"), false, true
	}
	return "", false, true // a pipe, or a socket of another kind
}

// stays says whether what -yy says of a connection is of one that does not leave the machine.
func stays(connection []byte) bool {
	_, to, ok := bytes.Cut(connection, []byte("->"))
	if !ok {
		to = connection
	}
	to = bytes.TrimPrefix(to, []byte("["))
	return bytes.HasPrefix(to, []byte("127.")) || bytes.HasPrefix(to, []byte("::1]")) || bytes.HasPrefix(to, []byte("::ffff:127."))
}

// An address is what a call says of the other end.
type address struct {
	family []byte
	text   string
	// stays is set where it is on the machine itself.
	stays bool
}

// ofAddress reads the address that arguments hold, without a family if there is none.
func ofAddress(args []byte) (a address) {
	_, rest, ok := bytes.Cut(args, []byte("sa_family="))
	if !ok {
		return a
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return a
	}
	a.family = rest[:end]
	host := within(rest, `inet_addr("`, `"`)
	if host == nil {
		host = within(rest, `inet_pton(AF_INET6, "`, `"`)
	}
	port := within(rest, "htons(", ")")
	a.stays = bytes.HasPrefix(host, []byte("127.")) || string(host) == "::1" || bytes.HasPrefix(host, []byte("::ffff:127."))
	if host != nil && port != nil {
		a.text = string(host) + ":" + string(port)
	}
	return a
}
