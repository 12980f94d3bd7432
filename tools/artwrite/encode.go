package artwrite

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// An encoder writes one trace. It keeps the first error of w, which Flush returns.
type encoder struct {
	w   *bufio.Writer
	t   *Trace
	f   Form
	buf []byte // one record
}

func (e *encoder) dual() bool { return e.f.Clock == trace.ThreadCPU|trace.WallClock }

func (e *encoder) recordSize() int {
	n := map[int]int{1: 9, 2: 10, 3: 10}[e.f.Version]
	if e.f.Version == 3 && e.dual() {
		n = 14
	}
	return max(n, e.f.RecordSize)
}

// header writes the text part, which is also the summary of a streaming trace. The summary is
// written without methods.
func (e *encoder) header(methods bool) {
	b := e.options()
	b = append(b, "*threads\n"...)
	for _, th := range e.t.Threads {
		b = fmt.Appendf(b, "%d\t%s\n", th.ID, th.Name)
	}
	b = append(b, "*methods\n"...)
	if methods {
		for i := range e.t.Methods {
			b = append(b, e.methodLine(i)...)
		}
	}
	b = append(b, "*end\n"...)
	if e.f.CRLF {
		b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	}
	if e.f.Streaming {
		e.u16(0)
		e.w.WriteByte(3)
		e.u32(uint32(len(b)))
	}
	e.w.Write(b)
}

// options writes the lines before the tables.
func (e *encoder) options() []byte {
	clock := e.f.Clock.String()
	version, unit, elapsed := e.f.Version, "usec", e.t.Elapsed.Microseconds()
	if version == 4 {
		unit, elapsed = "nsec", e.t.Elapsed.Nanoseconds()
		if e.dual() {
			version = 5
		}
	}
	vm := cmp.Or(e.t.VM, "art")
	b := fmt.Appendf(nil, "*version\n%d\ndata-file-overflow=%t\nclock=%s\nelapsed-time-%s=%d\n",
		version, e.t.Overflow, clock, unit, elapsed)
	if !e.f.Streaming {
		n := 0
		for range e.t.Events {
			n++
		}
		b = fmt.Appendf(b, "num-method-calls=%d\n", n)
	}
	b = fmt.Appendf(b, "clock-call-overhead-nsec=1000\nvm=%s\n", vm)
	if vm == "art" {
		b = fmt.Appendf(b, "pid=%d\n", e.t.PID)
	}
	return b
}

// methodLine returns a method's row, which begins with the id in versions 1 to 3.
func (e *encoder) methodLine(i int) string {
	// ART prints the id with C's %#x, which prints zero without 0x.
	id := "0"
	if n := e.t.id(i); n != 0 {
		id = "0x" + strconv.FormatUint(n, 16)
	}
	return id + "\t" + e.methodInfo(i)
}

func (e *encoder) methodInfo(i int) string {
	m := e.t.Methods[i]
	class := m.Class()
	if e.t.VM == "dalvik" {
		class = strings.ReplaceAll(class, ".", "/")
	}
	columns := []string{class, m.Name, m.Signature}
	if m.File != "" || m.Line != 0 || e.t.VM == "dalvik" {
		columns = append(columns, m.File)
	}
	if m.Line != 0 || e.t.VM == "dalvik" {
		line := m.Line
		if line == 0 {
			line = -1
		}
		columns = append(columns, strconv.Itoa(line))
	}
	return strings.Join(columns, "\t") + "\n"
}

func (e *encoder) dataHeader() {
	b := make([]byte, e.f.DataOffset)
	version := e.f.Version
	if e.f.Streaming {
		version |= 0xf0
	}
	copy(b, "SLOW")
	binary.LittleEndian.PutUint16(b[4:], uint16(version))
	binary.LittleEndian.PutUint16(b[6:], uint16(e.f.DataOffset))
	binary.LittleEndian.PutUint64(b[8:], uint64(e.t.Start.Microseconds()))
	if e.f.Version == 3 {
		binary.LittleEndian.PutUint16(b[16:], uint16(e.recordSize()))
	}
	e.w.Write(b)
}

func (e *encoder) record(ev Event) {
	tid, id := e.t.Threads[ev.Thread].ID, uint32(e.t.id(ev.Method))|uint32(ev.Action)
	b := e.buf[:0]
	if e.f.Version == 1 {
		b = append(b, byte(tid))
	} else {
		b = binary.LittleEndian.AppendUint16(b, uint16(tid))
	}
	b = binary.LittleEndian.AppendUint32(b, id)
	if e.f.Clock&trace.ThreadCPU != 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(ev.CPU.Microseconds()))
	}
	if e.f.Clock&trace.WallClock != 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(ev.Wall.Microseconds()))
	}
	for len(b) < e.recordSize() {
		b = append(b, 0)
	}
	e.w.Write(b)
	e.buf = b
}

// stream writes each thread and each method as a packet before its first record.
func (e *encoder) stream() {
	e.dataHeader()
	threads, methods := make([]bool, len(e.t.Threads)), make([]bool, len(e.t.Methods))
	for ev := range e.t.Events {
		if !threads[ev.Thread] {
			threads[ev.Thread] = true
			th := e.t.Threads[ev.Thread]
			e.u16(0)
			e.w.WriteByte(2)
			e.u16(uint16(th.ID))
			e.u16(uint16(len(th.Name)))
			e.w.WriteString(th.Name)
		}
		if !methods[ev.Method] {
			methods[ev.Method] = true
			line := e.methodLine(ev.Method)
			e.u16(0)
			e.w.WriteByte(1)
			e.u16(uint16(len(line)))
			e.w.WriteString(line)
		}
		e.record(ev)
	}
	if !e.f.NoSummary {
		e.header(false)
	}
}

func (e *encoder) u16(n uint16) { e.w.Write(binary.LittleEndian.AppendUint16(nil, n)) }

func (e *encoder) u32(n uint32) { e.w.Write(binary.LittleEndian.AppendUint32(nil, n)) }

func nanos(d time.Duration) uint64 { return uint64(d.Nanoseconds()) }
