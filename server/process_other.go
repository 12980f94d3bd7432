//go:build !unix

package server

import "os"

// alive reports whether a process exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	// Release frees only the handle. The process continues.
	_ = p.Release()
	return true
}
