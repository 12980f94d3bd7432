package change

import (
	"fmt"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/run"
)

// appwrap inserts up to three helpers around callees of the app. It removes other helpers.
func appwrap(e *edit) {
	p := e.by(0.1, 0.25, 0.5)
	wrapped, gone := chance[name.Method](e, p), chance[name.Method](e, p)
	e.run.Each(func(c, _ *run.Call) {
		if !c.App {
			return
		}
		replaceKids(c, func(kid *run.Call) []*run.Call {
			if kid.App && gone(kid.Method) {
				c.Cost += kid.Cost
				return kid.Kids
			}
			return []*run.Call{kid}
		})
		if c.Context != 0 && len(c.Kids) > 0 && wrapped(c.Method) {
			for i := range 1 + e.IntN(3) {
				under(c, name.OfClass(c.Method.Class()+"Helper", fmt.Sprintf("%s%d", strings.Trim(c.Method.Name, "<>"), i), "()V"), true)
			}
		}
	})
}

// fwframe simulates another version of the framework: some methods do their work in an inner
// method, and some methods no longer exist.
func fwframe(e *edit) {
	p := e.by(0.02, 0.06, 0.15)
	split, gone := chance[name.Method](e, p), chance[name.Method](e, p)
	e.run.Each(func(c, _ *run.Call) {
		if c.App || run.Launches(c.Method) {
			return
		}
		replaceKids(c, func(kid *run.Call) []*run.Call {
			if !kid.App && !run.Launches(kid.Method) && gone(kid.Method) {
				c.Cost += kid.Cost
				return kid.Kids
			}
			return []*run.Call{kid}
		})
		if c.Context != 0 && split(c.Method) {
			under(c, name.OfClass(c.Method.Class(), strings.Trim(c.Method.Name, "<>")+"Inner", c.Method.Signature), false)
		}
	})
}

// hierarchy changes a method of the framework in one of three ways: the superclass's method
// replaces it, it calls the superclass's method, or the app calls it on a subclass.
func hierarchy(e *edit) {
	p := e.by(0.08, 0.2, 0.4)
	above, super, own := chance[name.Method](e, p), chance[name.Method](e, p), chance[name.Method](e, p/2)
	e.run.Each(func(c, _ *run.Call) {
		if c.Context == 0 {
			return
		}
		replaceKids(c, func(kid *run.Call) []*run.Call {
			m := kid.Method
			class := superclass(m.Class())
			if kid.App || kid.Context == 0 || run.Launches(m) {
				return []*run.Call{kid}
			}
			switch {
			case class != "" && above(m):
				kid.Method = m.In(class)
			case class != "" && super(m):
				under(kid, m.In(class), false)
			case kid.Task && own(m):
				return []*run.Call{over(kid, m.In("com.other.Own"+m.Type), true)}
			}
			return []*run.Call{kid}
		})
	})
}

// classTable returns the built-in class table. It panics if the table is damaged, because the table
// is part of the program.
var classTable = sync.OnceValue(func() *classes.Table {
	t, err := classes.BuiltIn()
	if err != nil {
		panic(err)
	}
	return t
})

// superclass returns the first class that a framework class extends or implements, or "" if that is
// only java.lang.Object.
func superclass(class string) string {
	for s := range classTable().Supertypes(class) {
		if s != "java.lang.Object" {
			return s
		}
	}
	return ""
}
