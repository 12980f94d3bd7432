package server

import "github.com/diffprof/diffprof/server/internal/client"

// The stages of a comparison and of reading sources, with the percentages at which each stage
// begins and ends. A dynamic α matches several times, so the stage of matching may begin again. The
// shown percentage never falls.
var stages = map[string]struct {
	title       string
	first, last int
}{
	"indexing": {"reading sources", 0, 100},
	"reading":  {"reading traces", 0, 60},
	"matching": {"matching tasks", 60, 95},
	"placing":  {"finding tasks in the sources", 95, 100},
}

// progress shows the progress of a stage of work; total is 0 if unknown.
func progress(shown *client.Work, stage string, done, total int64) {
	st := stages[stage]
	percent := st.first
	if total > 0 {
		percent += int(float64(st.last-st.first) * min(float64(done)/float64(total), 1))
	}
	shown.Report(st.title, percent)
}
