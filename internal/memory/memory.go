// Package memory tells how much memory a process may still take.
package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/pbnjay/memory"
)

// Free returns the bytes that can be had without swapping or being killed: what
// the system has left, or what a container is allowed if that is less. It returns
// math.MaxInt64 where neither can be told.
func Free() int64 {
	free := available()
	if limit, err := memlimit.FromCgroup(); err == nil && limit < math.MaxInt64 {
		free = min(free, int64(limit))
	}
	return free
}

// available asks Linux for what it could hand out, caches it would give up
// included, and other systems for what they call free.
func available() int64 {
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kilobytes int64
			if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kilobytes); n == 1 && kilobytes > 0 {
				return kilobytes << 10
			}
		}
	}
	if free := memory.FreeMemory(); free > 0 && free < math.MaxInt64 {
		return int64(free)
	}
	return math.MaxInt64
}
