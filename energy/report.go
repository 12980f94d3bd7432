package energy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// report adds the new accounts, threads and marks to t, and returns the components.
func (l *ledger) report(t *trace.Trace, threads []caller, marks int) []Component {
	t.Accounts, t.Threads = slices.Clone(t.Accounts), slices.Clone(t.Threads)
	components := make([]Component, len(l.parts))
	for i, p := range l.parts {
		components[i] = p.result()
		for _, part := range [accounts]trace.Part{trace.Use, trace.Tail, trace.Rest} {
			t.Accounts = append(t.Accounts, trace.Account{Component: p.Name, Part: part, Provenance: p.Provenance})
		}
	}
	for _, u := range l.left {
		t.Accounts = append(t.Accounts, trace.Account{Component: u.Component, Part: trace.Rest, Provenance: trace.Measured})
	}
	for i := range t.Threads {
		if i < len(threads) {
			th := &threads[i]
			t.Threads[i].Events += th.added
			t.Events += th.added
			if th.added > 0 {
				// A charge has the time of its thread's latest event.
				t.Skew = max(t.Skew, time.Duration(l.newest-th.time))
			}
		}
	}
	t.Marks = max(t.Marks, marks)
	t.Warnings = append(slices.Clip(t.Warnings), l.warnings(t.Technique)...)
	if l.opts.Rails != nil {
		t.Warnings = append(t.Warnings, l.opts.Rails.warnings...)
	}
	return components
}

// warnings returns warnings about the limits of the components' energies.
func (l *ledger) warnings(technique trace.Technique) []trace.Warning {
	var all []trace.Warning
	warn := func(code, format string, a ...any) {
		all = append(all, trace.Warning{Code: code, Message: fmt.Sprintf(format, a...)})
	}
	triggered := int64(0)
	for i := range l.calls.triggers {
		triggered += l.calls.triggers[i].operations
	}
	if triggered > 0 && technique == trace.Sampled {
		warn("sampled-operations", "the calls come from samples: component calls shorter than the sampling interval are missing, and the others last as long as their samples")
	}
	if assumed := l.assumed(); len(assumed) > 0 {
		warn("assumed-operations", "calls do not show all their parameters; assumed: %s", strings.Join(assumed, "; "))
	}
	beyond := units.Energy(0)
	for _, p := range l.parts {
		tally := p.machine.Tally()
		beyond += tally.Beyond
		if n := tally.Timed; n > 0 {
			warn("timed-to-end", "%s: %s after a timeout that the recording does not show, and %s counted at most until the recording ended: up to %s is uncertain", p.Name,
				count(n, "use ends by itself", "uses end by themselves"), are(n), amount(tally.Unproven))
		}
		if n := tally.Unreleased - tally.Timed; n > 0 {
			warn("held-to-end", "%s: %s when the recording ended, and %s counted until then", p.Name,
				count(n, "operation was still open", "operations were still open"), are(n))
		}
		if n := p.pairs.lost; n > 0 {
			warn("released-unseen", "%s: %s no acquire in the recording", p.Name, count(n, "release has", "releases have"))
		}
		if n := p.pairs.guessed; n > 0 {
			warn("guessed-pairs", "%s: %s may end any of several resources; the latest one of the calling class was assumed, else of the thread, else of all",
				p.Name, count(n, "operation", "operations"))
		}
		if n := p.pairs.again; n > 0 {
			warn("started-again", "%s: %s repeated by a class that had already started it, and counted once", p.Name, count(n, "operation is", "operations are"))
		}
		if w := p.unlevelled(); w != nil {
			all = append(all, *w)
		}
		if n := tally.Crowded; n > 0 {
			warn("crowded-operations", "%s: %s in a queue of more than 65,536 at the model's rate; their energy is unattributed", p.Name, count(n, "operation waited", "operations waited"))
		}
		if n := tally.Late; n > 0 {
			warn("late-operations", "%s: %s after a later operation, whose time is used instead", p.Name, count(n, "operation comes", "operations come"))
		}
	}
	if beyond > 0 {
		warn("beyond-the-end", "the components use %s after the recording ended, in tails or work that had begun; this energy is included", amount(beyond))
	}
	stated := int64(0)
	for _, p := range l.parts {
		stated += p.stated
	}
	if l.unmet && stated > 0 {
		warn("nobody-s-operations", "the recording has no calls and no stacks that could get the energy of %s, so this energy is omitted", count(stated, "component operation", "component operations"))
	} else if l.stray > 0 {
		warn("nobody-s-operations", "%s without a call in the recording; their energy is unattributed", count(l.stray, "operation is", "operations are"))
	}
	if len(l.unserved) > 0 {
		var asked []string
		for _, component := range slices.Sorted(maps.Keys(l.unserved)) {
			asked = append(asked, fmt.Sprintf("%s %d", component, l.unserved[component]))
		}
		warn("unmodelled-components", "the power model %s lacks components that the run used: %s", l.opts.Device.Name, strings.Join(asked, ", "))
	}
	return all
}

// assumed lists the assumptions of the called triggers.
func (l *ledger) assumed() []string {
	var all []string
	for i := range l.calls.triggers {
		if t := &l.calls.triggers[i]; t.operations > 0 && t.Assumption != "" && !slices.Contains(all, t.Assumption) {
			all = append(all, t.Assumption)
		}
	}
	slices.Sort(all)
	return all
}

func count(n int64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func are(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// amount formats an energy for people.
func amount(e units.Energy) string {
	u := units.BestUnit(e)
	return u.Format(e, 0) + " " + u.String()
}
