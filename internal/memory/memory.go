// Package memory tells how much memory a process may still take.
package memory

import (
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/shirou/gopsutil/v4/mem"
)

// Free returns the bytes that can be had without swapping or being killed: what
// the system has left, or what a container is allowed if that is less. It returns
// math.MaxInt64 where neither can be told.
func Free() int64 {
	free := int64(math.MaxInt64)
	if m, err := mem.VirtualMemory(); err == nil && m.Available > 0 && m.Available < math.MaxInt64 {
		free = int64(m.Available)
	}
	if limit, err := memlimit.FromCgroup(); err == nil && limit < math.MaxInt64 {
		free = min(free, int64(limit))
	}
	return free
}
