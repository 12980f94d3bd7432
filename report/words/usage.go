package words

import (
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Usage formats the time of all threads by activity: "1.2 s working, 5 s waiting".
func Usage(u trace.Usage) string {
	var parts []string
	for _, p := range []struct {
		time time.Duration
		what string
	}{
		{u.Working, "working"}, {u.Waiting, "waiting"}, {u.Unknown, "working or waiting (unknown)"}, {u.Unrecorded, "not recorded"},
	} {
		if p.time > 0 {
			parts = append(parts, units.FormatTime(int64(p.time))+" "+p.what)
		}
	}
	if parts == nil {
		return "no time"
	}
	return strings.Join(parts, ", ")
}
