package data

import (
	"encoding/binary"
	"errors"
	"math"
)

// The types of records that are read.
const (
	Mmap        = 1
	Lost        = 2
	Comm        = 3
	Exit        = 4
	Fork        = 7
	SampleType  = 9
	Mmap2       = 10
	LostSamples = 13

	recordAttribute   = 64
	recordTracingData = 66
	recordBuildID     = 67
	recordRound       = 68
	recordAux         = 71
	recordFeature     = 80
	recordCompressed  = 81
	recordCompressed2 = 83

	// Types from simpleperfRecords on are simpleperf's own. Their sizes have 32 bits.
	simpleperfRecords  = 32768
	KernelSymbols      = 32769
	recordSplit        = 32772
	recordSplitEnd     = 32773
	recordEventID      = 32774
	recordTracingData2 = 32777
)

// Bits of Record.Misc.
const (
	modeMask      = 7
	modeKernel    = 1
	miscExec      = 1 << 13 // This bit is for Comm.
	miscBuildID   = 1 << 14 // This bit is for Mmap2.
	miscBuildSize = 1 << 15 // This bit is for a build id.
)

// A Record is a record without its header.
type Record struct {
	Type uint32
	Misc uint16
	// Body is valid until the next record is read.
	Body []byte
	// At is the record's offset in the file. For a decompressed record, it is the offset of the
	// compressed record.
	At int64
}

// Exec reports whether a record of the type Comm marks the start of a program.
func (r *Record) Exec() bool { return r.Misc&miscExec != 0 }

// Kernel reports whether a record belongs to kernel code.
func (r *Record) Kernel() bool { return r.Misc&modeMask == modeKernel }

// Time returns the time of a record, or 0 if the record has none.
func (f *File) Time(r *Record) uint64 {
	if r.Type == SampleType {
		a := f.attribute(r)
		in := fields{rest: r.Body}
		for _, part := range []uint64{partIdentifier, partIP, partThread} {
			if a.sampleType&part != 0 {
				in.u64()
			}
		}
		if a.sampleType&partTime == 0 {
			return 0
		}
		return in.u64()
	}
	if n := len(r.Body); r.Type < recordAttribute && f.layout.time >= 0 && f.layout.time <= n {
		return binary.LittleEndian.Uint64(r.Body[n-f.layout.time:])
	}
	return 0
}

// Event returns the index of a sample's attribute.
func (f *File) Event(r *Record) int {
	if at := f.layout.id; len(f.Attributes) > 1 && at >= 0 && at+8 <= len(r.Body) {
		return f.ids[binary.LittleEndian.Uint64(r.Body[at:])]
	}
	return 0
}

func (f *File) attribute(r *Record) *Attribute { return &f.Attributes[f.Event(r)] }

// A Sample is a sample of an event.
type Sample struct {
	// Event is the index of the sample's attribute.
	Event    int
	IP, Time uint64
	PID, TID int32
	// Period is the number of occurrences of the event that the sample represents.
	Period int64
	// Chain has the addresses of the frames, the innermost first. Marks in it state whether the
	// addresses after them are kernel addresses. Chain is valid until the next sample is read.
	Chain []uint64
}

var errShort = errors.New("a record is shorter than its fields")

// Sample reads a sample.
func (f *File) Sample(r *Record, s *Sample) error {
	*s = Sample{Event: f.Event(r), Chain: s.Chain[:0]}
	a := &f.Attributes[s.Event]
	in := fields{rest: r.Body}
	has := func(part uint64) bool { return a.sampleType&part != 0 }
	if has(partIdentifier) {
		in.u64()
	}
	if has(partIP) {
		s.IP = in.u64()
	}
	if has(partThread) {
		s.PID, s.TID = int32(in.u32()), int32(in.u32())
	}
	if has(partTime) {
		s.Time = in.u64()
	}
	for _, part := range []uint64{partAddress, partID, partStream, partCPU} {
		if has(part) {
			in.u64()
		}
	}
	period := uint64(1)
	switch {
	case has(partPeriod):
		period = in.u64()
	case a.flag&flagFrequency == 0 && a.period > 0:
		period = a.period
	}
	s.Period = int64(min(period, math.MaxInt64))
	if has(partRead) {
		a.skipRead(&in)
	}
	if has(partChain) {
		n := in.u64()
		chain := fields{rest: in.take(8 * min(n, math.MaxUint64/8))}
		for len(chain.rest) >= 8 {
			s.Chain = append(s.Chain, chain.u64())
		}
	}
	if in.short {
		return errShort
	}
	return nil
}

// Optional parts of the counter values in a sample.
const (
	readEnabled = 1 << iota
	readRunning
	readID
	readGroup
	readLost
)

// skipRead skips the counter values in a sample.
func (a *Attribute) skipRead(in *fields) {
	each, n := uint64(8), uint64(1)
	if a.format&readGroup != 0 {
		n = in.u64()
	}
	for _, part := range []uint64{readEnabled, readRunning} {
		if a.format&part != 0 {
			in.u64()
		}
	}
	for _, part := range []uint64{readID, readLost} {
		if a.format&part != 0 {
			each += 8
		}
	}
	in.take(each * min(n, math.MaxUint64/each))
}

// A Mapping is the mapping of a part of a file to an address.
type Mapping struct {
	PID                 int32
	Start, Size, Offset uint64
	Path                string
	// Flags has the protection flags of the memory, and simpleperf's own flags.
	Flags uint32
	// BuildID may be empty.
	BuildID string
}

// Mapping reads a record of the types Mmap and Mmap2.
func (r *Record) Mapping() (m Mapping, err error) {
	in := fields{rest: r.Body}
	m.PID = int32(in.u32())
	in.u32()
	m.Start, m.Size, m.Offset = in.u64(), in.u64(), in.u64()
	if r.Type == Mmap2 {
		id := in.take(24)
		if r.Misc&miscBuildID != 0 && len(id) == 24 {
			m.BuildID = string(id[4 : 4+min(id[0], 20)])
		}
		m.Flags = in.u32()
		in.u32()
	}
	m.Path = string(until(in.rest))
	if in.short {
		err = errShort
	}
	return m, err
}

// A Task is the content of a record about a thread: the thread's new name, or its parent.
type Task struct {
	PID, TID   int32
	ParentPID  int32
	Name       string
	ParentTask int32
}

// Task reads a record of the types Comm, Fork and Exit.
func (r *Record) Task() (t Task, err error) {
	in := fields{rest: r.Body}
	if r.Type == Comm {
		t.PID, t.TID = int32(in.u32()), int32(in.u32())
		t.Name = string(until(in.rest))
	} else {
		t.PID, t.ParentPID, t.TID, t.ParentTask = int32(in.u32()), int32(in.u32()), int32(in.u32()), int32(in.u32())
	}
	if in.short {
		err = errShort
	}
	return t, err
}

// Lost returns the number of lost samples in a record of the types Lost and LostSamples.
func (r *Record) Lost() int64 {
	in := fields{rest: r.Body}
	if r.Type == Lost {
		in.u64()
	}
	return int64(min(in.u64(), math.MaxInt32))
}

// Kallsyms returns the kernel's table of symbols from a record of the type KernelSymbols.
func (r *Record) Kallsyms() []byte {
	in := fields{rest: r.Body}
	n := in.u32()
	return in.take(uint64(n))
}
