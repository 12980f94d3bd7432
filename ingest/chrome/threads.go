package chrome

import (
	"errors"
	"slices"
	"strconv"

	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/trace"
)

// A thread has the data of one thread.
type thread struct {
	process int
	id      int64
	name    string
	pairs   []pair
	slices  []slice
	flows   []flow
	// unmatched counts ends without a begin. overlapping counts slices that end after the slice
	// around them. backward counts thread clock readings that decrease.
	unmatched, overlapping, backward int64
}

var (
	errThreads = errors.New("the trace has more than 65,536 threads")
	errNames   = errors.New("the names in the trace have more than 256 MiB")
)

// thread returns the thread with these ids, or nil if there are too many threads.
func (d *decoder) thread(process, id []byte) *thread {
	var room [64]byte
	key := append(append(append(room[:0], process...), 0), id...)
	if th, ok := d.byID[string(key)]; ok {
		return th
	}
	if len(d.threads) >= maxThreads {
		return nil
	}
	th := &thread{process: d.process(process), id: number(id, len(d.threads)+1)}
	d.threads = append(d.threads, th)
	d.byID[string(key)] = th
	return th
}

// process returns the index of the process with this id.
func (d *decoder) process(id []byte) int {
	if p, ok := d.processes[string(id)]; ok {
		return p
	}
	p := len(d.trace.Processes)
	d.processes[string(id)] = p
	d.trace.Processes = append(d.trace.Processes, trace.Process{ID: number(id, p+1)})
	return p
}

// keep drops the data of all processes except the one called wanted.
func (d *decoder) keep(wanted string) error {
	if wanted == "" {
		return nil
	}
	at, err := process.Find(d.trace.Processes, wanted)
	if err != nil {
		return err
	}
	for _, th := range d.threads {
		if th.process != at {
			th.slices, th.flows = nil, nil
		}
	}
	d.profiles = slices.DeleteFunc(d.profiles, func(p *profile) bool { return p.thread.process != at })
	return nil
}

// number parses a thread or process id. If the id is a name, it returns the given substitute.
func number(id []byte, other int) int64 {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil && n >= 0 {
		return n
	}
	return int64(other)
}
