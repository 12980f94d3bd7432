package artwrite

import (
	"encoding/binary"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// packed writes version 4: a packet per thread and per method, and then a block of entries for each
// sequence of events of one thread.
func (e *encoder) packed() {
	version := uint16(4)
	if e.dual() {
		version = 5
	}
	if e.f.Streaming {
		version |= 0xf0
	}
	b := make([]byte, 32)
	copy(b, "SLOW")
	binary.LittleEndian.PutUint16(b[4:], version)
	binary.LittleEndian.PutUint64(b[6:], nanos(e.t.Start))
	e.w.Write(b)
	for i := range e.t.Methods {
		info := e.packedInfo(i)
		e.w.WriteByte(1)
		e.w.Write(binary.LittleEndian.AppendUint64(nil, e.t.id(i)))
		e.u16(uint16(len(info)))
		e.w.WriteString(info)
	}
	for _, th := range e.t.Threads {
		e.w.WriteByte(0)
		e.u32(th.ID)
		e.u16(uint16(len(th.Name)))
		e.w.WriteString(th.Name)
	}
	var block []Event
	for ev := range e.t.Events {
		if len(block) > 0 && (block[0].Thread != ev.Thread || len(block) == 1<<16) {
			e.block(block)
			block = block[:0]
		}
		block = append(block, ev)
	}
	e.block(block)
	if !e.f.NoSummary {
		summary := append(e.options(), "*end\n"...)
		e.w.WriteByte(3)
		e.u16(uint16(len(summary)))
		e.w.Write(summary)
	}
}

// packedInfo returns the row of a method. In this form, a row always has a file.
func (e *encoder) packedInfo(i int) string {
	info := e.methodInfo(i)
	if strings.Count(info, "\t") < 3 {
		info = strings.TrimSuffix(info, "\n") + "\t\n"
	}
	return info
}

// block writes events of one thread. Each event is stored as the difference from the event before
// it, and the first as the difference from 0.
func (e *encoder) block(events []Event) {
	if len(events) == 0 {
		return
	}
	var b []byte
	var method, wall, cpu uint64
	for _, ev := range events {
		m, w, c := e.t.id(ev.Method)|uint64(ev.Action), nanos(ev.Wall), nanos(ev.CPU)
		b = appendSigned(b, int64(m-method))
		if e.f.Clock&trace.WallClock != 0 {
			b = binary.AppendUvarint(b, w-wall)
		}
		if e.f.Clock&trace.ThreadCPU != 0 {
			b = binary.AppendUvarint(b, c-cpu)
		}
		method, wall, cpu = m, w, c
	}
	e.w.WriteByte(2)
	e.u32(e.t.Threads[events[0].Thread].ID)
	n := len(events)
	e.w.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
	e.u32(uint32(len(b)))
	e.w.Write(b)
}

// appendSigned appends n in signed LEB128. This format extends the sign of the last seven bits. The
// varints of encoding/binary use zigzag instead.
func appendSigned(b []byte, n int64) []byte {
	for {
		group := byte(n & 0x7f)
		n >>= 7
		if n == 0 && group&0x40 == 0 || n == -1 && group&0x40 != 0 {
			return append(b, group)
		}
		b = append(b, group|0x80)
	}
}
