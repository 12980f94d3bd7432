// Package abi maps the numbers of system calls to names. The kernel's tracer records only the
// numbers. Each ABI of Linux has its own numbers. The ABIs are the 64-bit and 32-bit ABIs of ARM
// and of Intel processors.
//
// A trace may state the machine, but it never states whether a process runs 32-bit code. Votes
// infer the ABI from the most frequent calls of a process.
package abi

import (
	"slices"
	"sync"
)

// An ABI is a table of system call numbers.
type ABI uint8

// The ABIs.
const (
	ARM64 ABI = iota
	AMD64
	ARM
	I386

	abis // abis is the number of ABIs.
)

// Unknown means that the ABI is not known.
const Unknown = abis

// String returns "arm64", "x86_64", "arm" or "x86".
func (a ABI) String() string {
	if a >= abis {
		return "unknown"
	}
	return [abis]string{"arm64", "x86_64", "arm", "x86"}[a]
}

// names has the names of each ABI's calls by number.
var names = sync.OnceValue(func() [abis][]string {
	var all [abis][]string
	for name, list := range numbers {
		for a, number := range list {
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

// Names returns the names of the ABI's calls by number. The name of an unknown call is empty. The
// caller must not change them.
func (a ABI) Names() []string {
	if a >= abis {
		return nil
	}
	return names()[a]
}

// Of returns the ABIs that processes may have on a machine, the native ABI first. machine is a name
// as printed by uname. For an unknown machine it returns all ABIs.
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

// frequent are the most frequent calls of nearly every process.
var frequent = [...]string{"futex", "ioctl", "epoll_wait", "epoll_pwait", "read", "write", "close", "openat"}

// Votes counts the calls that indicate each ABI.
type Votes [abis]int64

// speaking marks the numbers of the frequent calls for each ABI.
var speaking = sync.OnceValue(func() [abis][]bool {
	var all [abis][]bool
	for a := range abis {
		for _, name := range names()[a] {
			all[a] = append(all[a], slices.Contains(frequent[:], name))
		}
	}
	return all
})

// Add counts a call by its number.
func (v *Votes) Add(number int64) {
	all := speaking()
	for a := range all {
		if number >= 0 && number < int64(len(all[a])) && all[a][number] {
			v[a]++
		}
	}
}

// Choose returns the ABI in among with the most votes. In a tie, the earlier ABI wins. Without votes
// it returns Unknown if among has all ABIs, and otherwise the first ABI in among.
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
