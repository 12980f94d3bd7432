package analysis

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// TestDefaults checks that a setup has all defaults, and that memory is bounded unless the caller
// disables the bound.
func TestDefaults(t *testing.T) {
	s, err := newSetup(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := s.options
	all := preprocess.AllSteps()
	if o.Voltage != units.DefaultVoltage || *o.Merge != all || o.MaxMemory <= 0 || o.MaxMemory > math.MaxInt64/4*3 {
		t.Errorf("options %+v", o)
	}
	if s, err = newSetup(t.Context(), Options{MaxMemory: -1}); err != nil || s.options.MaxMemory != math.MaxInt64 {
		t.Errorf("unbounded: %d bytes (%v)", s.options.MaxMemory, err)
	}
}

// TestFiles checks that each file in the options is listed once. Built-in power models, stored runs
// and empty options are no files.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte("main 1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	subject, meter, model := path("new.folded"), path("meter.csv"), path("mine.yaml")
	o := Options{
		Subject:    Side{Path: subject, With: []string{meter}},
		Reference:  Side{Path: "history:4f2c1a", With: []string{meter}},
		PowerModel: "lte," + model,
		Classpath:  []string{subject},
	}
	if got, want := o.Files(), []string{model, subject, meter}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// TestPlaceholderPower checks that a power model counts as a placeholder if its running processor
// takes less than 1 mA.
func TestPlaceholderPower(t *testing.T) {
	for power, placeholder := range map[units.Power]bool{3700: false, 3699: true, 444_000: false, 0: true} {
		cpu := &model.CPU{Clusters: []model.Cluster{{Name: "big", Points: []model.Point{{Frequency: 1, Active: power}}}}}
		s := &setup{device: &model.Device{Voltage: 3_700_000, CPU: cpu}}
		s.powerByModel()
		warned := len(s.power.Warnings) == 1 && s.power.Warnings[0].Code == "placeholder-profile"
		if warned != placeholder || s.power.Power != power {
			t.Errorf("%v: %+v", power, s.power)
		}
	}
}
