package data

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/units"
)

// A feature is the number of a section of the file, such as the section of the processor's name.
type feature int

const (
	featureTracing   feature = 1
	featureBuildIDs  feature = 2
	featureCores     feature = 7
	featureProcessor feature = 8
	featureEvents    feature = 12
	featureFiles     feature = 128
	featureMeta      feature = 129
	featureFiles2    feature = 132
)

func (f feature) known() bool {
	switch f {
	case featureTracing, featureBuildIDs, featureCores, featureProcessor, featureEvents, featureFiles, featureMeta, featureFiles2:
		return true
	}
	return false
}

// maxCores is larger than the number of cores of any machine.
const maxCores = 1 << 13

// Features has data about a recording that is not in its records.
type Features struct {
	// Cores is the number of cores of the machine. It is 0 if unknown.
	Cores int
	// Processor is the name of the processor. It is empty if unknown.
	Processor string
	// BuildIDs maps the path of a file to its build id. The build id is bytes, not digits.
	BuildIDs map[string]string
	// Meta has simpleperf's properties of the recording, such as app_package_name.
	Meta map[string]string
	// Objects are the files in which simpleperf found functions.
	Objects []Object
	// events has the names of events, by the ids in their samples. tracepoints has the names of
	// tracepoints, by number.
	events      map[uint64]string
	tracepoints map[uint64]string
}

// An ObjectKind is the kind of a file, numbered as in simpleperf.
type ObjectKind uint32

// The kinds of files.
const (
	Kernel ObjectKind = iota
	Module
	ELF
	Dex
	Map
	Unknown
)

// An Object is a program, a library or another file with code.
type Object struct {
	Path string
	Kind ObjectKind
	// Address is the virtual address of the code, as its file states it. Offset is the code's
	// offset in the file. For a kernel module, it is the position in memory. It is -1 if unknown.
	Address uint64
	Offset  int64
	Symbols []program.Symbol
}

// add reads the section of a feature.
func (f *Features) add(number feature, b []byte) error {
	in := fields{rest: b}
	switch number {
	case featureTracing:
		f.tracepoints = tracepoints(b)
	case featureBuildIDs:
		for len(in.rest) >= recordHeader {
			r, size := header(in.rest)
			if size < recordHeader || size > int64(len(in.rest)) {
				return errShort
			}
			f.buildID(r.Misc, in.take(uint64(size))[recordHeader:])
		}
	case featureCores:
		f.Cores = int(min(max(in.u32(), in.u32()), maxCores))
	case featureProcessor:
		f.Processor = string(until(in.take(uint64(in.u32()))))
	case featureEvents:
		f.readEvents(&in)
	case featureFiles:
		return f.readFiles(&in)
	case featureFiles2:
		for len(in.rest) > 0 {
			message := in.take(uint64(in.u32()))
			if in.short {
				return errShort
			}
			o, err := readFile(message)
			if err != nil {
				return err
			}
			f.Objects = append(f.Objects, o)
		}
	case featureMeta:
		f.Meta = make(map[string]string)
		for len(in.rest) > 0 {
			key := string(in.text())
			f.Meta[key] = string(in.text())
		}
	}
	return nil
}

// buildID adds the build id of a file.
func (f *Features) buildID(misc uint16, body []byte) {
	in := fields{rest: body}
	in.u32()
	id := in.take(24)
	if id == nil {
		return
	}
	size := byte(20)
	if misc&miscBuildSize != 0 {
		size = min(id[20], 20)
	}
	if f.BuildIDs == nil {
		f.BuildIDs = make(map[string]string)
	}
	f.BuildIDs[string(until(in.rest))] = string(id[:size])
}

// readEvents reads perf's names of events.
func (f *Features) readEvents(in *fields) {
	f.events = make(map[uint64]string)
	n, size := in.u32(), in.u32()
	for i := uint32(0); i < n && !in.short; i++ {
		in.take(uint64(size))
		ids := in.u32()
		name := string(until(in.take(uint64(in.u32()))))
		for range ids {
			if in.short {
				return
			}
			f.events[in.u64()] = name
		}
	}
}

// readFiles reads files with their functions, as older versions of simpleperf write them.
func (f *Features) readFiles(all *fields) error {
	for len(all.rest) > 0 {
		in := fields{rest: all.take(uint64(all.u32()))}
		if all.short {
			return errShort
		}
		o := Object{Path: string(in.text()), Kind: ObjectKind(in.u32()), Address: in.u64(), Offset: -1}
		n := in.u32()
		for i := uint32(0); i < n && !in.short; i++ {
			o.Symbols = append(o.Symbols, program.Symbol{Address: in.u64(), Size: uint64(in.u32()), Name: string(in.text())})
		}
		if o.Kind == Dex {
			in.take(8 * uint64(in.u32()))
		} else if len(in.rest) >= 8 && (o.Kind == ELF || o.Kind == Module) {
			o.Offset = int64(in.u64())
		}
		if in.short {
			return errShort
		}
		f.Objects = append(f.Objects, o)
	}
	return nil
}

