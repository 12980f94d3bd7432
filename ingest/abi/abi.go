// Package abi maps system call numbers to names. The kernel's tracer records only the numbers, and
// each ABI of Linux has its own numbers. The package has the 64-bit and the 32-bit ABIs of ARM and
// of Intel processors.
//
// A trace may state the machine, but it never states whether a process runs 32-bit code. [Votes]
// infer the ABI from a process's most frequent calls.
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

// names has the names of each ABI's system calls, indexed by number.
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

// Names returns the names of the ABI's system calls, indexed by number. The name of an unknown call
// is empty. The caller must not change the slice.
func (a ABI) Names() []string {
	if a >= abis {
		return nil
	}
	return names()[a]
}

// Of returns the ABIs that processes on a machine may use, the native ABI first. machine is the
// machine's name as uname prints it. For an unknown machine, Of returns all ABIs.
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

// frequent are the most frequent system calls of nearly every process.
var frequent = [...]string{"futex", "ioctl", "epoll_wait", "epoll_pwait", "read", "write", "close", "openat"}

// Votes counts a process's calls that would be frequent calls in each ABI. For example, 63 is read
// in ARM64 and a vote for it.
type Votes [abis]int64

// speaking reports whether a number is a frequent call in an ABI.
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

// Choose returns the candidate with the most votes. In a tie, the candidate listed first wins.
// Without any vote, it returns the first candidate, or Unknown if all ABIs are candidates.
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
