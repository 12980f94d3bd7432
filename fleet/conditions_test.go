package fleet

import (
	"testing"

	"github.com/diffprof/diffprof/fleet/claim"
)

// TestLastOther finds the last condition on another feature.
func TestLastOther(t *testing.T) {
	version, network := claim.Condition{Feature: Version, Value: "2"}, claim.Condition{Feature: "network", Value: "wifi"}
	for _, c := range []struct {
		all  []claim.Condition
		want int
	}{
		{nil, -1}, {[]claim.Condition{version}, -1}, {[]claim.Condition{network}, 0}, {[]claim.Condition{network, version}, 0}, {[]claim.Condition{version, network}, 1}, {[]claim.Condition{network, version, network, version}, 2},
	} {
		if got := lastOther(c.all, Version); got != c.want {
			t.Errorf("%v: %d, want %d", c.all, got, c.want)
		}
	}
	for _, c := range []struct {
		where []claim.Condition
		value string
		want  bool
	}{
		{nil, "wifi", true}, {[]claim.Condition{network}, "wifi", true}, {[]claim.Condition{network}, "lte", false}, {[]claim.Condition{{Feature: "network", Value: "wifi", Not: true}}, "wifi", false},
		{[]claim.Condition{{Feature: "network", Value: "wifi", Not: true}}, "lte", true}, {[]claim.Condition{version}, "lte", true},
	} {
		if got := holds(c.where, claim.Condition{Feature: "network", Value: c.value}); got != c.want {
			t.Errorf("%v allow %s: %v", c.where, c.value, got)
		}
	}
}
