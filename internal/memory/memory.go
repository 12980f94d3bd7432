// Package memory measures how much memory the process may still use.
package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/pbnjay/memory"
)

// Free returns the number of bytes that the process can still use without swapping or being killed:
// the system's free memory, or what is left of a container's limit if that is less. It returns
// math.MaxInt64 if neither is known.
func Free() int64 {
	free := available()
	if limit, err := memlimit.FromCgroup(); err == nil && limit < math.MaxInt64 {
		free = min(free, int64(limit))
	}
	return free
}

// available returns the memory that Linux could provide, including the caches that it can free. On
// other systems it returns the free memory.
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
