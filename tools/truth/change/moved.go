package change

import (
	"slices"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/tools/truth/run"
)

// movedTask moves methods of the app, with their tasks, to other callbacks, as if another place in
// the app called them. Each true task must remain one task with the same energy, so:
//
//   - The method must make all calls of its tasks.
//   - The new callback must not have such tasks yet.
//   - Neither callback may be inside a task.
func movedTask(e *edit) {
	known := new(platform.Platform)
	for range int(e.by(1, 3, 10)) {
		p := e.places()
		var movable []*run.Call
		e.run.Each(func(c, caller *run.Call) {
			if c.App && caller != nil && caller.App && known.Library(c.Method) == "" && !p.inside(c) && p.alone(c) {
				movable = append(movable, c)
			}
		})
		if len(movable) == 0 {
			return
		}
		c := movable[e.IntN(len(movable))]
		hosts := slices.DeleteFunc(p.callbacks, func(host *run.Call) bool { return !p.takes(host, c) })
		if len(hosts) == 0 {
			continue
		}
		host, caller := hosts[e.IntN(len(hosts))], p.caller[c]
		caller.Kids = slices.DeleteFunc(slices.Clone(caller.Kids), func(kid *run.Call) bool { return kid == c })
		host.Kids = append(host.Kids, c)
	}
}

// places knows where the calls of a run are.
type places struct {
	caller    map[*run.Call]*run.Call
	callbacks []*run.Call
	// tasks counts the calls of each true task.
	tasks map[int]int
	// within has the labels of the tasks in each callback. The key is the callback's context.
	within map[int]map[string]bool
}

func (e *edit) places() *places {
	p := &places{caller: make(map[*run.Call]*run.Call), tasks: make(map[int]int), within: make(map[int]map[string]bool)}
	e.run.Each(func(c, caller *run.Call) {
		p.caller[c] = caller
		if c.App && c.Context != 0 && (caller == nil || !caller.App) && !p.inside(c) {
			p.callbacks = append(p.callbacks, c)
		}
		if !c.Task {
			return
		}
		p.tasks[c.Context]++
		if p.within[caller.Context] == nil {
			p.within[caller.Context] = make(map[string]bool)
		}
		p.within[caller.Context][c.Method.Label()] = true
	})
	return p
}

// inside reports whether a call is inside of a task.
func (p *places) inside(c *run.Call) bool {
	for at := p.caller[c]; at != nil; at = p.caller[at] {
		if at.Task {
			return true
		}
	}
	return false
}

// alone reports whether a call contains tasks, and no other call contains the same tasks.
func (p *places) alone(c *run.Call) bool {
	own := make(map[int]int)
	c.Each(func(below, _ *run.Call) {
		if below.Task {
			own[below.Context]++
		}
	})
	for n, calls := range own {
		if p.tasks[n] != calls {
			return false
		}
	}
	return len(own) > 0
}

// takes reports whether c may be moved to the callback host.
func (p *places) takes(host, c *run.Call) bool {
	if host.Context == c.Context {
		return false
	}
	for at := host; at != nil; at = p.caller[at] {
		if at == c {
			return false
		}
	}
	free := true
	c.Each(func(below, caller *run.Call) {
		if below.Task && caller != nil && caller.Context == c.Context && p.within[host.Context][below.Method.Label()] {
			free = false
		}
	})
	return free
}
