package format

import (
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// Options say how to read a file, whatever its format. The zero Options suit every file.
// Package settings has a key for each field except Triggers, whose file is an option of the
// analysis, and Progress.
type Options struct {
	// Flows is the path of a file of hand-overs. If it is empty, the file's path with
	// .flows appended is read, if that file exists.
	Flows string
	// MaxExpanded limits the bytes that a compressed file or a pipe may yield. 0 means
	// ingest.DefaultMaxExpanded, a negative number no limit.
	MaxExpanded int64
	// Partial reads the part of a file before the place where it is cut short, and adds a
	// warning. Formats that cannot detect a cut ignore it.
	Partial bool
	// Unit is the unit of the values of files that state none, such as folded stacks.
	Unit units.ValueUnit
	// SampleType selects one of several values per sample, as in pprof profiles. If it is
	// empty, the format chooses.
	SampleType string
	// Process is the name or number of the process to read from a recording of several. If
	// it is empty, the format chooses. A recording of one process is read whole.
	Process string
	// Frequency is the frequency of the processor, which converts cycles to processor time.
	// 0 means unknown.
	Frequency units.Frequency
	// Symfs is the path of a folder with the programs and libraries whose functions a
	// recording does not name. It may be empty.
	Symfs string
	// Voltage converts charge to energy. 0 means units.DefaultVoltage.
	Voltage units.Voltage
	// Triggers are the methods, system calls and log lines that switch components of the
	// device. nil means the built-in table.
	Triggers *trigger.Table
	// Progress, if not nil, is called a few hundred times at most during a scan, with the
	// number of bytes read and their total. It runs on the scan's goroutine.
	Progress func(done, total int64)
}
