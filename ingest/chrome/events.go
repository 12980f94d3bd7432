package chrome

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/ingest/document"
)

// An event is one element of the list. Its byte slices are reused for the next event.
type event struct {
	name, process, thread, id, bind, scope []byte
	// frame is the frame id of a sample of Dart's VM.
	frame []byte
	phase byte
	// enclosing is set if a flow ends in the slice around its end point. Otherwise it ends in the
	// slice that begins next.
	enclosing         bool
	flowIn, flowOut   bool
	time, cpu         int64 // time and cpu are in nanoseconds.
	duration, running int64
	// hasTime, hasCPU, hasDuration and hasRunning are set if the event has the member.
	hasTime, hasCPU, hasDuration, hasRunning bool
}

// clear resets an event for reuse. It keeps the memory of the byte slices.
func (e *event) clear() {
	*e = event{
		name: e.name[:0], process: e.process[:0], thread: e.thread[:0],
		id: e.id[:0], bind: e.bind[:0], scope: e.scope[:0], frame: e.frame[:0],
	}
}

// eachEvents is the number of events between two checks of ctx.
const eachEvents = 1 << 10

// events reads the list of events.
func (d *decoder) events(ctx context.Context) error {
	var e event
	return d.in.Elements(func() error {
		if d.seen%eachEvents == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e.clear()
		d.args = d.args[:0]
		if err := d.in.Members(func(name []byte) error { return d.member(&e, name) }); err != nil {
			return err
		}
		d.seen++
		return d.take(&e)
	})
}

// member reads one of an event's members.
func (d *decoder) member(e *event, name []byte) (err error) {
	text := func(to *[]byte) error {
		t, err := d.in.Text()
		*to = append((*to)[:0], t...)
		return err
	}
	// Ids are stored, so their length is limited.
	id := func(to *[]byte) error {
		if err := text(to); err != nil || len(*to) <= maxID {
			return err
		}
		return fmt.Errorf("an id has more than %d bytes", maxID)
	}
	time := func(to *int64, has *bool) error {
		if d.in.Is('n') {
			return d.in.Skip()
		}
		*has = true
		*to, err = moment(d.in)
		return err
	}
	switch string(name) {
	case "ph":
		t, err := d.in.Text()
		if len(t) == 1 {
			e.phase = t[0]
		}
		return err
	case "name":
		return text(&e.name)
	case "pid":
		return id(&e.process)
	case "tid":
		return id(&e.thread)
	case "id":
		return id(&e.id)
	case "id2":
		// The id may be an object, such as {"local":"0x1"} or {"global":"0x1"}.
		raw, err := d.in.Raw()
		e.id = append(e.id[:0], raw[:min(len(raw), maxID)]...)
		return err
	case "sf":
		return id(&e.frame)
	case "scope":
		return id(&e.scope)
	case "bind_id":
		return id(&e.bind)
	case "bp":
		t, err := d.in.Text()
		e.enclosing = string(t) == "e"
		return err
	case "flow_in":
		e.flowIn, err = d.in.True()
		return err
	case "flow_out":
		e.flowOut, err = d.in.True()
		return err
	case "ts":
		return time(&e.time, &e.hasTime)
	case "dur":
		return time(&e.duration, &e.hasDuration)
	case "tts":
		return time(&e.cpu, &e.hasCPU)
	case "tdur":
		return time(&e.running, &e.hasRunning)
	case "args":
		raw, err := d.in.Raw()
		d.args = append(d.args, raw...)
		return err
	}
	return d.in.Skip()
}

// take processes an event according to its phase.
func (d *decoder) take(e *event) error {
	switch e.phase {
	case 'B', 'E', 'X':
		return d.slice(e)
	case 's', 't', 'f':
		return d.flow(e, e.id, e.phase)
	case 'M':
		return d.metadata(e)
	case 'P', 'I', 'i':
		if e.phase == 'P' && len(e.frame) > 0 && e.hasTime {
			d.seen-- // add counts the event again.
			return d.hermes.add(d, hermesSample{process: string(e.process), thread: string(e.thread), at: e.time, frame: string(e.frame), event: -1})
		}
		return d.chunk(e)
	case 'b', 'e', 'n', 'S', 'T', 'p', 'F':
		d.others++
	}
	return nil
}

