package main

import (
	"fmt"
	"testing"
	"time"
)

// TestPlan places work before and after a step. A gap of less than three margins of 50 µs must stay
// free.
func TestPlan(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		gap   time.Duration // between the start of the work and the step
		first time.Duration // work before the step
	}{{150 * us, 0}, {151 * us, 100 * us}, {175 * us, 100 * us}, {200 * us, 100 * us}, {1000 * us, 100 * us}} {
		a := &actor{}
		a.work = append(a.work, step{path: []string{"work"}, cpu: 100 * us})
		a.steps = append(a.steps, step{path: []string{"step"}, at: time.Millisecond + c.gap, wall: 10 * us})
		plan, err := a.plan(10 * time.Millisecond)
		if err != nil || len(plan) != 2 {
			t.Fatalf("gap %v: %v, %v", c.gap, plan, err)
		}
		before := time.Duration(0)
		if fmt.Sprint(plan[0].path) == "[work]" {
			before = plan[0].cpu
		}
		if before != c.first || plan[0].cpu+plan[1].cpu != 100*us {
			t.Errorf("gap %v: %v of the work is before the step, want %v: %+v", c.gap, before, c.first, plan)
		}
		for i := 1; i < len(plan); i++ {
			if plan[i].at < plan[i-1].at+plan[i-1].wall {
				t.Errorf("gap %v: steps overlap: %+v", c.gap, plan)
			}
		}
	}
}
