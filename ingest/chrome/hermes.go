package chrome

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// hermes has the samples of Hermes and of Dart's VM, and perf samples that a tool converted to this
// form. A sample refers to a frame in a table for all threads, or lists its functions.
type hermes struct {
	samples []hermesSample
	frames  map[string]hermesFrame
	// period is the time that each sample represents. It is 0 if a sample lasts until the next one.
	period int64
	// functions are the functions of Dart's VM. indices has the stacks of all samples, one after
	// the other. Its elements are indices in functions.
	functions []trace.MethodID
	indices   []int32
	// process is the process id of the file, for samples that state no process.
	process []byte
	// unknown is the method for functions that are not in the table.
	unknown trace.MethodID
	counts  counts
}

type hermesSample struct {
	process, thread string
	at              int64
	frame           string
	// The stack of the sample is hermes.indices[from:to].
	from, to int
	// event is the index of the perf event, or -1 for other samples. weight is the sample's count.
	event  int32
	weight int64
}

type hermesFrame struct {
	caller string
	method trace.MethodID
	// line is the line of the instruction in the frame. It is 0 if unknown.
	line int32
}

var errSamples = errors.New("the trace has too many samples")

// add adds a sample.
func (h *hermes) add(d *decoder, s hermesSample) error {
	if len(s.process) > maxID || len(s.thread) > maxID {
		return fmt.Errorf("an id has more than %d bytes", maxID)
	}
	if len(h.samples) >= maxSamples/8 {
		return errSamples
	}
	d.seen++
	h.samples = append(h.samples, s)
	return nil
}

// readSamples reads the list of samples.
func (h *hermes) readSamples(d *decoder) error {
	if !d.in.Is('[') {
		return d.in.Skip()
	}
	return d.in.Elements(func() error {
		s := hermesSample{from: len(h.indices), to: len(h.indices), event: -1}
		core, number := int64(-1), int64(0)
		var text []byte
		if err := d.in.Members(func(name []byte) (err error) {
			switch string(name) {
			case "pid":
				s.process, err = d.in.Name()
			case "tid":
				s.thread, err = d.in.Name()
			case "ts", "timestamp":
				s.at, err = moment(d.in)
			case "sf":
				s.frame, err = d.in.Name()
			case "stack":
				return h.readStack(d, &s)
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
		if s.event >= 0 {
			s.weight = number
			h.counts.add(s.event, core)
		}
		return h.add(d, s)
	})
}

// readStack reads the functions of a sample.
func (h *hermes) readStack(d *decoder, s *hermesSample) error {
	if !d.in.Is('[') {
		return d.in.Skip()
	}
	s.from = len(h.indices)
	err := d.in.Elements(func() error {
		if len(h.indices) >= maxSamples {
			return errSamples
		}
		i, err := d.in.Index()
		h.indices = append(h.indices, i)
		return err
	})
	s.to = len(h.indices)
	return err
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
		text, library, script, first := "", "", "", ""
		err := d.in.Members(func(name []byte) (err error) {
			switch string(name) {
			case "name":
				text, err = d.in.Name()
			case "packageUri":
				library, err = d.in.Name()
			case "resolvedUrl":
				script, err = d.in.Name()
			case "parent":
				f.caller, err = d.in.Name()
			case "funcLine":
				first, err = d.in.Name()
			default:
				err = d.in.Skip()
			}
			return err
		})
		if library == "" {
			library = script
		}
		begin, _ := strconv.ParseInt(first, 10, 32)
		switch function, path, line, ok := cutPlace(text); {
		case text == "[root]":
		case ok && library == "" && (function != "" || begin > 0):
			f.method, f.line = d.names.Add(name.OfScript(function, path, int(max(begin, 0)))), line
		default:
			f.method = d.dart(text, library)
		}
		h.frames[id] = f
		return err
	})
}

// cutPlace splits the name of a frame as Hermes writes it, such as load(index.bundle:12:3). The
// line is the line of the current instruction, not the first line of the function.
func cutPlace(text string) (function, path string, line int32, ok bool) {
	i := strings.IndexByte(text, '(')
	if i < 0 || !strings.HasSuffix(text, ")") {
		return "", "", 0, false
	}
	path = text[i+1 : len(text)-1]
	var numbers [2]int64
	for k := range numbers {
		at := strings.LastIndexByte(path, ':')
		if at <= 0 {
			return "", "", 0, false
		}
		n, err := strconv.ParseInt(path[at+1:], 10, 32)
		if err != nil || n < 0 || n > maxLine {
			return "", "", 0, false
		}
		numbers[k], path = n, path[:at]
	}
	return text[:i], path, int32(numbers[1]), true
}

// distribute distributes the samples to the profiles of their threads.
func (h *hermes) distribute(d *decoder) error {
	if len(h.samples) == 0 {
		return nil
	}
	if len(h.functions) > 0 {
		h.unknown = d.names.ID([]byte(stacks.Unknown))
	}
	// The ids of frames are texts. They are replaced by numbers, in sorted order.
	ids := make([]string, 0, len(h.frames))
	for id := range h.frames {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	numbers := make(map[string]int32, len(ids))
	var paths stacks.Paths
	for i, id := range ids {
		numbers[id] = int32(i)
		paths.Add(stacks.NoFrame, h.frames[id].method, h.frames[id].line)
	}
	rootless := 0
	for i, id := range ids {
		if caller, ok := numbers[h.frames[id].caller]; ok {
			paths.SetCaller(int32(i), caller)
		} else if h.frames[id].caller != "" {
			rootless++
		}
	}
	rootless += paths.Repair()
	known := make(map[dartContext]int32)
	starts := make([]int32, len(h.samples))
	for i := range h.samples {
		s := &h.samples[i]
		switch {
		case len(h.functions) > 0 && s.frame == "":
			starts[i] = h.stack(s, &paths, known)
		default:
			number, ok := numbers[s.frame]
			if !ok {
				number = lostFrame
			}
			starts[i] = number
		}
	}
	nodes := new(index[int32])
	nodes.put(stacks.NoFrame, stacks.NoFrame)
	for i := range paths.Len() {
		nodes.put(int64(i), int32(i))
	}
	byThread := make(map[*thread]*profile)
	if err := h.counts.choose(d); err != nil {
		return err
	}
	for i, s := range h.samples {
		if h.counts.counter != nil && !h.counts.chosen.Has(int(s.event)) {
			continue
		}
		process := []byte(s.process)
		if len(process) == 0 {
			process = h.process
		}
		th := d.thread(process, []byte(s.thread))
		if th == nil {
			return errThreads
		}
		p := byThread[th]
		if p == nil {
			p = d.profile(th)
			p.nodes, p.paths, p.moments, p.period, p.rootless = nodes, paths, true, h.period, rootless
			byThread[th] = p
			rootless = 0
		}
		p.samples = append(p.samples, int64(starts[i]))
		p.deltas = append(p.deltas, s.at)
		if h.counts.counter != nil {
			p.weights = append(p.weights, s.weight)
		}
	}
	h.samples = nil
	return nil
}

// lostFrame is the number of a frame that is not in the table.
const lostFrame = -2

// median returns the median of lengths, or 0 if there are none.
func median(lengths []int64) time.Duration {
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return time.Duration(lengths[len(lengths)/2])
}
