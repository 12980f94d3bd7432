package perfetto

import (
	"bytes"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/wire"
)

// table processes a packet of metadata, which has no time.
func (d *decoder) table(p *packet) error {
	switch p.kind {
	case packetProcessTree:
		return d.processTree(p.data)
	case packetKernelProcesses:
		return d.kernelProcesses(p.data)
	case packetTaskRename:
		return d.taskRename(p.data)
	case packetTrackDescriptor:
		return d.describe(p.data)
	case packetProcessDescriptor:
		_, err := d.describeProcess(p.data)
		return err
	case packetSystemInfo:
		return wire.Each(p.data, func(number int, _ uint64, data []byte) error {
			const names, fingerprint = 1, 2
			switch number {
			case names:
				return within(data, []int{4}, func(machine []byte) error {
					d.machine = string(machine)
					return nil
				})
			case fingerprint:
				// The text begins with the brand and the product, as in google/bluejay/bluejay:13/…
				if parts := strings.SplitN(string(data), "/", 3); len(parts) == 3 {
					d.device = strings.ToValidUTF8(parts[0]+" "+parts[1], "\uFFFD")
				}
			}
			return nil
		})
	case packetPackages:
		return d.packages(p.data)
	case packetTraceConfig:
		return d.config(p.data)
	case packetRails:
		return d.railsCalled(p.sequence, p.data)
	case packetBreakdown:
		return d.consumersCalled(p.data)
	case packetResidency:
		return d.statesCalled(p.data)
	case packetModuleSymbols:
		return d.symbols.AddModule(p.data)
	case packetDeobfuscation:
		return d.symbols.AddMapping(p.data)
	}
	return nil
}

// processTree reads processes and threads.
func (d *decoder) processTree(data []byte) error {
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		var id, of uint64
		var name []byte
		switch number {
		case 1:
			uid, known := uint64(0), false
			err := wire.Each(data, func(number int, value uint64, data []byte) error {
				switch number {
				case 1:
					id = value
				case 3:
					if name == nil {
						name = data
					}
				case 5:
					uid, known = value, true
				}
				return nil
			})
			pid := int64(int32(id))
			d.tasks.Process(pid, name)
			d.tasks.Thread(pid, pid, nil)
			d.known[pid] = pid
			if known {
				d.uids[pid] = int64(int32(uid))
			}
			return err
		case 2:
			err := wire.Each(data, func(number int, value uint64, data []byte) error {
				switch number {
				case 1:
					id = value
				case 2:
					name = data
				case 3:
					of = value
				}
				return nil
			})
			tid, pid := int64(int32(id)), int64(int32(of))
			if pid == 0 {
				pid = noProcess
			} else {
				d.known[tid] = pid
			}
			d.tasks.Thread(tid, pid, name)
			return err
		}
		return nil
	})
}

// kernelProcesses reads processes and threads of systems other than Linux.
func (d *decoder) kernelProcesses(data []byte) error {
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		var id, of uint64
		var name []byte
		err := wire.Each(data, func(field int, value uint64, data []byte) error {
			switch field {
			case 1:
				id = value
			case 2:
				of = value
			case 3:
				name = data
			}
			return nil
		})
		switch number {
		case 1:
			d.tasks.Process(int64(id), name)
		case 2:
			d.tasks.Thread(int64(id), int64(of), name)
		}
		return err
	})
}

// taskRename reads the new name of a thread.
func (d *decoder) taskRename(data []byte) error {
	tid, name, err := internedText(data)
	d.tasks.Thread(int64(tid), noProcess, name)
	return err
}

// noProcess represents an unknown process.
const noProcess = -1

// describeProcess reads the description of a process, and returns the process's id.
func (d *decoder) describeProcess(data []byte) (int64, error) {
	var id int64
	var line, name []byte
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			id = int64(int32(value))
		case 2:
			if line == nil {
				line = data
			}
		case 6:
			name = data
		}
		return nil
	})
	if len(name) == 0 {
		name = line
	}
	if d.surveying {
		d.tasks.Process(id, name)
	}
	return id, err
}

// describeThread reads the description of a thread, and returns the ids of its process and thread.
func (d *decoder) describeThread(data []byte) (process, thread int64, err error) {
	var name []byte
	err = wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			process = int64(int32(value))
		case 2:
			thread = int64(value)
		case 5:
			name = data
		}
		return nil
	})
	if d.surveying {
		d.tasks.Thread(thread, process, name)
		d.known[thread] = process
	}
	return process, thread, err
}

// maxApps limits the debuggable and profileable apps, and the apps in the trace's configuration.
const maxApps = 1 << 10

// packages reads which apps are debuggable or profileable. Usually these are only the apps under
// development.
func (d *decoder) packages(data []byte) error {
	return within(data, []int{1}, func(data []byte) error {
		var name []byte
		open := false
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				name = data
			case 3, 4:
				open = open || value != 0
			}
			return nil
		})
		if open && len(d.open) < maxApps && !slices.Contains(d.open, string(name)) {
			d.open = append(d.open, string(name))
		}
		return err
	})
}

// Fields of a trace's configuration.
const (
	configSources  = 2
	configDuration = 3
)

// targets has the field paths at which the configuration of a data source names apps: the apps of
// atrace, and the apps that perf samples.
var targets = [][]int{{1, 100, 3}, {1, 111, 16, 1, 2}, {1, 111, 5}}

// config reads the configured duration and apps.
func (d *decoder) config(data []byte) error {
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case configDuration:
			d.asked = int64(min(value, 1<<40)) * 1e6
		case configSources:
			for _, path := range targets {
				err := within(data, path, func(name []byte) error {
					if !bytes.ContainsAny(name, "*?") && len(d.targets) < maxApps {
						d.targets = append(d.targets, string(name))
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// within calls f for the bytes at a path of fields.
func within(data []byte, fields []int, f func(data []byte) error) error {
	if len(fields) == 0 {
		return f(data)
	}
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number == fields[0] && data != nil {
			return within(data, fields[1:], f)
		}
		return nil
	})
}
