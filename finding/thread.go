package finding

import (
	"cmp"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// addThreads adds the threads or the processes of a run to a table.
func (t *MethodTable) addThreads(run int, in *analysis.Input, grain Grain, rows map[string]int) {
	_, clock := timesOf(in.Tree.Source)
	t.Time[run] = clock
	ledger, names := NewLedger(in), components(t.Components)
	restSum := units.Energy(0)
	for id, e := range in.Tree.Source.ThreadEnergy {
		thread := &in.Trace.Threads[id]
		time := thread.CPU
		if clock == WallClock {
			time = thread.Wall
		}
		if e == 0 && (time == 0 || clock == NoClock) {
			continue
		}
		label := threadName(in, id)
		if grain == EachProcess {
			label = processName(in, id)
		}
		at, ok := rows[label]
		if !ok {
			at = len(t.Methods)
			rows[label] = at
			t.Methods = append(t.Methods, MethodUse{Method: name.Method{Name: label}, Owner: platform.Caller})
		}
		listed := ledger.Thread(id)
		restSum += rest(listed)
		use := &t.Methods[at].Runs[run]
		use.Self += e - rest(listed)
		use.All += e - rest(listed)
		if clock != NoClock {
			use.SelfTime += time
			use.AllTime += time
		}
		for _, c := range listed {
			names.allocate(use)
			at := names.index(c.Name)
			c.Rest = 0
			use.SelfBy[at] = use.SelfBy[at].plus(c.Drain)
			use.AllBy[at] = use.AllBy[at].plus(c.Drain)
		}
	}
	if restSum == 0 {
		return
	}
	at, ok := rows[unattributed]
	if !ok {
		at = len(t.Methods)
		rows[unattributed] = at
		t.Methods = append(t.Methods, MethodUse{Method: name.Method{Name: unattributed}, Owner: platform.Caller})
	}
	use := &t.Methods[at].Runs[run]
	use.Self, use.All = restSum, restSum
	for _, c := range ledger.Run() {
		names.allocate(use)
		at := names.index(c.Name)
		use.SelfBy[at].Rest, use.AllBy[at].Rest = c.Rest, c.Rest
	}
}

// unattributed is the name of the row for unattributed energy in tables of threads. A recording
// charges this energy to a thread when the thread ends.
const unattributed = "(unattributed)"

// rest returns the unattributed energy of components.
func rest(list []Component) (sum units.Energy) {
	for _, c := range list {
		sum += c.Rest
	}
	return sum
}

// threadName returns the name of a thread. If the recording has several processes, it is prefixed
// by the process.
func threadName(in *analysis.Input, id int) string {
	named := cmp.Or(in.Trace.Threads[id].Name, noThread)
	if len(in.Trace.Processes) > 1 {
		return processName(in, id) + "/" + named
	}
	return named
}

// processName returns the name of a thread's process.
func processName(in *analysis.Input, id int) string {
	if len(in.Trace.Processes) == 0 {
		return noProcess
	}
	return cmp.Or(in.Trace.Processes[in.Trace.Threads[id].Process].Name, noProcess)
}
