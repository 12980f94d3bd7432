package lines

import (
	"context"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// Resolve replaces each method of a tree by its frames in the source, and merges contexts that
// become equal. frames returns the frames of a method: at least one, the outermost first. There are
// several frames if the compiler inlined calls. The innermost frame gets the method's own figures.
//
// A context keeps only the first of its threads. The result has no hand-overs (work that one call
// enqueues and another runs) and no recursions. The energy of each thread is unchanged.
func Resolve(ctx context.Context, tree *cct.Tree, accounts []trace.Account, frames func(trace.MethodID) []name.Method) (*cct.Tree, error) {
	r := &resolved{tree: tree, accounts: max(len(accounts), 1), chains: make([][]trace.MethodID, len(tree.Methods))}
	ids := make(map[name.Method]trace.MethodID)
	for m := range tree.Methods {
		for _, f := range frames(trace.MethodID(m)) {
			id, ok := ids[f]
			if !ok {
				id = trace.MethodID(len(r.methods))
				ids[f] = id
				r.methods = append(r.methods, f)
			}
			r.chains[m] = append(r.chains[m], id)
		}
	}
	out, _, err := cct.Build(ctx, r, cct.Limits{Deep: true})
	if err != nil {
		return nil, err
	}
	out.ThreadEnergy, out.Elapsed, out.Counted = tree.ThreadEnergy, tree.Elapsed, tree.Counted
	return out, nil
}

// A resolved tree is a recording whose samples are the contexts of a tree.
type resolved struct {
	tree     *cct.Tree
	accounts int
	methods  []name.Method
	// chains has the frames of each method of the tree.
	chains [][]trace.MethodID
}

// Scan implements trace.Recording.
func (r *resolved) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	t := r.tree
	tr := &trace.Trace{Methods: r.methods, Threads: make([]trace.Thread, len(t.ThreadEnergy)), Calls: t.Counted}
	for range r.accounts {
		tr.Accounts = append(tr.Accounts, trace.Account{})
	}
	var stack []trace.MethodID
	// depth is the number of frames on the stack of an open node.
	type open struct {
		end   int32
		depth int
	}
	var path []open
	for v := range int32(len(t.Nodes)) {
		if v%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n := &t.Nodes[v]
		for len(path) > 0 && path[len(path)-1].end <= v {
			path = path[:len(path)-1]
		}
		stack = stack[:0:cap(stack)]
		if len(path) > 0 {
			stack = stack[:path[len(path)-1].depth]
		}
		if n.Method != cct.NoMethod {
			stack = append(stack, r.chains[n.Method]...)
		}
		path = append(path, open{n.End, len(stack)})
		if err := r.emit(v, stack, sink); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// emit passes the figures of a node to a sink, as one sample for each account. A node without
// figures needs no sample.
func (r *resolved) emit(v int32, stack []trace.MethodID, sink trace.Sink) error {
	t := r.tree
	base := trace.Sample{
		Stack: stack, CPU: int64(t.CPU.Self(v)), Wall: int64(t.Wall.Self(v)), Energy: t.Energy.Self(v),
		Weight: t.Weight.Self(v), Count: t.Seen.Self(v), Calls: t.Calls.Self(v),
	}
	if threads := t.Threads(v); len(threads) > 0 {
		base.Thread = threads[0]
	}
	batch := []trace.Sample{base}
	for a := 1; a < r.accounts; a++ {
		e := t.Column(cct.Key{Quantity: cct.Energy, Account: trace.AccountID(a)}).Self(v)
		if e == 0 {
			continue
		}
		batch[0].Energy -= e
		batch = append(batch, trace.Sample{Stack: stack, Thread: base.Thread, Energy: e, Account: trace.AccountID(a)})
	}
	if b := &batch[0]; len(batch) == 1 && b.CPU|b.Wall|int64(b.Energy)|b.Weight|b.Count|b.Calls == 0 {
		return nil
	}
	return sink.Samples(batch)
}
