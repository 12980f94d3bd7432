package profile

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/units"
)

// Perfetto writes a trace of Perfetto's track events. Each run is a process. One of its tracks has
// a slice per context. A nanojoule is shown as a nanosecond. Counts are arguments of the slices,
// and the energy so far is a counter. A comparison also has tracks of tasks, with their possible
// savings.
func Perfetto(w io.Writer, p *Profile) error {
	out := newPackets(w)
	runs := 1
	if p.Comparison {
		runs = 2
	}
	for i := range runs {
		p.perfettoRun(out, i)
	}
	return out.Flush()
}

// The kinds of tracks of a process. The number of a track ends with the track's kind.
const (
	processTrack = iota + 1
	contextTrack
	taskTrack
	energyTrack
	savingTrack
	tracks // the number of kinds
)

// perfettoRun writes the process of a run.
func (p *Profile) perfettoRun(out *packets, run int) {
	c := &p.Columns[run]
	base := uint64(run * tracks)
	pid := uint64(run + 1)
	name := c.Name
	if !p.Comparison {
		name = p.Title
	}
	process := message{}.number(1, pid).text(6, name)
	out.describe(message{}.number(1, base+processTrack).message(3, process))
	// The axis is energy and not time, so this must not be the track of a thread.
	out.describe(message{}.number(1, base+contextTrack).text(2, "calls, "+named(c)).number(5, base+processTrack))
	counter := func(track uint64, name string) {
		out.describe(message{}.number(1, base+track).text(2, name).number(5, base+processTrack).message(8, message{}.text(6, string(c.Unit))))
	}
	counter(energyTrack, c.Kind+" so far")
	l := p.lay(c)
	p.walk(l, func(node int32, at int64, opens bool) {
		if !opens {
			out.event(at, message{}.number(9, sliceEnd).number(11, base+contextTrack))
			if p.Nodes[node].Parent == 0 {
				out.count(at, base+energyTrack, at)
			}
			return
		}
		e := message{}.number(9, sliceBegin).number(11, base+contextTrack)
		e = e.annotation("all_"+string(c.Unit), l.all[node])
		for i := range p.Columns {
			if v := p.Columns[i].Self[node]; v != 0 {
				e = e.annotation(argument(&p.Columns[i]), v)
			}
		}
		for _, label := range p.Labels[p.Nodes[node].Labels] {
			e = e.note(label.Key, strings.Join(label.Values, ", "))
		}
		out.slice(at, p.Frames[p.Nodes[node].Frame].Name, e)
	})
	if p.Comparison {
		out.describe(message{}.number(1, base+taskTrack).text(2, "tasks").number(5, base+processTrack))
		counter(savingTrack, "saving so far")
		p.perfettoTasks(out, run, base)
	}
}

// perfettoTasks writes the tasks of the subject, or their counterparts, one after another.
func (p *Profile) perfettoTasks(out *packets, run int, base uint64) {
	at, saved := int64(0), int64(0)
	for i := range p.Tasks {
		t := &p.Tasks[i]
		name, energy := t.Name, t.Energy
		if run == 1 {
			name, energy = t.Peer, t.Peers
		}
		if name == "" {
			continue
		}
		e := message{}.number(9, sliceBegin).number(11, base+taskTrack)
		e = e.annotation("saving", t.Saved).annotation("subject", t.Energy).annotation("reference", t.Peers)
		e = e.note("verdict", t.Verdict).note("id", t.ID)
		if t.Peer != "" {
			e = e.note("counterpart", t.Peer)
		}
		out.slice(at, name, e)
		at += energy
		out.event(at, message{}.number(9, sliceEnd).number(11, base+taskTrack))
		saved += t.Saved
		out.count(at, base+savingTrack, saved)
	}
}

// The types of a track event.
const (
	sliceBegin   = 1
	sliceEnd     = 2
	counterValue = 4
)

// packets writes the packets of a trace.
type packets struct {
	*bufio.Writer
	// sequence is the current sequence. sequences is its number, from 1.
	*sequence
	sequences uint64
}

// A sequence is a list of packets that share names. Readers expect its packets in order of time.
type sequence struct {
	number uint64
	begun  bool
	// named and arguments map the names of events and of arguments to numbers.
	named, arguments map[string]uint64
}

func newPackets(w io.Writer) *packets {
	o := &packets{Writer: bufio.NewWriterSize(w, 1<<16)}
	o.next()
	return o
}

// next begins a new sequence.
func (o *packets) next() {
	o.sequences++
	o.sequence = &sequence{number: o.sequences, named: make(map[string]uint64), arguments: make(map[string]uint64)}
}

// packet writes a packet. Flush returns the errors.
func (o *packets) packet(m message) {
	flags := uint64(2) // needs definitions from earlier packets
	if !o.begun {
		flags, o.begun = 1, true // begins the sequence
	}
	m = m.number(10, o.number).number(13, flags)
	var room [16]byte
	o.Write(binary.AppendUvarint(message(room[:0]).tag(1, 2), uint64(len(m))))
	o.Write(m)
}

// describe writes a track.
func (o *packets) describe(track message) { o.packet(message{}.message(60, track)) }

// event writes an event.
func (o *packets) event(at int64, e message) {
	o.packet(message{}.number(8, uint64(at)).message(11, e))
}

