package instrument

import (
	"github.com/diffprof/diffprof/test/cached"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/dex/dextest"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A blockLog has the blocks that each activation ran: by the machine, and by the probes of paths.
type blockLog struct {
	*pair
	// addresses are the addresses that ran, by activation of the original program.
	addresses [][]int
	// methods has the method of each token, which is the number of the activation.
	methods []int32
}

func newBlockLog(p *pair) *blockLog { return &blockLog{pair: p} }

// listen logs a run of the original program, or answers the probes.
func (l *blockLog) listen(m *dextest.Machine, rewritten bool) {
	if rewritten {
		m.Answer = func(p dextest.Probe) int32 {
			l.methods = append(l.methods, p.ID)
			return int32(len(l.methods) - 1)
		}
		return
	}
	m.Ran = func(activation, address int) {
		for len(l.addresses) <= activation {
			l.addresses = append(l.addresses, nil)
		}
		l.addresses[activation] = append(l.addresses[activation], address)
	}
}

// compare compares the blocks of each activation, in order.
func (l *blockLog) compare(t testing.TB, name string, before, after *dextest.Machine) {
	t.Helper()
	got := make([][]int32, len(l.methods))
	ended := make([]bool, len(l.methods))
	for _, probe := range after.Probes {
		var block int
		switch probe.Name {
		case runtime.Path, runtime.End, runtime.Abort, runtime.Leave:
		default:
			continue
		}
		token := probe.Numbers[0]
		if ended[token] {
			t.Fatalf("%s: a probe of activation %d after its end", name, token)
		}
		ended[token] = probe.Name == runtime.End || probe.Name == runtime.Leave
		method := l.methods[token]
		n := l.numbers[method]
		if block = len(l.graphs[method].Next); len(probe.Numbers) > 2 {
			if block = int(probe.Numbers[2]); block < 0 {
				block = ^block
			}
		}
		p, err := n.Partial(probe.Numbers[1], block, nil)
		if err != nil {
			t.Fatalf("%s: %s: %s %v: %v", name, l.pair.methods[method], probe.Name, probe.Numbers, err)
		}
		got[token] = append(got[token], p.Blocks...)
	}
	if len(got) != len(l.addresses) {
		t.Fatalf("%s: %d activations, want %d", name, len(got), len(l.addresses))
	}
	for i, addresses := range l.addresses {
		g := l.graphs[l.methods[i]]
		var want []int32
		for _, at := range addresses {
			if k, ok := slices.BinarySearch(g.begins, at); ok {
				want = append(want, int32(k))
			}
		}
		if !slices.Equal(got[i], want) || !ended[i] {
			t.Fatalf("%s: activation %d of %s ran the blocks %v by its paths, want %v; ended %v", name, i, l.pair.methods[l.methods[i]], got[i], want, ended[i])
		}
		l.ran[0]++
		l.ran[1] += len(want)
	}
}

// TestRealPaths counts the paths of all methods of real apps, also of their libraries. The verifier accepts each
// rewritten method. The methods whose paths are not counted are few, and have a reason.
func TestRealPaths(t *testing.T) {
	all, err := NewFilter([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cached.Few(t) {
		f, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		used := func(o Options) (*Result, time.Duration) {
			before := processorTime(t)
			r, err := App(t.Context(), single(open(t, f)), o)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			return r, processorTime(t) - before
		}
		_, without := used(Options{Include: all})
		r, with := used(Options{Include: all, Paths: true})
		if len(r.WithoutPaths) > r.Methods/1000 || r.Paths+len(r.WithoutPaths) != r.Methods {
			t.Errorf("%s: paths of %d of %d methods, %d without", file, r.Paths, r.Methods, len(r.WithoutPaths))
		}
		for _, l := range r.WithoutPaths[:min(10, len(r.WithoutPaths))] {
			t.Log(l)
		}
		t.Logf("%s: %d methods, %d paths counted, %d left, map %d bytes, %v and %v processor time", file, r.Methods, r.Paths, len(r.Left), len(r.Map), without, with)
	}
}

// processorTime returns the processor time of the test.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
