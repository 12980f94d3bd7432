package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
)

// The machine of a Perfetto trace.
const (
	cores = 8
	apps  = 40
	// tasks is the number of threads of all apps. Two cores never run the same thread at the same
	// time.
	tasks = 401
	names = 900
	// slot is how long a core runs a thread, in nanoseconds. slots is the number of slots in a
	// bundle of a core. bundles is the number of consecutive bundles of a core in the file.
	slot    = 250_000
	slots   = 64
	bundles = 16
)

// writePerfetto writes a trace of the whole system with about the given number of kernel events:
// compact switches, atrace prints and frequencies. The file has one block of
// events for each core and each 256 ms, so it is not in the order of time. Every other slice begins on one core and
// ends on another.
func writePerfetto(path string, events int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := &system{Writer: bufio.NewWriterSize(f, 1<<20)}
	w.packet(message(nil).with(6, message(nil).with(1, message(nil).number(1, 6).number(2, 1000)).with(1, message(nil).number(1, 3).number(2, 1000))))
	w.packet(message(nil).with(2, processes()))
	const each = 4 // events in a slot
	for at := 0; at*cores*each < events; at += slots * bundles {
		for core := range cores {
			for i := range bundles {
				w.bundle(core, at+i*slots)
			}
		}
	}
	return w.Flush()
}

// A system writes the packets of a trace. Flush returns its errors.
type system struct{ *bufio.Writer }

func (s *system) packet(m message) {
	s.Write(message(nil).with(1, m.number(10, 1)))
}

// processes returns the tree of processes.
func processes() message {
	var m message
	for app := range apps {
		m = m.with(1, message(nil).number(1, pid(app)).number(2, 1).text(3, fmt.Sprintf("com.example.app%d", app)).number(5, uint64(10000+app)))
	}
	for task := range tasks {
		m = m.with(2, message(nil).number(1, tid(task)).text(2, fmt.Sprintf("worker-%d", task)).number(3, pid(task%apps)))
	}
	return m
}

func pid(app int) uint64  { return uint64(1000 + app*1000) }
func tid(task int) uint64 { return pid(task%apps) + uint64(task/apps) }

// bundle writes the events of a core in its slots, starting at slot first.
func (s *system) bundle(core, first int) {
	m := message(nil).number(1, uint64(core))
	var stamps, threads, comms []byte
	last := uint64(0)
	table := message(nil)
	for i := range slots {
		// Threads take turns over all cores, so the number of earlier runs of each thread can be
		// computed.
		turn := (first+i)*cores + core
		task, visit := turn%tasks, turn/tasks
		now := uint64(1_000_000 + (first+i)*slot)
		stamps = binary.AppendUvarint(stamps, now-last)
		last = now
		threads = binary.AppendUvarint(threads, tid(task))
		comms = binary.AppendUvarint(comms, uint64(i))
		table = table.text(5, fmt.Sprintf("worker-%d", task))
		begin, end := fmt.Sprintf("B|%d|%s\n", pid(task%apps), sliceName(task, visit)), fmt.Sprintf("E|%d\n", pid(task%apps))
		lines := []string{begin, begin, end}
		if visit%2 == 1 {
			lines = []string{begin, end, end} // the last line is for the thread's previous slot
		}
		for k, line := range lines {
			m = m.with(2, message(nil).number(1, now+uint64(k+1)*slot/5).number(2, tid(task)).with(3, message(nil).text(2, line)))
		}
		if i%8 == 0 {
			m = m.with(2, message(nil).number(1, now+slot*4/5).number(2, 0).with(11, message(nil).number(1, uint64(300_000*(1+visit%8))).number(2, uint64(core))))
		}
	}
	zeros := string(make([]byte, slots))
	compact := append(table, message(nil).text(1, string(stamps)).text(2, zeros).text(3, string(threads)).text(4, zeros).text(6, string(comms))...)
	s.packet(message(nil).with(1, m.with(4, compact)))
}

// sliceName returns the name of a thread's work. It has only letters, because diffprof treats names
// that differ only in numbers as equal.
func sliceName(task, visit int) string {
	k := (task*31 + visit/2) % names
	return fmt.Sprintf("Work %c%c%c", 'A'+k/676, 'A'+k/26%26, 'A'+k%26)
}

// A message is a Protocol Buffers message. Its methods return it with another field.
type message []byte

func (m message) number(field int, n uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), n)
}

func (m message) text(field int, s string) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(s))), s...)
}

func (m message) with(field int, inner message) message { return m.text(field, string(inner)) }
