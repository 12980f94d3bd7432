package energy

import (
	"fmt"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// A recording may state the level of a component, such as a screen's brightness or the bars of a
// radio's signal. The power of some states depends on it. A level applies until the next level.
// Before the first level, the power at level 0 is used, which is a lower bound.

// noPart marks tracks that affect no component's power.
const noPart = -1

// levelled returns the index of the component whose power depends on a track's level, or noPart.
func (l *ledger) levelled(t trace.Track) int32 {
	if t.Component == "" {
		return noPart
	}
	part := l.part(t.Component)
	if part >= 0 && !l.opts.Device.Components[part].Levelled() {
		return noPart
	}
	return part
}

// level queues a change of level. The change must wait for older operations.
func (l *ledger) level(s *trace.Signal) {
	if part := l.levels[s.Track]; part >= 0 {
		o := l.queue.push(s.Time, trace.NoThread)
		o.end, o.bytes, o.part, o.owner, o.level = s.Time, s.Value, part, nobody, true
	}
}

// set changes the level of a component.
func (p *part) set(at, level int64) error {
	if err := p.machine.Level(at, level); err != nil {
		return err
	}
	for _, e := range p.ends {
		if err := e.machine.Level(at, level); err != nil {
			return err
		}
	}
	p.known = true
	return nil
}

// addUnlevelled counts time in which the level is unknown, if the power of the state depends on it.
func (p *part) addUnlevelled(state int, d time.Duration) {
	if !p.known && p.states[state].PerLevel > 0 {
		p.unlevelledTime += d
	}
}

// unlevelled returns a warning if the level was unknown for some time, and nil otherwise.
func (p *part) unlevelled() *trace.Warning {
	if p.unlevelledTime == 0 {
		return nil
	}
	when := "does not state"
	if p.known {
		when = "states only later"
	}
	return &trace.Warning{Code: "unknown-level", Message: fmt.Sprintf(
		"%s: its power depends on its level, which the recording %s, for %v; it counts with its power at level 0, so its energy is too low",
		p.Name, when, p.unlevelledTime.Round(time.Millisecond))}
}
