package tracetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// BookedAccounts are the accounts in a recording of type [Booked].
var BookedAccounts = []trace.Account{
	{Component: "cpu", Provenance: trace.Modelled},
	{Component: "cellular", Provenance: trace.Modelled},
	{Component: "cellular", Part: trace.Tail, Provenance: trace.Modelled},
	{Component: "gps", Provenance: trace.Measured},
	{Component: "gps", Part: trace.Rest, Provenance: trace.Measured},
}

// A Booked is a recording of samples with energy on several accounts, for tests. Each line of Text
// is a sample: the stack with semicolons, the energy in nanojoules, the index of the account, and
// the thread (0, 1 or 2). A sample counts as one call. Its processor time in nanoseconds equals its
// energy in nanojoules. If Only is not negative, samples on accounts other than Only have no
// energy.
type Booked struct {
	Text string
	Only int
	// Method makes a method from a name.
	Method func(name string) name.Method
}

// Scan implements trace.Recording.
func (b Booked) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{
		Format: "booked", Accounts: BookedAccounts, Energy: trace.Modelled, Calls: trace.CountedCalls, Clock: trace.ThreadCPU,
		Threads:   []trace.Thread{{ID: 1, Name: "main"}, {ID: 2, Name: "http0", Process: 1}, {ID: 3, Name: "http0", Process: 1}},
		Processes: []trace.Process{{ID: 1, Name: "app"}, {ID: 2, Name: "server"}},
	}
	ids := make(map[string]trace.MethodID)
	var batch []trace.Sample
	for line := range strings.Lines(b.Text) {
		var stack string
		s := trace.Sample{ID: trace.NoStack, Calls: 1}
		if _, err := fmt.Sscan(line, &stack, &s.Energy, &s.Account, &s.Thread); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		for method := range strings.SplitSeq(stack, ";") {
			id, ok := ids[method]
			if !ok {
				id = trace.MethodID(len(tr.Methods))
				ids[method] = id
				tr.Methods = append(tr.Methods, b.Method(method))
			}
			s.Stack = append(s.Stack, id)
		}
		s.CPU = int64(s.Energy)
		if b.Only >= 0 && int(s.Account) != b.Only {
			s.Energy = 0
		}
		tr.Threads[s.Thread].Events++
		tr.Threads[s.Thread].CPU += time.Duration(s.CPU)
		batch = append(batch, s)
	}
	tr.Events = int64(len(batch))
	return tr, sink.Samples(batch)
}
