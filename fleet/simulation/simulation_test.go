package simulation

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/diffprof/diffprof/fleet/samples"
)

// TestLargeFleetsFollowOptions checks the numbers of samples and apps in fleets with Samples and
// Installed.
func TestLargeFleetsFollowOptions(t *testing.T) {
	made := New(Options{Seed: 1, Clients: 300, Apps: 20_000, Hogs: 40, Innocent: 245, Bugs: 30, Samples: 60, Installed: 100})
	samples, installed := 0, 0
	for i := range made.Clients {
		seen, last := map[int]bool{}, int64(-1)
		made.Client(i, func(s *Sample) {
			samples++
			if s.Time <= last {
				t.Fatalf("client %d has a sample at %d, not after the one at %d", i, s.Time, last)
			}
			last = s.Time
			for _, a := range s.Apps {
				seen[a] = true
			}
		})
		installed += len(seen)
	}
	if n := samples / made.Clients; n < 50 || n > 70 {
		t.Errorf("a client has %d samples, want 60", n)
	}
	if n := installed / made.Clients; n < 60 || n > 110 {
		t.Errorf("a client runs %d of 100 apps at some time", n)
	}
}

// TestFormatsHaveTheSameSamples counts the samples in each format.
func TestFormatsHaveTheSameSamples(t *testing.T) {
	made := New(Options{Seed: 1, Clients: 4, Apps: 30, Days: 1})
	var rows, table bytes.Buffer
	for format, to := range map[string]*bytes.Buffer{"csv": &rows, "parquet": &table} {
		if err := made.Write(to, format, context.Background().Err); err != nil {
			t.Fatal(err)
		}
	}
	all, err := parquet.Read[record](bytes.NewReader(table.Bytes()), int64(table.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(rows.Bytes(), []byte("\n")) - 1; lines != len(all) {
		t.Errorf("%d lines, %d rows of Parquet", lines, len(all))
	}
	if err := made.Write(&rows, "csv", func() error { return context.Canceled }); err == nil {
		t.Error("it goes on though it was stopped")
	}
}

// TestKindsOfApps counts the apps of each kind. A companion belongs to a hog, so a fleet without hogs
// has no companions.
func TestKindsOfApps(t *testing.T) {
	for hogs, want := range map[int]map[string]int{
		3: {Hog: 3, ByModel: 3, ByUser: 2, ByScreen: 2, Companion: 2}, 0: {ByModel: 3, ByUser: 2, ByScreen: 4},
	} {
		made := New(Options{Seed: 2, Clients: 400, Apps: 60, Hogs: hogs, Innocent: 9, Bugs: 5})
		got, of := map[string]int{}, map[int]bool{}
		for i, a := range made.Apps {
			if a.Kind != Plain {
				got[a.Kind]++
			}
			if (a.Kind == Hog) != (a.Drain > 0) || a.Drain > maxHog || a.Kind == Hog && a.Drain < minHog {
				t.Errorf("app %d is of the kind %s and uses %v", i, a.Kind, a.Drain)
			}
			if a.Kind == Companion {
				of[a.Of] = true
			}
			if a.Kind == Companion && (a.Of < 0 || made.Apps[a.Of].Kind != Hog) || a.Kind != Companion && a.Of != -1 {
				t.Errorf("app %d is of the kind %s and belongs to %d", i, a.Kind, a.Of)
			}
		}
		if !maps.Equal(got, want) || len(of) != want[Companion] {
			t.Errorf("%d hogs: the kinds are %v, want %v; companions of %d hogs", hogs, got, want, len(of))
		}
		if len(made.Bugs) != 5 {
			t.Errorf("%d bugs", len(made.Bugs))
		}
	}
}

// TestAppsRunAsTheirKinds checks when apps run: those of the screen only while it is on, those of a
// model mostly on its devices, and companions mostly with their hogs.
func TestAppsRunAsTheirKinds(t *testing.T) {
	made := New(Options{Seed: 3, Clients: 300, Apps: 40, Hogs: 2, Innocent: 8, Days: 2, Step: 2})
	var runs, dark [40]int
	var low, high, with, without int
	for i := range made.Clients {
		ran := map[int]bool{}
		level := 0
		made.Client(i, func(s *Sample) {
			if s.Level%2 != 0 || s.Level < 0 || s.Level > 100 || !s.Charging && level > 0 && s.Level > level {
				t.Fatalf("a level of %d after %d", s.Level, level)
			}
			level = s.Level
			if s.Charging {
				level = 0
			}
			on := map[int]bool{}
			for _, a := range s.Apps {
				on[a], ran[a] = true, true
				runs[a]++
				if !s.Screen {
					dark[a]++
				}
			}
			for a := range on {
				if made.Apps[a].Kind == Companion {
					if on[made.Apps[a].Of] {
						with++
					} else {
						without++
					}
				}
			}
		})
		for a := range ran {
			if made.Apps[a].Kind == ByModel && made.Model(i) < models/2 {
				low++
			} else if made.Apps[a].Kind == ByModel {
				high++
			}
		}
	}
	for i, a := range made.Apps {
		switch {
		case a.Kind == ByScreen && (runs[i] == 0 || dark[i] > 0):
			t.Errorf("app %d ran %d times, %d of them without the screen", i, runs[i], dark[i])
		case a.Kind == Hog && dark[i] == 0:
			t.Errorf("hog %d runs only while the screen is on", i)
		}
	}
	if high < 4*low || low == 0 {
		t.Errorf("an app of a model ran on %d of its devices and %d others", high, low)
	}
	if with < 2*without || without == 0 {
		t.Errorf("companions ran %d times with their hogs and %d times without", with, without)
	}
}

// TestVersionsOfAHog checks that about half of the clients have each version of the named hog.
func TestVersionsOfAHog(t *testing.T) {
	made := New(Options{Seed: 4, Clients: 400, Apps: 20, Hogs: 1, Named: &Named{Name: "com.shop", Version: "2", Before: "1"}})
	count := map[string]int{}
	for i := range made.Clients {
		for a := range made.Apps {
			if v := made.Version(i, a); made.Apps[a].Name == "com.shop" {
				count[v]++
			} else if v != "" {
				t.Fatalf("app %d has the version %s", a, v)
			}
		}
	}
	if len(count) != 2 || count["1"] < 150 || count["2"] < 150 || count["1"]+count["2"] != 400 {
		t.Errorf("the versions are %v", count)
	}
}

// TestSetHasTheSamples compares a set in memory with the samples of its clients.
func TestSetHasTheSamples(t *testing.T) {
	made := New(Options{Seed: 5, Clients: 3, Apps: 20, Days: 1, Step: 5})
	want := map[int64][]int32{}
	for i := range made.Clients {
		made.Client(i, func(s *Sample) {
			want[Start+s.Time*1000] = append(want[Start+s.Time*1000], int32(s.Level)*samples.Percent)
		})
	}
	n := 0
	set := made.Set([]byte("key"), 2)
	for part := range set.Parts() {
		if err := set.Each(t.Context(), part, func(c *samples.Client) error {
			for i, at := range c.Times {
				if n++; !slices.Contains(want[at], c.Levels[i]) || c.Steps[i] != 5*samples.Percent {
					t.Errorf("a sample at %d has the level %d and the step %d", at, c.Levels[i], c.Steps[i])
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	all := 0
	for _, levels := range want {
		all += len(levels)
	}
	if n != all {
		t.Errorf("%d samples, want %d", n, all)
	}
}
