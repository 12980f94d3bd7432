//go:build !unix

package source_test

import "time"

// cpuTime is not available on this system.
func cpuTime() time.Duration { return 0 }
