package format

import (
	"fmt"
	"os"

	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// Options state how to read a file of any format. The zero Options suit every file. Package
// settings has a key for each field except Triggers and Progress.
type Options struct {
	// Flows is the path of a sidecar with hand-overs between threads (see package flows). If it is
	// empty, the sidecar of a recording FILE is FILE.flows, if that exists.
	Flows string
	// MaxExpanded limits the number of bytes read from a compressed file, after decompression, or
	// from a pipe. 0 means ingest.DefaultMaxExpanded, and a negative number means no limit.
	MaxExpanded int64
	// Partial reads a truncated file up to its end, and adds a warning. Formats that cannot detect
	// truncation ignore it.
	Partial bool
	// Unit is the unit of the values in files that do not state a unit, such as folded stacks.
	Unit units.ValueUnit
	// SampleType selects one of several values per sample, for example "cpu" in a pprof profile. If
	// it is empty, the decoder chooses.
	SampleType string
	// Process is the name or number of the process to read from a recording of several processes.
	// If it is empty, the decoder chooses. A recording of one process is always read completely.
	Process string
	// Frequency is the processor's frequency, which converts cycles to processor time. It is 0 if
	// unknown.
	Frequency units.Frequency
	// Symfs is the path of a folder with programs and libraries. They are used to name functions
	// that a recording does not name. It may be empty.
	Symfs string
	// Voltage converts charge to energy. 0 means units.DefaultVoltage.
	Voltage units.Voltage
	// Triggers is the table of the methods, system calls and log lines that use components of the
	// device. nil means the built-in table.
	Triggers *trigger.Table
	// Progress, if not nil, is called at most a few hundred times during a scan, with the number of
	// bytes read so far and the total number. It runs on the scan's goroutine.
	Progress func(done, total int64)
}

// Programs opens the folder Symfs. It returns nil if Symfs is empty. The caller must close it.
func (o *Options) Programs() (*os.Root, error) {
	if o.Symfs == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(o.Symfs)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of programs: %w", err)
	}
	return root, nil
}
