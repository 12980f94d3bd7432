package change

import (
	"github.com/diffprof/diffprof/tools/truth/app"
	"github.com/diffprof/diffprof/tools/truth/run"
)

// move makes Android run some callbacks by another call path, on another handler or thread. About
// half of them also become another callback.
func move(e *edit) {
	moves := chance[int](e, e.by(0.1, 0.25, 0.5))
	routes := make(map[int]app.Route)
	renamed := chance[int](e, 0.5)
	threads := make(map[string]*run.Thread)
	var added []*run.Thread
	e.callbacks(func(c *run.Call) bool {
		if !moves(c.Context) {
			return true
		}
		route, ok := routes[c.Context]
		if !ok {
			route = app.Routes()[e.IntN(len(app.Routes()))]
			routes[c.Context] = route
		}
		if renamed(c.Context) {
			c.Method.Name, c.Method.Signature = route.Callback.Name, route.Callback.Signature
		}
		top := c
		for i := len(route.Path) - 1; i >= 0; i-- {
			top = over(top, route.Path[i], false)
		}
		t := threads[route.Thread]
		if t == nil {
			t = &run.Thread{Name: "moved to " + route.Thread}
			threads[route.Thread], added = t, append(added, t)
		}
		t.Calls = append(t.Calls, top)
		return false
	})
	e.run.Threads = append(e.run.Threads, added...)
}

// callbacks removes those callbacks of the app that keep rejects.
func (e *edit) callbacks(keep func(*run.Call) bool) {
	var walk func(calls []*run.Call) []*run.Call
	walk = func(calls []*run.Call) []*run.Call {
		var kept []*run.Call
		for _, c := range calls {
			if c.App && !keep(c) {
				continue
			}
			if !c.App {
				c.Kids = walk(c.Kids)
			}
			kept = append(kept, c)
		}
		return kept
	}
	for _, t := range e.run.Threads {
		t.Calls = walk(t.Calls)
	}
}

// record simulates a recording that began after the main thread and some other threads had reached
// their event loops. The recording misses some callbacks and threads.
func record(e *edit) {
	missing, cut := e.by(0.05, 0.15, 0.3), e.by(0.2, 0.5, 0.8)
	callback := chance[int](e, missing)
	var kept []*run.Thread
	for i, t := range e.run.Threads {
		if i > 0 && e.Float64() < missing {
			continue
		}
		if i == 0 || e.Float64() < cut {
			t.Calls = cutLaunchers(t.Calls)
		}
		kept = append(kept, t)
	}
	e.run.Threads = kept
	e.callbacks(func(c *run.Call) bool { return !callback(c.Context) })
}

// cutLaunchers removes the calls that lead a thread to its event loop.
func cutLaunchers(calls []*run.Call) []*run.Call {
	var out []*run.Call
	for _, c := range calls {
		if !c.App && run.Launches(c.Method) {
			out = append(out, cutLaunchers(c.Kids)...)
		} else {
			out = append(out, c)
		}
	}
	return out
}