// slice writes the start of a slice. The first slice with a name defines the name.
func (o *packets) slice(at int64, name string, e message) {
	m := message{}.number(8, uint64(at))
	id, known := o.named[name]
	if !known {
		id = uint64(len(o.named)) + 1
		o.named[name] = id
		m = m.message(12, message{}.message(2, message{}.number(1, id).text(2, name)))
	}
	o.packet(m.message(11, e.number(10, id)))
}

// count writes a value of a counter.
func (o *packets) count(at int64, track uint64, value int64) {
	o.event(at, message{}.number(9, counterValue).number(11, track).number(30, uint64(value)))
}

// A message is a Protocol Buffers message. Each method returns the message with one more field.
type message []byte

func (m message) tag(field, kind int) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(kind))
}

func (m message) number(field int, n uint64) message { return binary.AppendUvarint(m.tag(field, 0), n) }

func (m message) message(field int, inner message) message {
	return append(binary.AppendUvarint(m.tag(field, 2), uint64(len(inner))), inner...)
}

func (m message) text(field int, s string) message { return m.message(field, message(s)) }

// annotation adds a numeric argument of an event.
func (m message) annotation(name string, n int64) message {
	return m.message(4, message{}.text(10, name).number(4, uint64(n)))
}

// note adds a text argument of an event.
func (m message) note(name, s string) message {
	return m.message(4, message{}.text(10, name).text(6, s))
}

// A perfettoStrip writes a timeline as Perfetto's track events. Each thread and each counter has its own
// sequence. The exclusive energy of a slice is an argument of its end. diffprof reads the energy back from
// this argument.
type perfettoStrip struct {
	*packets
	// threads has the tracks of threads. others has the tracks of processes and of their counters,
	// by name. tracks is the number of tracks.
	threads []threadTrack
	others  map[trackKey]uint64
	tracks  uint64
	// event, whole and note are buffers for the messages of an event.
	event, whole, note message
}

type threadTrack struct {
	uuid     uint64
	sequence *sequence
}

type trackKey struct {
	pid  int64
	name string
}

func newPerfettoStrip(w io.Writer) *perfettoStrip {
	return &perfettoStrip{packets: newPackets(w), others: make(map[trackKey]uint64), whole: make(message, 0, 1<<12)}
}

// track returns the number of a new track.
func (s *perfettoStrip) track() uint64 {
	s.tracks++
	return s.tracks
}

func (s *perfettoStrip) process(pid int64, name string) {
	uuid := s.track()
	s.others[trackKey{pid: pid}] = uuid
	s.describe(message{}.number(1, uuid).message(3, message{}.number(1, uint64(pid)).text(6, name)))
}

func (s *perfettoStrip) thread(l *line) {
	for len(s.threads) <= l.index {
		s.threads = append(s.threads, threadTrack{})
	}
	s.next()
	uuid := s.track()
	s.threads[l.index] = threadTrack{uuid, s.sequence}
	s.describe(message{}.number(1, uuid).message(4, message{}.number(1, uint64(l.pid)).number(2, uint64(l.tid)).text(5, l.name)))
}

func (s *perfettoStrip) begin(l *line, c *cct.Call, name string) {
	s.note, s.sequence = s.note[:0], s.threads[l.index].sequence
	id, known := s.named[name]
	if !known {
		id = uint64(len(s.named)) + 1
		s.named[name] = id
		s.note = s.note.message(2, message{}.number(1, id).text(2, name))
	}
	s.event = s.event[:0].number(9, sliceBegin).number(11, s.threads[l.index].uuid).number(10, id)
	s.put(c.Time)
}

func (s *perfettoStrip) end(l *line, c *cct.Call, argument string) {
	s.note, s.sequence = s.note[:0], s.threads[l.index].sequence
	s.event = s.event[:0].number(9, sliceEnd).number(11, s.threads[l.index].uuid)
	s.argument(argument, int64(c.Energy))
	s.argument(allEnergy, int64(c.All))
	s.put(c.Time)
}

// argument adds an argument to the event. The first argument with a name defines the number of the
// name.
func (s *perfettoStrip) argument(name string, n int64) {
	id, known := s.arguments[name]
	if !known {
		id = uint64(len(s.arguments)) + 1
		s.arguments[name] = id
		s.note = s.note.message(3, message{}.number(1, id).text(2, name))
	}
	var room [32]byte
	s.event = s.event.message(4, message(room[:0]).number(1, id).number(4, uint64(n)))
}

// put writes the event, with the definitions of names that it needs.
func (s *perfettoStrip) put(at int64) {
	s.whole = s.whole[:0].number(8, uint64(at))
	if len(s.note) > 0 {
		s.whole = s.whole.message(12, s.note)
	}
	s.whole = s.whole.message(11, s.event)
	s.packet(s.whole)
}

func (s *perfettoStrip) counter(pid int64, name string) {
	s.next()
	uuid := s.track()
	s.others[trackKey{pid, name}] = uuid
	s.describe(message{}.number(1, uuid).text(2, name).number(5, s.others[trackKey{pid: pid}]).message(8, message{}.text(6, string(Nanojoules))))
}

func (s *perfettoStrip) count(pid int64, name string, at int64, energy units.Energy) {
	s.packets.count(at, s.others[trackKey{pid, name}], int64(energy))
}

func (s *perfettoStrip) flush() error { return s.Flush() }