// readFile reads a file with its functions from a FileFeature message.
func readFile(message []byte) (Object, error) {
	o := Object{Offset: -1}
	err := wire.Each(message, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			o.Path = string(data)
		case 2:
			o.Kind = ObjectKind(value)
		case 3:
			o.Address = value
		case 4:
			var s program.Symbol
			err := wire.Each(data, func(number int, value uint64, data []byte) error {
				switch number {
				case 1:
					s.Address = value
				case 2:
					s.Size = value
				case 3:
					s.Name = string(data)
				}
				return nil
			})
			o.Symbols = append(o.Symbols, s)
			return err
		case 6, 7: // These are the fields for an ELF file and for a kernel module.
			var offset uint64
			err := wire.Fill(data, &offset)
			o.Offset = int64(offset)
			return err
		}
		return nil
	})
	return o, err
}

// tracepoints reads the names of tracepoints, such as sched:sched_switch, by number. They are in
// the event formats of the kernel's tracer.
func tracepoints(b []byte) map[uint64]string {
	names := make(map[uint64]string)
	in := fields{rest: b}
	in.take(10) // This is a magic number.
	in.text()   // This is a version.
	in.take(6)  // These are the endianness, and the sizes of numbers and pages.
	for range 2 {
		in.text()
		in.take(in.u64())
	}
	for n := in.u32(); n > 0 && !in.short; n-- {
		in.take(in.u64())
	}
	for systems := in.u32(); systems > 0 && !in.short; systems-- {
		system := string(in.text())
		for n := in.u32(); n > 0 && !in.short; n-- {
			if m := tracepoint.FindSubmatch(in.take(in.u64())); m != nil {
				if id, err := strconv.ParseUint(string(m[2]), 10, 64); err == nil {
					names[id] = system + ":" + string(m[1])
				}
			}
		}
	}
	return names
}

var tracepoint = regexp.MustCompile(`^name: (\w+)\nID: (\d+)\n`)

// Frequency returns the frequency that the name of the processor states, or 0.
func (f *Features) Frequency() units.Frequency {
	_, text, ok := strings.Cut(f.Processor, " @ ")
	if !ok {
		return 0
	}
	hz, err := units.ParseFrequency(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return hz
}

// perf's names of its events, indexed by the event's number.
var (
	hardware = []string{"cpu-cycles", "instructions", "cache-references", "cache-misses", "branch-instructions", "branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"}
	software = []string{"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output"}
)

// nameEvents sets the names of events. An event without a name in the recording gets one from its
// type and number.
func (f *File) nameEvents() {
	byID := make([]string, len(f.Attributes))
	for _, id := range slices.Sorted(maps.Keys(f.events)) {
		if i, ok := f.ids[id]; ok && byID[i] == "" {
			byID[i] = f.events[id]
		}
	}
	types := f.eventTypes()
	for i := range f.Attributes {
		a := &f.Attributes[i]
		switch {
		case byID[i] != "":
			a.Name = byID[i]
			continue
		case types[[2]uint64{uint64(a.kind), a.config}] != "":
			a.Name = types[[2]uint64{uint64(a.kind), a.config}]
		case a.kind == 0 && a.config < uint64(len(hardware)):
			a.Name = hardware[a.config]
		case a.kind == 1 && a.config < uint64(len(software)):
			a.Name = software[a.config]
		case a.kind == 2 && f.tracepoints[a.config] != "":
			a.Name = f.tracepoints[a.config]
		default:
			a.Name = fmt.Sprintf("event %d/%#x", a.kind, a.config)
		}
		switch a.flag & (flagExcludeUser | flagExcludeKernel) {
		case flagExcludeKernel:
			a.Name += ":u"
		case flagExcludeUser:
			a.Name += ":k"
		}
	}
}

// eventTypes returns simpleperf's names of events, by type and configuration.
func (f *File) eventTypes() map[[2]uint64]string {
	types := make(map[[2]uint64]string)
	for line := range strings.Lines(f.Meta["event_type_info"]) {
		parts := strings.Split(strings.TrimSpace(line), ",")
		if len(parts) != 3 {
			continue
		}
		kind, err := strconv.ParseUint(parts[1], 10, 32)
		config, err2 := strconv.ParseUint(parts[2], 10, 64)
		if err == nil && err2 == nil {
			types[[2]uint64{kind, config}] = parts[0]
		}
	}
	return types
}

// ParseKallsyms reads the functions of the kernel from the text of /proc/kallsyms.
func ParseKallsyms(text []byte) []program.Symbol {
	var out []program.Symbol
	for line := range bytes.Lines(text) {
		parts := bytes.Fields(line)
		if len(parts) < 3 || !strings.ContainsAny(string(parts[1]), "TtWw") {
			continue
		}
		if at, err := strconv.ParseUint(string(parts[0]), 16, 64); err == nil && at != 0 {
			out = append(out, program.Symbol{Address: at, Name: string(parts[2])})
		}
	}
	return out
}
