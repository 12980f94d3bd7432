package descriptor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestTablesCountDescriptors does random operations on the tables of several processes. Its oracle
// has no counts. It searches all descriptors of all processes instead.
func TestTablesCountDescriptors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	type end struct {
		object *Object
		closes bool
	}
	for range 200 {
		tables, model := []*Table{New()}, []map[int64]end{{}}
		var objects []*Object
		used := func(o *Object) bool {
			for _, m := range model {
				for _, e := range m {
					if e.object == o {
						return true
					}
				}
			}
			return false
		}
		for range 60 {
			p, fd := r.IntN(len(tables)), int64(r.IntN(5))
			before := model[p][fd].object
			switch r.IntN(5) {
			case 0: // Put a new object, or an object that has a descriptor already.
				o := &Object{Handle: int64(len(objects))}
				if len(objects) > 0 && r.IntN(2) == 0 {
					o = objects[r.IntN(len(objects))]
				}
				objects = append(objects, o)
				closes := r.IntN(2) == 0
				model[p][fd] = end{o, closes}
				want := before
				if before == nil || used(before) {
					want = nil
				}
				if got := tables[p].Put(fd, o, closes); got != want {
					t.Fatalf("put: %v is left over, want %v", got, want)
				}
			case 1:
				delete(model[p], fd)
				want := before
				if before == nil || used(before) {
					want = nil
				}
				if got := tables[p].Drop(fd); got != want {
					t.Fatalf("drop: %v has no descriptor, want %v", got, want)
				}
			case 2:
				copied := make(map[int64]end)
				for k, v := range model[p] {
					copied[k] = v
				}
				tables, model = append(tables, tables[p].Fork()), append(model, copied)
			case 3:
				closes := r.IntN(2) == 0
				if e, ok := model[p][fd]; ok {
					model[p][fd] = end{e.object, closes}
				}
				tables[p].Closes(fd, closes)
			}
			for i, m := range model {
				var closing []int64
				for fd := range int64(5) {
					if tables[i].At(fd) != m[fd].object {
						t.Fatalf("descriptor %d of process %d is %v, want %v", fd, i, tables[i].At(fd), m[fd].object)
					}
					if m[fd].closes {
						closing = append(closing, fd)
					}
				}
				if got := tables[i].Which(func(_ int64, closes bool) bool { return closes }); !slices.Equal(got, closing) {
					t.Fatalf("execve of process %d closes %v, want %v", i, got, closing)
				}
			}
		}
	}
}

// TestThreadsShareTables counts the threads of a table.
func TestThreadsShareTables(t *testing.T) {
	table := New()
	if table.Share() != table || table.Leave() || !table.Leave() {
		t.Error("a table of two threads ends with another thread than the second")
	}
	if table = New().Fork(); !table.Leave() {
		t.Error("a new process has more than one thread")
	}
}

func TestMoves(t *testing.T) {
	for _, c := range []struct {
		path, in bool
		want     trace.Verb
	}{{true, true, trace.OpRead}, {true, false, trace.OpWrite}, {false, true, trace.OpReceive}, {false, false, trace.OpSend}} {
		if got := (&Object{Path: c.path}).Moves(c.in); got != c.want {
			t.Errorf("path %v, in %v: %v, want %v", c.path, c.in, got, c.want)
		}
	}
}
