package samples

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// read reads a file with some content.
func read(t *testing.T, name, content string, m Map) (*Set, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Open(context.Background(), Options{Paths: []string{path}, Map: m})
	if err == nil {
		t.Cleanup(set.Close)
	}
	return set, err
}

// TestStates checks the states of platforms by their codes, and that unknown codes are counted.
func TestStates(t *testing.T) {
	for codes, want := range map[[2]string][2]State{
		{"3", "2"}: {Discharging, Charging}, {"1", "2"}: {Discharging, Charging}, {"0", "1"}: {Discharging, Charging},
		{"4", "5"}: {Discharging, Charging}, {"1", "3"}: {Discharging, Charging}, {"Unplugged", "Full"}: {Discharging, Charging},
		{"BATTERY_STATUS_DISCHARGING", "BATTERY_STATUS_CHARGING"}: {Discharging, Charging}, {"9", "purple"}: {Unknown, Unknown},
	} {
		var b strings.Builder
		b.WriteString("client,time,level,state\n")
		for i := range 20 {
			level, code := 90-3*i, codes[0]
			if i >= 10 {
				level, code = 60+3*(i-10), codes[1]
			}
			fmt.Fprintf(&b, "a,%d,%d,%s\n", 1_700_000_000+600*i, level, code)
		}
		set, err := read(t, "s.csv", b.String(), Map{})
		if err != nil {
			t.Fatal(err)
		}
		err = set.Each(context.Background(), 0, func(c *Client) error {
			if got := [2]State{c.States[0], c.States[19]}; got != want {
				t.Errorf("%v: %v, want %v", codes, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := set.Counts()[unknownStates]; (n == 20) != (codes[0] == "9") {
			t.Errorf("%v: %d unknown", codes, n)
		}
	}
}

// TestTwoCandidates checks that an exact name wins, and that two columns for one role are an error.
func TestTwoCandidates(t *testing.T) {
	content := "_id,ID,time,level\nx1,a,1700000000,90\nx2,a,1700000600,80\n"
	for range 20 {
		set, err := read(t, "s.csv", content, Map{Columns: map[string]string{"ID": "client", "_id": "-"}})
		if err != nil {
			t.Fatal(err)
		}
		clients := 0
		for part := range set.Parts() {
			if err := set.Each(context.Background(), part, func(*Client) error { clients++; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if clients != 1 {
			t.Fatalf("%d clients", clients)
		}
	}
	if set, err := read(t, "s.csv", content, Map{Columns: map[string]string{"ID": "client"}}); err != nil || slices.Contains(set.Features, "ID") {
		t.Fatal(err)
	}
	for _, columns := range []string{"uuid,device_id,time,level", "client,time,time stamp,level", "client,time,Level,level"} {
		_, err := read(t, "s.csv", columns+"\na,b,1700000000,90\n", Map{})
		if !errors.Is(err, errTwo) {
			t.Errorf("%s: %v", columns, err)
		}
	}
}

// TestVersionsInLists checks that name@version is split in a list as in a text.
func TestVersionsInLists(t *testing.T) {
	for name, content := range map[string]string{
		"s.csv":  "client,time,level,apps\na,1700000000,90,com.x@1.0\n",
		"s.json": `{"client":"a","time":1700000000,"level":90,"apps":["com.x@1.0"]}` + "\n",
	} {
		set, err := read(t, name, content, Map{})
		if err != nil {
			t.Fatal(err)
		}
		err = set.Each(context.Background(), 0, func(c *Client) error {
			if e := c.Entries[0]; set.Names.Text(e.App) != "com.x" || set.Names.Text(e.Version) != "1.0" {
				t.Errorf("%s: %s %s", name, set.Names.Text(e.App), set.Names.Text(e.Version))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
