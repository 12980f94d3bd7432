// Package rounds says how many random cases a test tries.
package rounds

import "testing"

// Of returns n, the number of cases of a full run, or a tenth of n, rounded up, with -short. The
// first cases are the same in both.
func Of(n int) int {
	if testing.Short() {
		return (n + 9) / 10
	}
	return n
}

// Some returns all, or with -short every fourth of all, and at least the first two.
func Some[T any](all []T) []T {
	if !testing.Short() {
		return all
	}
	some := all[:0:0]
	for i, one := range all {
		if i == 1 || i%4 == 0 {
			some = append(some, one)
		}
	}
	return some
}
