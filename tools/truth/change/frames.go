package change

import (
	"fmt"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/tools/truth/run"
)

// appwrap puts up to three helpers around what a method of the app calls, and takes
// other helpers out.
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

// fwframe is another version of the framework: some methods do their work in an inner
// one, some are no longer there.
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

// hierarchy has a method of the framework be its superclass's, or call that, or has the
// app call it by a subclass of its own.
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

// classTable is the program's table of classes. Where it is damaged, so is the build.
var classTable = sync.OnceValue(func() *classes.Table {
	t, err := classes.BuiltIn()
	if err != nil {
		panic(err)
	}
	return t
})

// superclass returns the first that a class of the framework extends or implements,
// empty if that is java.lang.Object alone.
func superclass(class string) string {
	for s := range classTable().Supertypes(class) {
		if s != "java.lang.Object" {
			return s
		}
	}
	return ""
}
