package perfetto_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/zstd"
)

// A field is an encoded field of a message.
type field []byte

// num encodes a number. A negative number has ten bytes, as in protobuf.
func num(number int, value int64) field {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3), uint64(value))
}

// fixed writes a number of 64 bits.
func fixed(number int, value uint64) field {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(number)<<3|1), value)
}

func double(number int, value float64) field { return fixed(number, math.Float64bits(value)) }

// text writes bytes.
func text(number int, s string) field {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|2), uint64(len(s))), s...)
}

// msg writes a message.
func msg(number int, fields ...field) field { return text(number, string(join(fields))) }

// list writes numbers packed.
func list(number int, values ...int64) field {
	var b []byte
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return text(number, string(b))
}

func join(fields []field) []byte {
	var b []byte
	for _, f := range fields {
		b = append(b, f...)
	}
	return b
}

// packet encodes a packet of a sequence. If at is 0, the packet has no time.
func packet(sequence, at int64, fields ...field) field {
	var all []field
	if at != 0 {
		all = append(all, num(8, at))
	}
	return msg(1, append(append(all, num(10, sequence)), fields...)...)
}

// file writes a trace.
func file(packets ...field) []byte { return join(packets) }

// bundle writes a bundle of events of a core.
func bundle(core int64, events ...field) field {
	return packet(1, 0, msg(1, append([]field{num(1, core)}, events...)...))
}

// event encodes a kernel event.
func event(at, tid int64, what field) field { return msg(2, num(1, at), num(2, tid), what) }

// sysEnter and sysExit encode the start and the end of a system call.
func sysEnter(at, tid, number int64, args ...int64) field {
	fields := []field{num(1, number)}
	for _, a := range args {
		fields = append(fields, num(2, a))
	}
	return event(at, tid, msg(329, fields...))
}

func sysExit(at, tid, number, result int64) field {
	return event(at, tid, msg(330, num(1, number), num(2, result)))
}

// mark encodes a line that a program wrote to the kernel's trace.
func mark(at, tid int64, line string) field { return event(at, tid, msg(3, text(2, line+"\n"))) }

// switched encodes a context switch from one thread to another.
func switched(at, prev, next int64) field {
	return event(at, prev, msg(4, text(1, "prev"), num(2, prev), text(5, "next"), num(6, next)))
}

// ended encodes a context switch from a thread that ends to another thread.
func ended(at, prev, next int64) field {
	return event(at, prev, msg(4, num(2, prev), num(4, 32), num(6, next)))
}

// compact encodes context switches in the compact form. Each pair has the time and the next thread.
func compact(pairs ...int64) field {
	var times, tids, names []int64
	last := int64(0)
	for i := 0; i < len(pairs); i += 2 {
		times, last = append(times, pairs[i]-last), pairs[i]
		tids = append(tids, pairs[i+1])
		names = append(names, 0)
	}
	return msg(4, text(5, "worker"), list(1, times...), list(3, tids...), list(6, names...))
}

// process encodes a process with its id, its uid and its name.
func process(pid, uid int64, name string) field {
	return packet(2, 0, msg(2, msg(1, num(1, pid), num(2, 1), text(3, name), num(5, uid))))
}

// thread encodes a thread with its process, its id and its name.
func thread(pid, tid int64, name string) field {
	return packet(2, 0, msg(2, msg(2, num(1, tid), text(2, name), num(3, pid))))
}

// snapshot encodes clock readings. Each pair has the number of a clock and its reading.
func snapshot(sequence int64, pairs ...int64) field {
	var clocks []field
	for i := 0; i < len(pairs); i += 2 {
		clocks = append(clocks, msg(1, num(1, pairs[i]), num(2, pairs[i+1])))
	}
	return packet(sequence, 0, msg(6, clocks...))
}

// deflated and zstandard encode compressed packets.
func deflated(packets ...field) field {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(join(packets)) // Writing to a buffer cannot fail.
	w.Close()
	return msg(1, text(50, b.String()))
}

func zstandard(packets ...field) field {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return msg(1, text(133, string(w.EncodeAll(join(packets), nil))))
}
