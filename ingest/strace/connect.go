package strace

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/descriptor"
	"github.com/diffprof/diffprof/trace"
)

// maxConnecting limits the number of connections in progress.
const maxConnecting = 1 << 10

// A connecting is a connection that was begun by a call and is not complete yet.
type connecting struct {
	object *descriptor.Object
	// by is the call that began the connection, without its arguments and result.
	by call
}

// inProgress remembers a connection in progress. connected adds its operation later.
func (d *decoder) inProgress(c *call, o *descriptor.Object) {
	if o.Begun {
		return
	}
	if o.Component == "" || len(d.connecting) >= maxConnecting {
		d.begin(c, o)
		return
	}
	o.Begun = true
	d.connecting = append(d.connecting, connecting{o, call{thread: c.thread, begin: c.begin, end: c.end, stack: c.stack}})
}

// connected completes the connection of an object, if it is in progress, and adds its operation.
// The operation ends at the time moment. If moment is negative, the end is unknown, and the
// operation ends with the call that began the connection.
func (d *decoder) connected(o *descriptor.Object, moment int64) {
	i := slices.IndexFunc(d.connecting, func(c connecting) bool { return c.object == o })
	if i < 0 {
		return
	}
	c := d.connecting[i].by
	d.connecting = slices.Delete(d.connecting, i, i+1)
	c.end = max(c.end, moment)
	d.ask(&c, o, trace.OpOpen, 0)
}

// unconnected ends the connections that are in progress when the log ends.
func (d *decoder) unconnected() {
	for len(d.connecting) > 0 {
		d.connected(d.connecting[0].object, -1)
	}
}

// polls are the system calls that wait for descriptors and return which ones are ready.
const polls = " poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 "

// progress completes the connections that a call shows to be complete. Such a call is:
//
//   - a wait that returns the descriptor as ready
//   - a query for the socket's error, after a wait
func (d *decoder) progress(c *call, args [][]byte) {
	n, ok := count(c.result)
	if !ok {
		return
	}
	switch {
	case c.name == "getsockopt":
		if string(part(args, 2)) != "SO_ERROR" {
			return
		}
		fd, _, ok := readDescriptor(part(args, 0))
		if o := c.thread.files.At(fd); ok && o != nil && d.ready > d.began(o) {
			d.connected(o, c.begin)
		}
	case n > 0 && strings.Contains(polls, " "+c.name+" "):
		d.ready = max(d.ready, c.end)
		for fd := range readyOf(c.result) {
			if o := c.thread.files.At(fd); o != nil {
				d.connected(o, c.end)
			}
		}
	case n > 0 && strings.HasPrefix(c.name, "epoll_"):
		d.ready = max(d.ready, c.end) // The result of epoll_wait does not name the descriptors.
	}
}

// began returns the start of an object's connection. If no connection is in progress, it returns
// the largest time.
func (d *decoder) began(o *descriptor.Object) int64 {
	for i := range d.connecting {
		if d.connecting[i].object == o {
			return d.connecting[i].by.begin
		}
	}
	return math.MaxInt64
}

// readyOf yields the descriptors in the result of a wait. Results of poll and select have the forms
//
//	1 ([{fd=3, revents=POLLOUT}])
//	2 (out [3 4], left {tv_sec=1, tv_usec=0})
func readyOf(result []byte) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		if !bytes.Contains(result, []byte("revents=")) {
			for _, set := range [...]string{"in [", "out [", "except ["} {
				for _, word := range bytes.Fields(within(result, set, "]")) {
					if fd, _, ok := readDescriptor(word); ok && !yield(fd) {
						return
					}
				}
			}
			return
		}
		for {
			_, rest, ok := bytes.Cut(result, []byte("{fd="))
			if !ok {
				return
			}
			if fd, ok := number(digits(rest)); ok && !yield(fd) {
				return
			}
			result = rest
		}
	}
}
