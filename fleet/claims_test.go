package fleet_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// named analyzes a generated fleet whose most frequent hog is described by n.
func named(t *testing.T, n simulation.Named) (*fleet.Fleet, *simulation.Fleet) {
	t.Helper()
	made := simulation.New(simulation.Options{Seed: 1, Clients: 110, Apps: 60, Hogs: 4, Innocent: 8, Days: 5, Named: &n})
	f, err := fleet.Analyze(context.Background(), made.Set(nil, 4), fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f, made
}

// truth returns the true excess of the named hog.
func truth(made *simulation.Fleet) float64 {
	return made.Apps[slices.IndexFunc(made.Apps, func(a simulation.App) bool { return a.Named != nil })].Drain
}

// TestSuggestTheVersion has a hog whose new version uses more energy on mobile data. The suggestion
// is to record this version on mobile data, and to compare it with the old version. The interval
// contains the true excess.
func TestSuggestTheVersion(t *testing.T) {
	f, made := named(t, simulation.Named{Name: "com.mine", Version: "4.12", Before: "4.9", Mobile: true})
	s, err := f.Suggest("com.mine", nil)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	if s.Version != "4.12" || s.Kind != fleet.OtherVersion || s.Against != "4.9" {
		t.Errorf("version %q against %s %q, missing %q", s.Version, s.Kind, s.Against, s.Missing)
	}
	mobile := claim.Condition{Feature: samples.Network, Value: "mobile"}
	if !slices.Contains(s.Claim.Conditions, mobile) || !slices.Equal(s.Claim.Components(), []string{"cellular"}) {
		t.Errorf("it drains where %v, by %v", s.Claim.Conditions, s.Claim.Components())
	}
	if at, want := s.Claim.At, truth(made); at.Least() > want || at.Most() < want {
		t.Errorf("it drains %v ± %v, in truth %v", at.Excess, at.Half, want)
	}
	if s.Less.Least() > 0 || s.Less.Most() < 0 {
		t.Errorf("the old version drains %v ± %v, in truth nothing", s.Less.Excess, s.Less.Half)
	}
	if names := []string{s.Claim.Versions[0].Name, s.Claim.Versions[1].Name}; !slices.Equal(names, []string{"4.12", "4.9"}) {
		t.Errorf("versions are %v", names)
	}
}

// TestSuggestTheMendedVersion has a hog that is fixed in its newest version. The suggestion is to
// record the previous version, and to compare it with the newest version.
func TestSuggestTheMendedVersion(t *testing.T) {
	f, made := named(t, simulation.Named{Name: "com.mine", Version: "4.9", Before: "4.12"})
	s, err := f.Suggest("com.mine", nil)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	if s.Version != "4.9" || s.Kind != fleet.OtherVersion || s.Against != "4.12" || !s.Later {
		t.Errorf("version %q against %s %q, missing %q", s.Version, s.Kind, s.Against, s.Missing)
	}
	if at, want := s.Claim.At, truth(made); at.Least() > want || at.Most() < want {
		t.Errorf("it drains %v ± %v, in truth %v", at.Excess, at.Half, want)
	}
}

// TestSuggestTheDevice has an app with a bug on one device. The suggestion is to record the app on
// this device and on another device.
func TestSuggestTheDevice(t *testing.T) {
	f := comesAndGoes(t, fleet.Within, "org.wikipedia", 120, 120, func(pause int64) int64 { return pause / 2 })
	s, err := f.Suggest("org.wikipedia", nil)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	if s.Kind != fleet.OtherDevice || !slices.Equal(s.Devices, []string{fleet.ClientKey(1)}) || s.Version != "" {
		t.Errorf("%+v", s)
	}
	if bugs, _ := f.Bugs(); len(bugs) != 1 || s.Claim.At != bugs[0].Drain {
		t.Errorf("it drains %+v, its bugs %+v", s.Claim.At, bugs)
	}
}

// TestSuggestTheCondition has a fleet without versions. The reference is then the same app without
// the condition.
func TestSuggestTheCondition(t *testing.T) {
	f, _ := named(t, simulation.Named{Name: "com.mine", Mobile: true})
	s, err := f.Suggest("com.mine", nil)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	if s.Version != "" || s.Kind != fleet.WithoutCondition || s.Without.Feature != samples.Network {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(strings.Join(s.Missing, "\n"), "no versions") {
		t.Errorf("missing is %q", s.Missing)
	}
}

// TestSuggestSimilarApps has a hog with the same excess under all conditions. It is compared with
// the app that has the smallest excess among the apps that the user names. If the user names no
// apps, the answer lists what is missing.
func TestSuggestSimilarApps(t *testing.T) {
	f, made := named(t, simulation.Named{Name: "com.mine"})
	s, err := f.Suggest("com.mine", nil)
	if err != nil || s.Kind != "" || !strings.Contains(strings.Join(s.Missing, "\n"), "no similar apps") {
		t.Fatalf("%+v %v", s, err)
	}
	lean := made.Apps[slices.IndexFunc(made.Apps, func(a simulation.App) bool { return a.Kind == simulation.Plain })].Name
	s, err = f.Suggest("com.mine", []string{"com.nobody", lean})
	if err != nil || s.Kind != fleet.SimilarApp || s.Against != lean || !strings.Contains(strings.Join(s.Missing, "\n"), "com.nobody ran on too few") {
		t.Errorf("%+v %v, want %s", s, err, lean)
	}
	if s, err = f.Suggest(lean, nil); err != nil || s.Kind != "" || !strings.Contains(s.Missing[0], "neither a hog") {
		t.Errorf("of an app that is no hog: %+v %v", s, err)
	}
	if s, err = f.Suggest("com.nobody", nil); err != nil || s != nil {
		t.Errorf("of an app that nobody ran: %+v %v", s, err)
	}
}

// TestGroupsAreNotShown checks that conditions of fewer than MinGroup clients are not shown, even
// if these clients have many cells.
func TestGroupsAreNotShown(t *testing.T) {
	names := samples.NewNames()
	app, other := names.ID("com.a"), names.ID("com.other")
	rare, common, on, off := names.ID("rare"), names.ID("common"), names.ID("on"), names.ID("off")
	var clients []*samples.Client
	for i := range 40 {
		c := samples.NewClient(samples.ID(i+1)*0x9e3779b97f4a7c15, 3)
		at := int64(simulation.Start)
		for n := range 90 {
			s := samples.Sample{Time: at, Level: int32(100-n) * samples.Percent, Apps: []uint32{other}}
			model, pause := common, int64(1200+(n*7+i*3)%50)
			if i < 3 {
				model = rare
			}
			if n%8 < 4 {
				s.Apps, pause = append(s.Apps, app), int64(600+(n*5+i*3)%40)
				if i < 3 {
					pause = 100 // these clients use far more energy
				}
			}
			network, screen := on, off
			if n%30 < 15 {
				network = off
			}
			if n%60 < 30 {
				screen = on
			}
			s.Features = []uint32{screen, model, network}
			c.Add(&s)
			at += pause * 1000
		}
		clients = append(clients, c)
	}
	f, err := fleet.Analyze(context.Background(), samples.InMemory(names, simulation.Features, clients, 2), fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Claim("com.a")
	if err != nil || c == nil || !c.Hog {
		t.Fatal(c, err)
	}
	root := f.Tree("com.a")
	for _, n := range []string{"rare", "common"} {
		for _, where := range append(c.Conditions, root.Path...) {
			if where.Value == n {
				t.Errorf("the tree tells %v, which is a group of three clients or all but those", where)
			}
		}
	}
	if root.With != nil && root.With.Path[0].Feature == samples.Model {
		t.Errorf("the tree is split by %v", root.With.Path)
	}
}
