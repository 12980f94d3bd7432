package energy

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/model"
)

// TestWarningsOfSurveys checks when a model seems to be for another device: if a signal is from a core
// that it lacks, or if more than a tenth of the frequencies are not in it.
func TestWarningsOfSurveys(t *testing.T) {
	for _, c := range []struct {
		clocked             bool
		cores, strange, all int64
		want                string
	}{
		{true, 0, 0, 20, ""}, {true, 0, 2, 20, ""}, {true, 0, 3, 20, "3 of 20 changes"}, {true, 1, 0, 20, "1 signal is from cores"}, {true, 2, 0, 0, "2 signals are from cores"}, {false, 9, 20, 20, ""},
	} {
		s := &surveying{device: &model.Device{Name: "made"}, cores: &cores{unknown: c.cores}, changes: c.all, unknown: c.strange}
		r := &Rails{clocked: c.clocked}
		s.warn(r)
		var got string
		for _, w := range r.warnings {
			got += w.Message
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || len(r.warnings) > 1 {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
