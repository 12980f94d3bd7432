package profile

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
)

// Perfetto writes a trace of Perfetto's track events. Each run is a process with a track that
// has a slice for each context, on an axis on which a nanojoule is a nanosecond, with what was
// counted as arguments and the energy so far as a counter. A comparison has tracks of the
// tasks as well, with what each could save.
func Perfetto(w io.Writer, p *Profile) error {
	out := &packets{Writer: bufio.NewWriterSize(w, 1<<16), named: make(map[string]uint64)}
	runs := 1
	if p.Comparison {
		runs = 2
	}
	for i := range runs {
		p.perfettoRun(out, i)
	}
	return out.Flush()
}

// The kinds of a process's tracks, which their numbers end in.
const (
	processTrack = iota + 1
	contextTrack
	taskTrack
	energyTrack
	savingTrack
	tracks // is beyond their number
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
	// The track is not a thread's: its slices lie where no thread ran.
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

// perfettoTasks writes the tasks of the subject, or their counterparts, one after the other.
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

// packets writes the packets of a trace, all of one sequence.
type packets struct {
	*bufio.Writer
	named map[string]uint64
	begun bool
}

// packet writes a packet. Errors come out of Flush.
func (o *packets) packet(m message) {
	flags := uint64(2) // needs what packets before it define
	if !o.begun {
		flags, o.begun = 1, true // begins the sequence
	}
	m = m.number(10, 1).number(13, flags)
	o.Write(message{}.message(1, m))
}

// describe writes a track.
func (o *packets) describe(track message) { o.packet(message{}.message(60, track)) }

// event writes an event.
func (o *packets) event(at int64, e message) {
	o.packet(message{}.number(8, uint64(at)).message(11, e))
}

// slice writes the begin of a slice, whose name is defined where it comes first.
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

// A message is one of Protocol Buffers. Its methods return it with a field more.
type message []byte

func (m message) tag(field, kind int) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(kind))
}

func (m message) number(field int, n uint64) message { return binary.AppendUvarint(m.tag(field, 0), n) }

func (m message) message(field int, inner message) message {
	return append(binary.AppendUvarint(m.tag(field, 2), uint64(len(inner))), inner...)
}

func (m message) text(field int, s string) message { return m.message(field, message(s)) }

// annotation adds an argument of an event that is a number.
func (m message) annotation(name string, n int64) message {
	return m.message(4, message{}.text(10, name).number(4, uint64(n)))
}

// note adds an argument of an event that is a text.
func (m message) note(name, s string) message {
	return m.message(4, message{}.text(10, name).text(6, s))
}
