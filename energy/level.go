package energy

import (
	"fmt"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// A recording may say how strongly a component works: a screen's brightness, the bars of a
// radio's signal. The powers of states that depend on it follow these levels in time, each from its
// moment to the next one. Before the first one nobody knows the level. What the states draw
// whatever the level is then is the least that they can have drained.

// noPart stands for tracks that no component's powers depend on.
const noPart = -1

// levelled returns the component whose powers depend on the levels of a track, noPart if none does.
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

// level notes a level, which waits for older operations.
func (l *ledger) level(s *trace.Signal) {
	if part := l.levels[s.Track]; part >= 0 {
		o := l.queue.push(s.Time, trace.NoThread)
		o.end, o.bytes, o.part, o.owner, o.level = s.Time, s.Value, part, nobody, true
	}
}

// set sets the level of a part.
func (p *part) set(at, level int64) error {
	if err := p.machine.Level(at, level); err != nil {
		return err
	}
	p.known = true
	return nil
}

// dark notes how long a state lasts whose power depends on a level that nobody knows.
func (p *part) dark(state int, d time.Duration) {
	if !p.known && p.states[state].PerLevel > 0 {
		p.unlit += d
	}
}

// unlevelled says what rests on no level.
func (p *part) unlevelled() *trace.Warning {
	if p.unlit == 0 {
		return nil
	}
	when := "does not say which it was"
	if p.known {
		when = "says it only later"
	}
	return &trace.Warning{Code: "unknown-level", Message: fmt.Sprintf(
		"%s: what it draws depends on its level, and the recording %s, for %v; it counts with what it draws at level 0, so that the figure is too small",
		p.Name, when, p.unlit.Round(time.Millisecond))}
}
