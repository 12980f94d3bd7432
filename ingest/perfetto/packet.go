package perfetto

import (
	"github.com/diffprof/diffprof/ingest/wire"
)

// Fields with metadata of a packet.
const (
	fieldTime       = 8
	fieldSequence   = 10
	fieldInterned   = 12
	fieldFlags      = 13
	fieldCleared    = 41
	fieldDropped    = 42
	fieldClock      = 58
	fieldDefaults   = 59
	fieldTrustedUID = 3
	fieldTrustedPID = 79
	fieldFirst      = 87
	fieldMachine    = 98
)

// Fields with the content of a packet.
const (
	packetFtrace            = 1
	packetProcessTree       = 2
	packetClockSnapshot     = 6
	packetProcessStats      = 9
	packetTrackEvent        = 11
	packetTraceConfig       = 33
	packetTraceStats        = 35
	packetBattery           = 38
	packetLog               = 39
	packetRails             = 40
	packetProcessDescriptor = 43
	packetThreadDescriptor  = 44
	packetSystemInfo        = 45
	packetPackages          = 47
	packetDeflated          = 50
	packetTrackDescriptor   = 60
	packetModuleSymbols     = 61
	packetDeobfuscation     = 64
	packetPerfSample        = 66
	packetInitialDisplay    = 70
	packetBreakdown         = 77
	packetProperties        = 86
	packetNetwork           = 88
	packetResidency         = 91
	packetNetworkBundle     = 92
	packetKernelWakelocks   = 115
	packetAppWakelocks      = 116
	packetTaskState         = 117
	packetCPUFrequency      = 118
	packetUIDTimes          = 119
	packetTaskRename        = 120
	packetKernelProcesses   = 122
	packetZstd              = 133
	packetStackSample       = 135
)

// Flags of a packet.
const (
	flagCleared = 1 // Earlier interned values and time bases are void.
	flagNeeds   = 2 // The packet needs interned values of earlier packets.
)

// A packet has the outermost fields of a trace packet. Its byte slices are parts of the file's
// data.
type packet struct {
	// at is the offset of the packet in the file.
	at    int64
	time  uint64
	timed bool
	// clock is the number of the clock for time, or 0 for the sequence's default clock.
	clock    uint32
	sequence uint32
	machine  uint64
	flags    uint64
	dropped  bool
	// kind is the field number of data, or 0 if the packet has no known content.
	kind               int
	data               []byte
	interned, defaults []byte
}

// read reads the outermost fields.
func (p *packet) read(at int64, data []byte) error {
	*p = packet{at: at}
	for m := wire.Message(data); len(m) > 0; {
		number, value, bytes, err := m.Next()
		if err != nil {
			return err
		}
		switch number {
		case fieldTime:
			p.time, p.timed = value, true
		case fieldSequence:
			p.sequence = uint32(value)
		case fieldInterned:
			p.interned = bytes
		case fieldFlags:
			p.flags |= value
		case fieldCleared:
			if value != 0 {
				p.flags |= flagCleared
			}
		case fieldDropped:
			p.dropped = value != 0
		case fieldClock:
			p.clock = uint32(value)
		case fieldDefaults:
			p.defaults = bytes
		case fieldMachine:
			p.machine = value
		case fieldTrustedUID, fieldTrustedPID, fieldFirst:
		default:
			if bytes != nil {
				p.kind, p.data = number, bytes
			}
		}
	}
	return nil
}

// packets calls f for each packet in data, with the size of the packet. data is a part of the file
// and consists of complete packets. at is its offset in the file. f must not keep the packet.
func packets(at int64, data []byte, f func(p *packet, size int64) error) error {
	var p packet
	for m := wire.Message(data); len(m) > 0; {
		before := len(m)
		number, _, bytes, err := m.Next()
		if err == nil && number == 1 && bytes != nil {
			if err = p.read(at, bytes); err == nil {
				err = f(&p, int64(before-len(m)))
			}
		}
		if err != nil {
			return located(at, err)
		}
		at += int64(before - len(m))
	}
	return nil
}
