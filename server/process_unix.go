//go:build unix

package server

import (
	"errors"
	"syscall"
)

// alive reports whether a process exists, of any user.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return !errors.Is(err, syscall.ESRCH)
}
