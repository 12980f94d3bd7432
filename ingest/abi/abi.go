// Package abi names system calls by their numbers, which the kernel's tracer records instead of
// names. A number stands for another call in each of the ABIs that Linux's programs are made
// for: those of ARM and of Intel's processors, with 64 bits and with 32.
//
// A trace says at best which machine it is of, and never whether a process runs 32-bit code. Votes
// tell by the calls that a process makes most.
package abi

import (
	"slices"
	"sync"
)

// An ABI is what numbers of system calls are of.
type ABI uint8

// The ABIs.
const (
	ARM64 ABI = iota
	AMD64
	ARM
	I386

	abis // how many there are
)

// Unknown stands for none of them.
const Unknown = abis

// String names the ABI as people know it: "arm64", "x86_64", "arm", "x86".
func (a ABI) String() string {
	if a >= abis {
		return "unknown"
	}
	return [abis]string{"arm64", "x86_64", "arm", "x86"}[a]
}

// names has the names of each ABI's calls by their numbers.
var names = sync.OnceValue(func() [abis][]string {
	var all [abis][]string
	for name, of := range numbers {
		for a, number := range of {
			if number < 0 {
				continue
			}
			for len(all[a]) <= int(number) {
				all[a] = append(all[a], "")
			}
			all[a][number] = name
		}
	}
	return all
})

// Names returns the names of the ABI's calls by their numbers, empty for those that the package does
// not know. The caller must not change them.
func (a ABI) Names() []string {
	if a >= abis {
		return nil
	}
	return names()[a]
}

// Of returns the ABIs that the processes of a machine may have, as uname calls it, its own first;
// all of an unknown one.
func Of(machine string) []ABI {
	switch machine {
	case "aarch64", "arm64":
		return []ABI{ARM64, ARM}
	case "x86_64", "amd64":
		return []ABI{AMD64, I386}
	case "armv7l", "armv8l", "armv6l", "arm":
		return []ABI{ARM}
	case "i386", "i486", "i586", "i686":
		return []ABI{I386}
	}
	return []ABI{ARM64, AMD64, ARM, I386}
}

// frequent are the calls that nearly every process makes most.
var frequent = [...]string{"futex", "ioctl", "epoll_wait", "epoll_pwait", "read", "write", "close", "openat"}

// Votes counts calls that speak for each ABI.
type Votes [abis]int64

// speaking says for each ABI which of its numbers are of frequent calls.
var speaking = sync.OnceValue(func() [abis][]bool {
	var all [abis][]bool
	for a := range abis {
		for _, name := range names()[a] {
			all[a] = append(all[a], slices.Contains(frequent[:], name))
		}
	}
	return all
})

// Add counts a call of a number.
func (v *Votes) Add(number int64) {
	all := speaking()
	for a := range all {
		if number >= 0 && number < int64(len(all[a])) && all[a][number] {
			v[a]++
		}
	}
}

// Choose returns the ABI among some for which most calls speak, the first of equals. Where none
// speaks for any it is the first one if the machine is known, which has two at most, else Unknown.
func (v *Votes) Choose(among []ABI) ABI {
	best := Unknown
	if len(among) < int(abis) {
		best = among[0]
	}
	most := int64(0)
	for _, a := range among {
		if v[a] > most {
			best, most = a, v[a]
		}
	}
	return best
}
