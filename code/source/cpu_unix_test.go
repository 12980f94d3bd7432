//go:build unix

package source_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of the process, including C code.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
