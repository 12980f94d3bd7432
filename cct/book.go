package cct

import (
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// book notes that energy of a node, and of a thread, is on an account. The first account is
// what is on no other, so that recordings with one account book nothing.
func (b *builder) book(node int32, thread trace.ThreadID, a trace.AccountID, e units.Energy) {
	if a == 0 || e == 0 {
		return
	}
	if int(a) > len(b.accounts) {
		b.accounts, b.threadAccounts = reach(b.accounts, int32(a)-1), reach(b.threadAccounts, int32(a)-1)
	}
	add(&b.accounts[a-1], node, e)
	add(&b.threadAccounts[a-1], int32(thread), e)
}

// Figures that few nodes have stand in lists by node. A list is as long as its last figure
// needs; what lies beyond is 0.

// reach makes a list long enough to hold i.
func reach[T any](list []T, i int32) []T {
	if n := int(i) + 1; n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	return list
}

// add adds to the i-th of a list.
func add[T int64 | uint32 | units.Energy](list *[]T, i int32, x T) {
	if x != 0 {
		*list = reach(*list, i)
		(*list)[i] += x
	}
}

// at is the i-th of a list.
func at[T any](list []T, i int32) T {
	if int(i) < len(list) {
		return list[i]
	}
	var zero T
	return zero
}
