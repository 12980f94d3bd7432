package cct

import (
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// addEnergy adds energy of a node and a thread to an account. An account tells what energy was used
// for. Account 0 is not stored: it has all energy that is on no other account.
func (b *builder) addEnergy(node int32, thread trace.ThreadID, a trace.AccountID, e units.Energy) {
	if a == 0 || e == 0 {
		return
	}
	if int(a) > len(b.accounts) {
		b.accounts, b.threadAccounts = grow(b.accounts, int32(a)-1), grow(b.threadAccounts, int32(a)-1)
	}
	add(&b.accounts[a-1], node, e)
	add(&b.threadAccounts[a-1], int32(thread), e)
}

// Numbers that are 0 for most nodes, such as recursive calls, are stored in lists indexed by node.
// A list ends at its last number. Missing elements are 0.

// grow makes a list long enough to hold i.
func grow[T any](list []T, i int32) []T {
	if n := int(i) + 1; n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	return list
}

// add adds x to element i of a list, extending it.
func add[T int64 | uint32 | units.Energy](list *[]T, i int32, x T) {
	if x != 0 {
		*list = grow(*list, i)
		(*list)[i] += x
	}
}

// at returns element i of a list, or 0 beyond its end.
func at[T any](list []T, i int32) T {
	if int(i) < len(list) {
		return list[i]
	}
	var zero T
	return zero
}
