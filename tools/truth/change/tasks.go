package change

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/android"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/units"
)

// scale changes the cost and the number of calls of some tasks by the same factor.
func scale(e *edit) {
	scaled := chance[int](e, e.by(0.1, 0.3, 0.6))
	factors := make(map[int]float64)
	e.run.Each(func(c, _ *run.Call) {
		if !c.Task || !scaled(c.Context) {
			return
		}
		if factors[c.Context] == 0 {
			factors[c.Context] = 0.05 * math.Pow(400, e.Float64())
		}
		factor := factors[c.Context]
		c.Each(func(below, _ *run.Call) { below.Cost = times(below.Cost, factor) })
		c.Count = max(1, int64(math.Round(float64(c.Count)*factor)))
	})
}

// adddel removes tasks, and adds as many tasks of the other app.
func adddel(e *edit) {
	p := e.by(0.05, 0.15, 0.3)
	before := len(e.run.Tasks())
	gone := chance[int](e, p)
	e.run.Filter(func(c *run.Call) bool { return !c.Task || !gone(c.Context) })
	var hosts, foreign []*run.Call
	e.run.Each(func(c, _ *run.Call) {
		if c.App && c.Context != 0 {
			hosts = append(hosts, c)
		}
	})
	e.other.Each(func(c, _ *run.Call) {
		if c.Task {
			foreign = append(foreign, c)
		}
	})
	if len(hosts) == 0 || len(foreign) == 0 {
		return
	}
	for range int(math.Round(p * float64(before))) {
		host, task := hosts[e.IntN(len(hosts))], foreign[e.IntN(len(foreign))].Clone()
		e.numbers.Graft(task, host)
		host.Kids = append(host.Kids, task)
	}
}

// strangers keeps a few tasks under other names, and adds all tasks of another app.
func strangers(e *edit) { e.strangers(e.by(0.6, 0.35, 0.15)) }

// strangers keeps tasks with the given probability. See the function strangers.
func (e *edit) strangers(probability float64) {
	kept := chance[int](e, probability)
	e.run.Filter(func(c *run.Call) bool { return !c.Task || kept(c.Context) })
	rename(e)
	e.run.Threads = append(e.run.Threads, e.other.Clone().Threads...)
}

// plumbing makes two unrelated apps call the same common methods, such as ArrayList.add. Such calls
// are not counterparts of each other, even in callbacks with the same name. This also applies to
// most calls of these classes that the other app already has.
func plumbing(e *edit) {
	e.strangers(e.by(0.12, 0.06, 0.03))
	isPlumbing := make(map[string]bool)
	for _, text := range plumbed {
		isPlumbing[name.Parse(text, name.JVM).Class()] = true
	}
	e.run.Each(func(c, _ *run.Call) {
		if c.Task && isPlumbing[c.Method.Class()] && e.Float64() < 0.9 {
			e.apart(c)
		}
	})
	p := e.by(0.05, 0.1, 0.2)
	for _, r := range []*run.Run{e.run, e.against} {
		if r == nil {
			continue // there is no other run
		}
		var hosts []*run.Call
		r.Each(func(c, _ *run.Call) {
			if c.App && c.Context != 0 && e.Float64() < p {
				hosts = append(hosts, c)
			}
		})
		for _, host := range hosts {
			for range 1 + e.IntN(3) {
				call := &run.Call{Method: name.Parse(plumbed[e.IntN(len(plumbed))], name.JVM), Count: 1 + int64(e.IntN(4)), Cost: units.Energy(1000 + e.IntN(9000))}
				e.numbers.Graft(call, host)
				e.apart(call)
				host.Kids = append(host.Kids, call)
			}
		}
	}
}

// apart gives a task a unique negative number, so that it has no counterpart in any other run.
func (e *edit) apart(task *run.Call) { task.Context = -1 - e.IntN(1<<60) }

// plumbed are methods that every app calls.
var plumbed = []string{
	"java.lang.StringBuilder.<init>()V",
	"java.lang.StringBuilder.append(Ljava/lang/String;)Ljava/lang/StringBuilder;",
	"java.lang.StringBuilder.toString()Ljava/lang/String;",
	"java.lang.String.substring(II)Ljava/lang/String;",
	"java.lang.System.currentTimeMillis()J",
	"java.lang.Thread.currentThread()Ljava/lang/Thread;",
	"java.lang.Object.wait(J)V",
	"java.lang.Integer.valueOf(I)Ljava/lang/Integer;",
	"java.util.ArrayList.<init>()V",
	"java.util.ArrayList.add(Ljava/lang/Object;)Z",
	"java.util.ArrayList.get(I)Ljava/lang/Object;",
	"java.util.ArrayList.iterator()Ljava/util/Iterator;",
	"java.util.HashMap.<init>()V",
	"java.util.HashMap.get(Ljava/lang/Object;)Ljava/lang/Object;",
	"java.util.HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
	"java.util.HashSet.add(Ljava/lang/Object;)Z",
	"android.text.TextUtils.isEmpty(Ljava/lang/CharSequence;)Z",
	"java.io.FileInputStream.close()V",
}

// apiswap replaces some tasks by another call of the framework: an equivalent call from swaps.txt,
// or else an overload. If one of the two methods calls the other, the task is the outer one.
func apiswap(e *edit) {
	swapped := chance[int](e, e.by(0.1, 0.25, 0.5))
	choices := make(map[int]int)
	e.run.Each(func(c, _ *run.Call) {
		replaceKids(c, func(kid *run.Call) []*run.Call {
			if !kid.Task || !swapped(kid.Context) {
				return []*run.Call{kid}
			}
			choice, ok := choices[kid.Context]
			if !ok {
				choice = e.IntN(1 << 16)
				choices[kid.Context] = choice
			}
			return []*run.Call{swap(kid, choice)}
		})
	})
}

// swap returns the replacement of task c. choice selects one of several.
func swap(c *run.Call, choice int) *run.Call {
	equals := swaps()[c.Method]
	if len(equals) == 0 {
		// Use an overload with one more parameter.
		other := c.Method
		other.Signature = strings.Replace(other.Signature, ")", "I)", 1)
		equals = []equal{{other, choice%2 == 0}}
	}
	to := equals[choice/2%len(equals)]
	if !to.outer {
		for i, kid := range c.Kids {
			if kid.Method == to.method { // the task called this method, and now the app calls it directly
				kid.Task, kid.Context = true, c.Context
				kid.Cost += c.Cost
				kid.Kids = slices.Concat(kid.Kids, c.Kids[:i], c.Kids[i+1:])
				return kid
			}
		}
		c.Method = to.method
		return c
	}
	outer := over(c, to.method, false)
	outer.Task, outer.Context = true, c.Context
	c.Task, c.Context = false, 0
	return outer
}

// An equal is a method that does the same as another. outer is true if it calls the other method.
type equal struct {
	method name.Method
	outer  bool
}

//go:embed swaps.txt
var swapsText string

// swaps maps methods to their equivalents, in the order of swaps.txt.
var swaps = sync.OnceValue(func() map[name.Method][]equal {
	method := func(text string) name.Method {
		return name.Parse(cmp.Or(android.Labels()[text], text), name.JVM)
	}
	out := make(map[name.Method][]equal)
	for row := range strings.Lines(swapsText) {
		words := strings.Fields(row)
		if len(words) != 3 || words[0] == "#" {
			continue
		}
		a, b := method(words[0]), method(words[2])
		out[a] = append(out[a], equal{b, false})
		out[b] = append(out[b], equal{a, words[1] == ">"})
	}
	return out
})
