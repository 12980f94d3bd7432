//go:build unix

package source_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has taken, C's included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