// slice stores a slice, the start of a slice, or the end of a slice.
func (d *decoder) slice(e *event) error {
	if !e.hasTime {
		return nil // A slice without a time cannot be placed in the trace.
	}
	th := d.thread(e.process, e.thread)
	if th == nil {
		return errThreads
	}
	if d.slices++; d.slices > maxSlices {
		return fmt.Errorf("the trace has more than %d slices; record less of it", maxSlices)
	}
	s := slice{begin: e.time, end: e.time, cpu: e.cpu, cpuEnd: e.cpu, method: noMethod, order: int32(d.slices)}
	if e.phase != 'E' || len(e.name) > 0 {
		s.method = d.names.ID(e.name)
	}
	if d.names.Size() > document.MaxNames {
		return errNames
	}
	d.untimed = d.untimed || !e.hasCPU
	if bytes.Contains(d.args, []byte(energyArgument)) || bytes.Contains(d.args, []byte(sampledArgument)) || bytes.Contains(d.args, []byte(valueArgument)) {
		if err := d.energy(&s); err != nil {
			return err
		}
		d.placed = d.placed || e.phase == 'E'
	}
	if e.phase == 'X' {
		// Some writers state only the processor time.
		length := e.duration
		if !e.hasDuration {
			length = e.running
		}
		s.end = s.begin + max(0, length)
		s.cpuEnd = s.cpu + max(0, e.running)
		d.untimed = d.untimed || !e.hasRunning
		th.slices = append(th.slices, s)
	} else {
		th.pairs = append(th.pairs, pair{s, e.phase == 'E'})
	}
	if e.flowIn {
		e.enclosing = true
		if err := d.flow(e, e.bind, 'f'); err != nil {
			return err
		}
	}
	if e.flowOut {
		return d.flow(e, e.bind, 's')
	}
	return nil
}

// diffprof itself writes traces whose slices have these arguments. The energy excludes inner
// slices. It is in nanojoules (self_nJ) or in an unknown unit (self_value). With sampled_nJ, the
// slice represents samples, not a call.
const (
	energyArgument  = `"self_nJ"`
	sampledArgument = `"sampled_nJ"`
	valueArgument   = `"self_value"`
)

// energy reads the energy of a slice from d.args.
func (d *decoder) energy(s *slice) error {
	in := document.NewReader(bytes.NewReader(d.args))
	return in.Members(func(name []byte) (err error) {
		switch string(name) {
		case strings.Trim(energyArgument, `"`):
		case strings.Trim(sampledArgument, `"`):
			d.sampled = true
		case strings.Trim(valueArgument, `"`):
			d.unstated = true
		default:
			return in.Skip()
		}
		d.given = true
		if s.energy, err = in.Int(); err == nil && s.energy < 0 {
			err = fmt.Errorf("the energy %d is negative", s.energy)
		}
		return err
	})
}

// flow stores one point of a flow.
func (d *decoder) flow(e *event, id []byte, phase byte) error {
	if len(id) == 0 || !e.hasTime {
		return nil
	}
	th := d.thread(e.process, e.thread)
	if th == nil {
		return errThreads
	}
	if d.flows++; d.flows > maxSlices {
		return fmt.Errorf("the trace has more than %d flows; record less of it", maxSlices)
	}
	key := fmt.Appendf(nil, "%s\x00%s", id, e.scope)
	th.flows = append(th.flows, flow{time: e.time, id: string(key), phase: phase, enclosing: e.enclosing, order: int32(d.flows)})
	return nil
}

// metadata reads the name of a process or a thread.
func (d *decoder) metadata(e *event) error {
	isThread := string(e.name) == "thread_name"
	if !isThread && string(e.name) != "process_name" || len(d.args) == 0 || d.args[0] != '{' {
		return nil
	}
	in := document.NewReader(bytes.NewReader(d.args))
	return in.Members(func(name []byte) error {
		if string(name) != "name" {
			return in.Skip()
		}
		text, err := in.Name()
		if err != nil {
			return err
		}
		if !isThread {
			d.trace.Processes[d.process(e.process)].Name = text
			return nil
		}
		th := d.thread(e.process, e.thread)
		if th == nil {
			return errThreads
		}
		th.name = text
		return nil
	})
}

// chunk reads a part of a CPU profile from an event.
func (d *decoder) chunk(e *event) error {
	switch string(e.name) {
	case "Profile", "ProfileChunk", "CpuProfile":
	default:
		return nil
	}
	p, err := d.profileOf(e)
	if err != nil {
		return err
	}
	if err := p.arguments(document.NewReader(bytes.NewReader(d.args)), d.names); err != nil {
		return fmt.Errorf("a CPU profile in the trace: %w", err)
	}
	return nil
}

// profileOf returns the profile that an event belongs to. All events of a profile have the same id.
// The profile belongs to the thread that wrote the event named Profile. Without such an event, it
// belongs to the thread that wrote the first event.
func (d *decoder) profileOf(e *event) (*profile, error) {
	th := d.thread(e.process, e.thread)
	if th == nil {
		return nil, errThreads
	}
	if len(e.id) == 0 {
		return d.profile(th), nil
	}
	key := string(e.process) + "\x00" + string(e.id)
	p, ok := d.numbered[key]
	if !ok {
		p = d.profile(th)
		d.numbered[key] = p
	}
	if string(e.name) == "Profile" {
		p.thread = th
	}
	return p, nil
}

// profile adds a profile of a thread.
func (d *decoder) profile(th *thread) *profile {
	p := &profile{thread: th}
	d.profiles = append(d.profiles, p)
	return p
}
