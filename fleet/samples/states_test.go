package samples

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
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
		if n := set.Counts(); (n[unknownStates] == 10 && n[unknownStates+": code 9"] == 10) != (codes[0] == "9") {
			t.Errorf("%v: %v", codes, n)
		}
	}
}

// TestTextsOfStatesAreNotCounted checks that the counts of faults never contain a text of the
// input, because the file of a fleet has these counts.
func TestTextsOfStatesAreNotCounted(t *testing.T) {
	set, err := read(t, "s.csv", "client,time,level,state\na,1700000000,90,secret of a user\na,1700000600,89,490154203237518\na,1700001200,88,-7\n", Map{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{unknownStates: 2, unknownStates + ": code -7": 1}
	if got := set.Counts(); !maps.Equal(got, want) {
		t.Errorf("the counts are %v, want %v", got, want)
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

// TestVersionsInLists checks that name@version is split alike in all formats and kinds of lists.
func TestVersionsInLists(t *testing.T) {
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	type row struct {
		Client string   `parquet:"client"`
		Time   int64    `parquet:"time"`
		Level  int64    `parquet:"level"`
		Apps   []string `parquet:"apps,list"`
	}
	lists := filepath.Join(t.TempDir(), "lists.parquet")
	if err := parquet.WriteFile(lists, []row{{"a", 1700000000, 90, []string{"com.x@1.0"}}}); err != nil {
		t.Fatal(err)
	}
	joined := t.TempDir()
	for name, content := range map[string]string{
		"samples.csv": "id,device_id,timestamp,battery_level\n7,a,1700000000,90\n", "processes.csv": "sample_id,name\n7,com.x@1.0\n",
	} {
		if err := os.WriteFile(filepath.Join(joined, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(path string) func() (*Set, error) {
		return func() (*Set, error) { return Open(context.Background(), Options{Paths: []string{path}}) }
	}
	lines := func(line string) func() (*Set, error) {
		return func() (*Set, error) {
			return ReadLines(context.Background(), strings.NewReader(line), []string{"client", "time", "level", "apps"}, Options{})
		}
	}
	for name, read := range map[string]func() (*Set, error){
		"text":            open(write("s.csv", "client,time,level,apps\na,1700000000,90,com.x@1.0\n")),
		"versions":        open(write("s.json", `{"client":"a","time":1700000000,"level":90,"apps":[{"name":"com.x@9","version":"1.0"}]}`+"\n")),
		"JSON":            open(write("s.json", `{"client":"a","time":1700000000,"level":90,"apps":["com.x@1.0"]}`+"\n")),
		"JSON objects":    open(write("s.json", `{"client":"a","time":1700000000,"level":90,"apps":[{"processName":"com.x@1.0"}]}`+"\n")),
		"Parquet lists":   open(lists),
		"GreenHub":        open(joined),
		"lines":           lines("a\t1700000000\t90\tcom.x@1.0\n"),
		"lists of lines":  lines("a\t1700000000\t90\t" + ListMark + "com.x@1.0\n"),
		"lists in a text": open(write("s.csv", "client,time,level,apps\na,1700000000,90,\"['com.x@1.0']\"\n")),
	} {
		set, err := read()
		if err != nil {
			t.Fatal(name, err)
		}
		n := 0
		for part := range set.Parts() {
			err = set.Each(context.Background(), part, func(c *Client) error {
				n++
				if len(c.Entries) != 1 || set.Names.Text(c.Entries[0].App) != "com.x" || set.Names.Text(c.Entries[0].Version) != "1.0" {
					t.Errorf("%s: %v, %s %s", name, c.Entries, set.Names.Text(c.Entries[0].App), set.Names.Text(c.Entries[0].Version))
				}
				return nil
			})
		}
		if err != nil || n != 1 {
			t.Errorf("%s: %d clients, %v", name, n, err)
		}
		set.Close()
	}
}

// TestScreens checks the words for the state of the screen. A word that is not known is counted.
func TestScreens(t *testing.T) {
	var rows strings.Builder
	for i, word := range []string{"Yes", "No", "on", "0", "Y", "Locked", "bright", ""} {
		fmt.Fprintf(&rows, "a,%d,%d,%s\n", 1_700_000_000+600*i, 90-i, word)
	}
	set, err := read(t, "s.csv", "client,time,level,screen\n"+rows.String(), Map{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for part := range set.Parts() {
		err := set.Each(context.Background(), part, func(c *Client) error {
			for _, v := range c.Features[set.Feature(Screen)] {
				got = append(got, set.Names.Text(v))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"on", "off", "on", "off", "on", "off", "", ""}; !slices.Equal(got, want) {
		t.Errorf("the screen is %q, want %q", got, want)
	}
	faults := set.Faults()
	if len(faults) != 1 || faults[0].What != unknownScreens || faults[0].N != 1 || faults[0].Row != 7 || faults[0].Value != "bright" || faults[0].Column != "screen" {
		t.Errorf("the faults are %+v", faults)
	}
}
