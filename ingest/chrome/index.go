package chrome

import "iter"

// An index maps the ids of nodes to values. Most profilers number nodes from 1, so most values are
// in a list, which is faster than a map. The zero value is empty.
type index[T any] struct {
	list   []indexed[T]
	others map[int64]T
	len    int
}

type indexed[T any] struct {
	value T
	set   bool
}

// sparse is how many unused elements the list may have for each used one.
const sparse = 4

// put sets the value of an id.
func (x *index[T]) put(id int64, value T) {
	if _, known := x.get(id); !known {
		x.len++
	}
	if id >= 0 && id < int64(len(x.list)) {
		x.list[id] = indexed[T]{value, true}
		delete(x.others, id)
		return
	}
	if _, known := x.others[id]; !known && id >= 0 && id <= sparse*int64(x.len)+1<<10 {
		for int64(len(x.list)) <= id {
			x.list = append(x.list, indexed[T]{})
		}
		x.list[id] = indexed[T]{value, true}
		return
	}
	if x.others == nil {
		x.others = make(map[int64]T)
	}
	x.others[id] = value
}

// get returns the value of an id, and reports whether the id has a value.
func (x *index[T]) get(id int64) (value T, ok bool) {
	if id >= 0 && id < int64(len(x.list)) && x.list[id].set {
		return x.list[id].value, true
	}
	if len(x.others) == 0 {
		return value, false
	}
	value, ok = x.others[id]
	return value, ok
}

// all yields the ids with their values, in no particular order.
func (x *index[T]) all() iter.Seq2[int64, T] {
	return func(yield func(int64, T) bool) {
		for id := range x.list {
			if x.list[id].set && !yield(int64(id), x.list[id].value) {
				return
			}
		}
		for id, value := range x.others {
			if !yield(id, value) {
				return
			}
		}
	}
}
