package phone

import (
	"slices"
	"time"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A phase is what a component is doing: resting, ramping up, working, or waiting in a tail.
type phase uint8

const (
	resting phase = iota
	ramping
	working
	waiting
)

// A part is a component of the phone. It has at most one state per phase.
type part struct {
	name      string
	component *model.Component
	power     [waiting + 1]units.Power
	lasts     [waiting + 1]time.Duration

	phase phase
	// now is the power in this phase. The phase ends at the time until.
	now   units.Power
	until int64
	// transfers are in progress, and holders keep the component on. last is the entity that used it
	// last, and cause the entity that woke it up.
	transfers   []*transfer
	holders     []int
	last, cause int
}

// A transfer is work for a component.
type transfer struct {
	who  int
	left float64 // milliseconds of work
}

func (t *transfer) done() bool { return t.left <= 0 }

func newPart(c *model.Component, s *simulation) *part {
	p := &part{name: c.Name, component: c, last: -1, cause: -1}
	for i := range c.States {
		k := map[model.Kind]phase{model.Ramp: ramping, model.Productive: working, model.On: working, model.Tail: waiting}[c.States[i].Kind]
		p.power[k] = c.States[i].Power
		for _, t := range c.Transitions {
			if t.From == i && len(t.On) == 0 && !t.Idle {
				p.lasts[k] = t.After
			}
		}
	}
	p.power[resting] = 0
	return p
}

// ask starts a transfer, or starts or ends a hold of the component. who is the asking entity.
func (p *part) ask(s *simulation, v trace.Verb, who int, kib int64) *transfer {
	if v == trace.OpStop || v == trace.OpRelease {
		last := len(p.holders) - 1
		p.last, p.holders = p.holders[last], p.holders[:last]
		return &transfer{who: who}
	}
	switch p.phase {
	case resting:
		p.cause = who
		p.enter(s, ramping)
	case waiting:
		p.enter(s, working)
	}
	if v == trace.OpStart || v == trace.OpAcquire {
		p.holders = append(p.holders, who)
		return &transfer{who: who}
	}
	busy, _ := p.component.Busy(v, kib<<10)
	t := &transfer{who, float64(s.about(int64(busy), transferSpread)) / float64(ms)}
	p.transfers = append(p.transfers, t)
	return t
}

// enter starts a phase. If the phase has no duration, enter starts the next one.
func (p *part) enter(s *simulation, to phase) {
	if to == ramping && p.lasts[ramping] == 0 {
		to = working
	}
	if to == waiting && p.lasts[waiting] == 0 {
		to = resting
	}
	spread := tailSpread
	if to == ramping {
		spread = rampSpread
	}
	p.phase = to
	p.now = units.Power(s.about(int64(p.power[to]), powerSpread))
	p.until = s.now + s.about(p.lasts[to].Milliseconds(), spread)
}

// step returns the energy that the component uses in one millisecond.
func (p *part) step(s *simulation) units.Energy {
	if p.phase == ramping && s.now >= p.until {
		p.enter(s, working)
	}
	if p.phase == working && len(p.transfers)+len(p.holders) == 0 {
		p.enter(s, waiting)
	}
	if p.phase == waiting && s.now >= p.until {
		p.enter(s, resting)
	}
	e := units.Energy(p.now)
	give := func(who int, e units.Energy) {
		if who >= 0 {
			s.Truth[who] += e
		}
	}
	switch p.phase {
	case ramping:
		give(p.cause, e)
	case waiting:
		give(p.last, e)
	case working:
		users := slices.Clone(p.holders)
		for _, t := range p.transfers {
			users = append(users, t.who)
		}
		for i, who := range users {
			part := e / units.Energy(len(users))
			if i == 0 {
				part = e - part*units.Energy(len(users)-1)
			}
			give(who, part)
		}
		n := float64(len(p.transfers))
		for _, t := range p.transfers {
			if t.left -= 1 / n; t.done() {
				p.last = t.who
			}
		}
		p.transfers = slices.DeleteFunc(p.transfers, (*transfer).done)
	}
	return e
}
