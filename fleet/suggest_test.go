package fleet

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// version returns a version of an app with an excess. Enough clients ran it unless half is 0.
func version(name string, excess, half float64) claim.Version {
	return claim.Version{Name: name, Drain: Drain{Excess: excess, Half: half}, Enough: half > 0}
}

// TestAgainstVersion checks which version the suggestion records, and with which version it
// compares it. The test cases list versions, the newest first.
func TestAgainstVersion(t *testing.T) {
	only := func(version string) []claim.Condition { return []claim.Condition{{Feature: Version, Value: version}} }
	missed := map[string]string{} // missed maps a missing item to the test case that has it.
	for _, c := range []struct {
		name            string
		where           []claim.Condition
		versions        []claim.Version
		record, against string
		later           bool
		// missing is a figure or a version that only the missing item contains.
		missing string
	}{
		{"the last earlier version that uses less", nil,
			[]claim.Version{version("5", 10, 1), version("4", 9, 1), version("3", 2, 1), version("2", 1, 1)}, "5", "3", false, ""},
		{"versions with few clients do not count", nil,
			[]claim.Version{version("6", 1, 0), version("5", 10, 1), version("4", 0, 0), version("3", 2, 1)}, "5", "3", false, ""},
		{"an earlier version comes before a later one", only("4"),
			[]claim.Version{version("5", 1, 1), version("4", 10, 1), version("3", 2, 1)}, "4", "3", false, ""},
		{"the first later version", only("3"),
			[]claim.Version{version("6", 1, 1), version("5", 2, 1), version("4", 9, 1), version("3", 10, 1), version("2", 9, 1)}, "3", "5", true, ""},
		{"intervals that touch are not apart", nil,
			[]claim.Version{version("5", 10, 1), version("4", 8, 1)}, "5", "", false, "before 5"},
		{"no earlier version", nil,
			[]claim.Version{version("5", 10, 1)}, "5", "", false, "before 5"},
		{"earlier versions have few clients", nil,
			[]claim.Version{version("5", 10, 1), version("4", 9, 0), version("3", 9, 1), version("2", 8, 0)}, "5", "", false, "2 of the versions before 5"},
		{"no version has enough clients", nil,
			[]claim.Version{version("5", 10, 0), version("4", 9, 0)}, "", "", false, "version"},
		{"no versions", nil, nil, "", "", false, "versions"},
	} {
		s := &Suggestion{Claim: &claim.Claim{App: "com.mine", Hog: true, Conditions: c.where, Versions: c.versions}}
		found := s.againstVersion()
		if found != (c.against != "") || s.Version != c.record || s.Against != c.against || s.Later != c.later {
			t.Errorf("%s: version %q against %q, later %v, found %v; want %q against %q, later %v", c.name, s.Version, s.Against, s.Later, found, c.record, c.against, c.later)
		}
		if !found {
			if s.Kind != "" || len(s.Missing) != 1 || !strings.Contains(s.Missing[0], c.missing) {
				t.Errorf("%s: kind %q, missing %q, want one with %q", c.name, s.Kind, s.Missing, c.missing)
			}
			// Each reason has a different text.
			why := strings.Join(s.Missing, "; ")
			if other, ok := missed[why]; ok {
				t.Errorf("%s and %s both have %q", c.name, other, why)
			}
			missed[why] = c.name
			continue
		}
		if s.Kind != OtherVersion || len(s.Missing) > 0 {
			t.Errorf("%s: kind %q, missing %q", c.name, s.Kind, s.Missing)
		}
		for _, v := range c.versions {
			if v.Name == c.against && s.Less != v.Drain {
				t.Errorf("%s: the reference has %+v, want %+v", c.name, s.Less, v.Drain)
			}
		}
	}
}

// TestAgainstApp checks that the reference is the similar app with the smallest excess, in any
// order of the similar apps.
func TestAgainstApp(t *testing.T) {
	f, err := New(Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for app, excess := range map[string]int64{"com.little": 1, "com.less": 2, "com.same": 9} {
		var c within.Contrast
		for range 20 {
			c.Add(1000*excess, 1000)
		}
		c.Row(f.Sums.Row(sums.Key("app", app)))
	}
	for _, c := range []struct {
		similar string
		against string
		missing int
	}{
		{"com.little com.less", "com.little", 0},
		{"com.less com.little", "com.little", 0},
		{"com.less com.same", "com.less", 1},
		{"com.less com.rare com.little com.same", "com.little", 2},
		{"com.same", "", 1},
		{"", "", 1},
	} {
		s := &Suggestion{}
		f.againstApp(s, Drain{Excess: 10e-3, Half: 1e-3}, strings.Fields(c.similar))
		if s.Against != c.against || (s.Kind == SimilarApp) != (c.against != "") || len(s.Missing) != c.missing {
			t.Errorf("%q: the reference is %q, missing is %q", c.similar, s.Against, s.Missing)
		}
		if c.against != "" && s.Less != f.ownExcess(c.against) {
			t.Errorf("%q: the reference has %+v", c.similar, s.Less)
		}
	}
}
