package chrome

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// hermes are the samples that Hermes, or a converter of perf's recordings, writes next to the
// events of a trace. Each refers to a frame in a table that all threads share.
type hermes struct {
	samples []hermesSample
	frames  map[string]hermesFrame
	counts  counts
}

type hermesSample struct {
	thread *thread
	at     int64
	frame  string
	// event is the index of perf's event, -1 for a sample of Hermes. weight is its count.
	event  int32
	weight int64
}

type hermesFrame struct {
	caller string
	method trace.MethodID
}

// readSamples reads the list of samples.
func (h *hermes) readSamples(d *decoder) error {
	var process, id []byte
	return d.in.Elements(func() error {
		process, id = process[:0], id[:0]
		s := hermesSample{event: -1}
		core, number := int64(-1), int64(0)
		if err := d.in.Members(func(name []byte) (err error) {
			var text []byte
			switch string(name) {
			case "pid":
				text, err = d.in.Text()
				process = append(process, text...)
			case "tid":
				text, err = d.in.Text()
				id = append(id, text...)
			case "ts":
				s.at, err = moment(d.in)
			case "sf":
				s.frame, err = d.in.Name()
			case "name":
				if text, err = d.in.Text(); len(text) > 0 {
					s.event = h.counts.event(text)
				}
			case "weight":
				text, err = d.in.Text()
				number, _ = strconv.ParseInt(string(text), 10, 64)
			case "cpu":
				text, err = d.in.Text()
				if n, wrong := strconv.ParseInt(string(text), 10, 64); wrong == nil {
					core = n
				}
			default:
				err = d.in.Skip()
			}
			return err
		}); err != nil {
			return err
		}
		if len(process) > maxID || len(id) > maxID {
			return fmt.Errorf("an id has more than %d bytes", maxID)
		}
		if len(h.samples) >= maxSamples/8 {
			return errors.New("the trace has too many samples")
		}
		if s.thread = d.thread(process, id); s.thread == nil {
			return errThreads
		}
		d.seen++
		if s.event >= 0 {
			s.weight = number
			h.counts.add(s.event, core)
		}
		h.samples = append(h.samples, s)
		return nil
	})
}

// readFrames reads the table of frames.
func (h *hermes) readFrames(d *decoder) error {
	h.frames = make(map[string]hermesFrame)
	return d.in.Members(func(key []byte) error {
		if len(h.frames) >= maxNodes {
			return errors.New("the trace has too many frames")
		}
		id := string(key)
		f := hermesFrame{method: stacks.NoFrame}
		err := d.in.Members(func(name []byte) (err error) {
			switch string(name) {
			case "name":
				text, err := d.in.Name()
				if text != "[root]" {
					f.method = d.names.ID([]byte(text))
				}
				return err
			case "parent":
				f.caller, err = d.in.Name()
				return err
			}
			return d.in.Skip()
		})
		h.frames[id] = f
		return err
	})
}

// deal distributes the samples to their threads, as profiles.
func (h *hermes) deal(d *decoder) error {
	if len(h.samples) == 0 {
		return nil
	}
	// Ids are texts, so frames are numbered in the order of their sorted ids.
	ids := make([]string, 0, len(h.frames))
	for id := range h.frames {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	numbers := make(map[string]int32, len(ids))
	var paths stacks.Paths
	for i, id := range ids {
		numbers[id] = int32(i)
		paths.Add(stacks.NoFrame, h.frames[id].method, 0)
	}
	for i, id := range ids {
		if caller, ok := numbers[h.frames[id].caller]; ok {
			paths.SetCaller(int32(i), caller)
		}
	}
	nodes := make(map[int64]int32, len(ids))
	for i := range ids {
		nodes[int64(i)] = int32(i)
	}
	of := make(map[*thread]*profile)
	if err := h.counts.choose(d); err != nil {
		return err
	}
	for _, s := range h.samples {
		if h.counts.counter != nil && s.event != h.counts.chosen {
			continue
		}
		p := of[s.thread]
		if p == nil {
			p = d.profile(s.thread)
			p.nodes, p.paths, p.moments = nodes, paths, true
			of[s.thread] = p
		}
		number, ok := numbers[s.frame]
		if !ok {
			return fmt.Errorf("a sample refers to unknown frame %.40q", s.frame)
		}
		p.samples = append(p.samples, int64(number))
		p.deltas = append(p.deltas, s.at)
		if h.counts.counter != nil {
			p.weights = append(p.weights, s.weight)
		}
	}
	h.samples = nil
	return nil
}

// median returns the median length, 0 if there are none.
func median(lengths []int64) time.Duration {
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return time.Duration(lengths[len(lengths)/2])
}
