//go:build !unix

package server

import "os"

// alive reports whether a process exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	// Only the handle is given back; the process goes on.
	_ = p.Release()
	return true
}
