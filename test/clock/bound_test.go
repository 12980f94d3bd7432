package clock

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
)

// counts are the numbers of samples of a recording without a duration. Each sample is 10 ms of
// work.
var counts = []int64{1, 4, 2, 7, 1, 1, 3, 5, 9, 2, 6, 1}

// sampled writes a pprof profile. The time of its second sample is multiplied by damage.
func sampled(t *testing.T, damage int64) []byte {
	f := &profile.Function{ID: 1, Name: "main.work"}
	at := &profile.Location{ID: 1, Line: []profile.Line{{Function: f}}}
	cpu := &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, cpu}, PeriodType: cpu, Period: 10_000_000,
		Function: []*profile.Function{f}, Location: []*profile.Location{at},
	}
	for i, n := range counts {
		ns := n * p.Period
		if i == 1 {
			ns *= damage
		}
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{at}, Value: []int64{n, ns}})
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// weighed writes a speedscope profile with weights. The weight of its second sample is multiplied
// by damage.
func weighed(end string, damage int64) []byte {
	var weights, stacks []string
	for i, n := range counts {
		if i == 1 {
			n *= damage
		}
		weights, stacks = append(weights, fmt.Sprint(10*n)), append(stacks, "[0]")
	}
	return fmt.Appendf(nil, `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"work"}]},`+
		`"profiles":[{"type":"sampled","name":"CPU","unit":"milliseconds","startValue":0,"endValue":%s,"samples":[%s],"weights":[%s]}]}`,
		end, strings.Join(stacks, ","), strings.Join(weights, ","))
}

// opened writes a speedscope profile of calls, one every 10 ms. The second call ends at the time
// second in ms.
func opened(end, second int) []byte {
	var events []string
	for i := range 42 {
		until := 10*i + 10
		if i == 1 {
			until = second
		}
		events = append(events, fmt.Sprintf(`{"type":"O","frame":0,"at":%d},{"type":"C","frame":0,"at":%d}`, 10*i, until))
	}
	return fmt.Appendf(nil, `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"work"}]},`+
		`"profiles":[{"type":"evented","name":"CPU","unit":"milliseconds","startValue":0,"endValue":%d,"events":[%s]}]}`, end, strings.Join(events, ","))
}

// ticked writes a V8 profile with 420 samples of one millisecond. The time of the second sample is
// multiplied by damage.
func ticked(damage int64) []byte {
	var samples, deltas []string
	for i := range 421 {
		delta := int64(1000)
		if i == 2 {
			delta *= damage
		}
		samples, deltas = append(samples, "2"), append(deltas, fmt.Sprint(delta))
	}
	return fmt.Appendf(nil, `{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},{"id":2,"callFrame":{"functionName":"work"}}],`+
		`"startTime":1000000,"endTime":1421000,"samples":[%s],"timeDeltas":[%s]}`, strings.Join(samples, ","), strings.Join(deltas, ","))
}

// TestBoundWithoutDuration checks that the time of a recording without a duration is bounded by the
// number of its samples, or by the ends of its profiles. A damaged time is lowered to a range. A
// bound that most times exceed is ignored.
func TestBoundWithoutDuration(t *testing.T) {
	const work = 420 * time.Millisecond
	for _, c := range []struct {
		name    string
		data    []byte
		lowered bool
		want    time.Duration
	}{
		{"pprof", sampled(t, 1), false, work},
		{"damaged pprof", sampled(t, 1_000_000), true, work},
		{"speedscope", weighed("420", 1), false, work},
		{"damaged speedscope", weighed("420", 1_000_000), true, work},
		{"speedscope with a wrong end", weighed("12", 1), false, work},
		{"speedscope without an end", weighed("0", 1), false, work},
		{"speedscope of calls", opened(420, 20), false, work},
		{"damaged speedscope of calls", opened(420, 1_000_000), true, work},
		{"speedscope of calls with a wrong end", opened(42, 20), false, work},
		{"V8", ticked(1), false, work},
		{"damaged V8", ticked(1_000_000), true, work + time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := written(t, "run", c.data)
			if _, err := check(t.Context(), path); err != nil {
				t.Error(err)
			}
			f, err := ingest.Open(t.Context(), path, ingest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var tr *trace.Trace
			for range 2 {
				if tr, err = f.Scan(t.Context(), &witness{}); err != nil {
					t.Fatal(err)
				}
			}
			lowered := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "impossible-time" })
			if got := tr.Usage.Working + tr.Usage.Unknown; lowered != c.lowered || lowered && tr.Usage.Working != 0 || got < c.want-10 || got > c.want {
				t.Errorf("%+v, %v; want %v", tr.Usage, tr.Warnings, c.want)
			}
		})
	}
}
