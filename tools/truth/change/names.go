package change

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/run"
)

// rename gives the app's classes and methods other names. Methods that override a framework method
// keep their names.
func rename(e *edit) {
	type signature struct{ name, descriptor string }
	overrides := make(map[signature]bool)
	classes := make(map[string]string)
	e.run.Each(func(c, caller *run.Call) {
		if !c.App {
			return
		}
		if caller == nil || !caller.App {
			overrides[signature{c.Method.Name, c.Method.Signature}] = true
		}
		if class := c.Method.Class(); class != "" && classes[class] == "" {
			classes[class] = e.class(class, len(classes))
		}
	})
	methods := make(map[string]string)
	e.run.Each(func(c, _ *run.Call) {
		if !c.App || c.Method.Class() == "" {
			return
		}
		m := c.Method.In(classes[c.Method.Class()])
		m.Signature = redescribe(m.Signature, classes)
		if e.strength > 1 && !overrides[signature{c.Method.Name, c.Method.Signature}] && !strings.HasPrefix(m.Name, "<") {
			if methods[m.Name] == "" {
				methods[m.Name] = e.method(m.Name, len(methods))
			}
			m.Name = methods[m.Name]
		}
		c.Method = m
	})
}

// class returns another name for a class of the app. n is the number of the class.
func (e *edit) class(class string, n int) string {
	i := strings.LastIndexByte(class, '.') + 1
	switch e.strength {
	case 1:
		return "org.other." + class
	case 2:
		return "org.other." + class[:i] + "Other" + class[i:] + fmt.Sprint(n)
	}
	return short(n/26) + "." + short(n)
}

func (e *edit) method(called string, n int) string {
	if e.strength == 2 {
		return "do" + strings.ToUpper(called[:1]) + called[1:]
	}
	return short(n)
}

// short returns the n-th name that a shrinker gives.
func short(n int) string {
	name := string(rune('a' + n%26))
	for n /= 26; n > 0; n /= 26 {
		name = string(rune('a'+n%26)) + name
	}
	return name + "0"
}

// redescribe renames the classes in a descriptor.
func redescribe(descriptor string, classes map[string]string) string {
	var b strings.Builder
	for descriptor != "" {
		before, after, ok := strings.Cut(descriptor, "L")
		b.WriteString(before)
		if !ok {
			break
		}
		class, rest, _ := strings.Cut(after, ";")
		if other := classes[strings.ReplaceAll(class, "/", ".")]; other != "" {
			class = strings.ReplaceAll(other, ".", "/")
		}
		b.WriteString("L" + class + ";")
		descriptor = rest
	}
	return b.String()
}

// synth inserts calls that compilers generate: accessors between classes of the framework and of
// the app, classes of the framework's lambdas, and the resumption of coroutines. A lambda of the
// app that is called directly gets a generated name, which differs between the runs.
func synth(e *edit) {
	p := e.by(0.05, 0.12, 0.25)
	accessed := chance[[2]name.Method](e, p)
	lambda := chance[int](e, p/3)
	resumed := chance[int](e, p)
	e.run.Each(func(c, caller *run.Call) {
		if c.Context == 0 {
			return
		}
		if c.App && (caller == nil || !caller.App) {
			switch {
			case lambda(c.Context):
				c.Method.Name = fmt.Sprintf("lambda$%s$%x", strings.Trim(c.Method.Name, "<>"), e.Uint32N(1<<16))
			case resumed(c.Context):
				under(c, name.OfClass(c.Method.Class()+"$body$1", "invokeSuspend", "(Ljava/lang/Object;)Ljava/lang/Object;"), true)
				under(c, name.OfClass("kotlin.coroutines.jvm.internal.BaseContinuationImpl", "resumeWith", "(Ljava/lang/Object;)V"), true)
			}
		}
		replaceKids(c, func(kid *run.Call) []*run.Call {
			m := c.Method
			if kid.Context == 0 || run.Launches(m) || !accessed([2]name.Method{m, kid.Method}) {
				return []*run.Call{kid}
			}
			switch {
			case c.App && kid.App:
				return []*run.Call{over(kid, name.OfClass(kid.Method.Class(), kid.Method.Name+"$default", "(Ljava/lang/Object;I)V"), true)}
			case !c.App && kid.App:
				return []*run.Call{over(kid, name.OfClass(m.Class()+"$$ExternalSyntheticLambda0", "run", "()V"), false)}
			case !c.App:
				return []*run.Call{over(kid, name.OfClass(kid.Method.Class(), fmt.Sprintf("access$%d00", 1+e.IntN(40)), "(Ljava/lang/Object;)V"), false)}
			}
			return []*run.Call{kid}
		})
	})
}
