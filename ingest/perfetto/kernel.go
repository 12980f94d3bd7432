package perfetto

import (
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// taskRunning is the state of a running thread.
const taskRunning = 3

// taskState reads the state of a thread, on systems other than Linux.
func (s *sequence) taskState(p *packet, at int64, out *list) error {
	r := record{kind: kindLeave}
	err := wire.Each(p.data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			r.core = int32(min(value, maxCores-1))
		case 2:
			r.text = data
		case 3:
			r.thread = int64(value)
		case 4:
			if value == taskRunning {
				r.kind = kindSwitch
			}
		}
		return nil
	})
	if s.d.surveying {
		s.d.tasks.Thread(r.thread, noProcess, r.text)
	}
	out.add(at, r)
	return err
}

// cpuFrequency reads a core's frequency, on systems other than Linux.
func (s *sequence) cpuFrequency(p *packet, at int64, out *list) error {
	var core, value uint64
	err := wire.Fill(p.data, &core, &value)
	out.signal(at, s.d.series.core(int32(core), trace.Frequency), hertz(value, 1))
	return err
}
