package jfr_test

import (
	"context"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/jfr"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestActivities checks which samples are read, and with which activity, in recordings of several
// versions and options of async-profiler.
func TestActivities(t *testing.T) {
	sample := func(class, state string, n int) (all []event) {
		for range n {
			all = append(all, event{class: class, thread: "main", state: state, stack: []frame{load, run}, count: 1})
		}
		return all
	}
	join := func(lists ...[]event) (all []event) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	const execution, wall = "jdk.ExecutionSample", "profiler.WallClockSample"
	cpu := sample(execution, "DEFAULT", 11)
	sleeping, running := sample(execution, "SLEEPING", 30), sample(execution, "RUNNABLE", 2)
	for _, tt := range []struct {
		name     string
		settings []setting
		samples  []event
		asked    string
		// cpu, working and waiting are sums over the samples.
		cpu, working, waiting time.Duration
	}{
		{"version 3, cpu", []setting{{"", "event", "ctimer"}, {execution, "interval", "10000000"}}, cpu, "", 110 * time.Millisecond, 0, 0},
		{"version 3, cpu and wall", []setting{{"", "event", "cpu"}, {execution, "interval", "10000000"}, {execution, "wall", "200000000"}},
			join(cpu, running, sleeping), "", 110 * time.Millisecond, 0, 0},
		{"version 3, wall asked", []setting{{"", "event", "cpu"}, {execution, "interval", "10000000"}, {execution, "wall", "200000000"}},
			join(cpu, running, sleeping), "wall", 0, 400 * time.Millisecond, 6 * time.Second},
		{"version 3, wall", []setting{{"", "event", "wall"}, {execution, "interval", "20000000"}},
			join(running, sleeping), "", 0, 40 * time.Millisecond, 600 * time.Millisecond},
		{"version 4, cpu and wall", []setting{{"", "event", "ctimer"}, {execution, "interval", "10000000"}, {wall, "interval", "50000000"}},
			join(cpu, sample(wall, "SLEEPING", 300)), "", 110 * time.Millisecond, 0, 0},
		{"version 4, wall", []setting{{wall, "interval", "50000000"}}, join(sample(wall, "RUNNABLE", 4), sample(wall, "SLEEPING", 30)), "",
			0, 200 * time.Millisecond, 1500 * time.Millisecond},
		{"interval of another event", []setting{{execution, "period", "20 ms"}, {"jdk.Other", "interval", "519828"}, {"jdk.Other", "wall", "7"}},
			running, "", 40 * time.Millisecond, 0, 0},
	} {
		c := &chunk{start: 1, settings: tt.settings, samples: tt.samples}
		kept := &tracetest.Collector{}
		_, err := recording{c.bytes(), jfr.Options{SampleType: tt.asked}}.Scan(context.Background(), kept)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var cpu, working, waiting time.Duration
		for _, s := range kept.Kept {
			cpu += time.Duration(s.CPU)
			switch s.Activity {
			case trace.Working:
				working += time.Duration(s.Wall)
			case trace.Waiting:
				waiting += time.Duration(s.Wall)
			default:
				if s.Wall != 0 {
					t.Errorf("%s: activity %v", tt.name, s.Activity)
				}
			}
		}
		if cpu != tt.cpu || working != tt.working || waiting != tt.waiting {
			t.Errorf("%s: cpu %v, working %v, waiting %v", tt.name, cpu, working, waiting)
		}
	}
}
