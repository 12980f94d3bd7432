package samples

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSketchCountsClients checks that a sketch gives an upper bound of the clients of each name,
// which is exact for a few names, and estimates the number of apps.
func TestSketchCountsClients(t *testing.T) {
	s := newSketch()
	const names = 3000
	exact := 0
	for n := range uint32(names) {
		want := int(1 + n%7)
		for i := range want {
			if got := s.add(n*2654435761, n%3 == 0); got == i+1 {
				exact++
			} else if got < i+1 {
				t.Fatalf("client %d of name %d is counted as %d", i+1, n, got)
			}
		}
	}
	if all := names * 4; exact < all*99/100 {
		t.Errorf("%d of about %d counts are exact", exact, all)
	}
	if got := s.appNames(); math.Abs(got-names/3) > 5 {
		t.Errorf("%.1f apps, want %d", got, names/3)
	}
	if got := newSketch().appNames(); got != 0 {
		t.Errorf("%v apps of none", got)
	}
	for range 400 {
		s.add(7, true)
	}
	if got := s.add(7, true); got != math.MaxUint8 {
		t.Errorf("a frequent name is counted %d times, want 255", got)
	}
}

// TestFindCommon counts the clients of apps, versions and values. Names of fewer than five clients
// are rare.
func TestFindCommon(t *testing.T) {
	var b strings.Builder
	b.WriteString("client,time,level,state,apps,carrier\n")
	for client := range 8 {
		for minute := range 3 {
			apps := []string{"com.all", fmt.Sprint("com.own", client)}
			if client < 5 {
				apps = append(apps, "com.five")
			}
			if client < 4 {
				apps = append(apps, "com.four")
			}
			carrier := "one"
			if client < 3 {
				carrier = "three"
			}
			fmt.Fprintf(&b, "c%d,2024-01-01 00:%02d:00,%d,discharging,%s,%s\n", client, 10*minute, 90-minute, strings.Join(apps, ";"), carrier)
		}
	}
	path := filepath.Join(t.TempDir(), "samples.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Paths: []string{path}, Map: Map{Features: []string{"carrier"}}}
	common, err := FindCommon(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	names := NewNames()
	var got []string
	for _, name := range []string{"com.all", "com.five", "com.four", "com.own1", "one", "three"} {
		if common.has(names.hash(names.ID(name))) {
			got = append(got, name)
		}
	}
	// com.four and the eight own apps are rare.
	if text := strings.Join(got, " "); text != "com.all com.five one" || common.Len() != 3 || common.RareApps() != 9 || common.counting() {
		t.Errorf("common are %s of %d, and %d apps are rare", text, common.Len(), common.RareApps())
	}
	o.Common = common
	set, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if set.RareApps != 9 {
		t.Errorf("%d rare apps are left out", set.RareApps)
	}
}
