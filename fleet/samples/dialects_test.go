package samples

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// inUTF16 converts a text.
func inUTF16(order binary.AppendByteOrder, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestDialects writes the same samples in dialects of text files.
func TestDialects(t *testing.T) {
	const plain = "client,time,level,apps\nä,2024-01-01 00:00:00,97.5,com.a com.b\nä,2024-01-01 00:10:00,96,com.𝕏\n"
	const want = `client ä: features 
  2024-01-01T00:00:00Z 97.5 unknown com.a com.b
  2024-01-01T00:10:00Z 96 unknown com.𝕏
`
	with := strings.NewReplacer
	json := ""
	for i, line := range strings.Split(strings.TrimSpace(plain), "\n")[1:] {
		v := strings.Split(line, ",")
		json += fmt.Sprintf(`{"client":%q,"time":%q,"level":%s,"apps":["%s"]}`, v[0], v[1], v[2], strings.ReplaceAll(v[3], " ", `","`)) + strings.Repeat("\n", i+1)
	}
	for name, content := range map[string]string{
		"plain":                            plain,
		"UTF-8 with a byte order mark":     "\ufeff" + plain,
		"UTF-16, little endian":            inUTF16(binary.LittleEndian, "\ufeff"+plain),
		"UTF-16, big endian":               inUTF16(binary.BigEndian, "\ufeff"+plain),
		"UTF-16, without byte order mark":  inUTF16(binary.LittleEndian, plain),
		"UTF-16 of JSON":                   inUTF16(binary.LittleEndian, "\ufeff"+json),
		"JSON with a byte order mark":      "\ufeff" + json,
		"lines of Windows":                 strings.ReplaceAll(plain, "\n", "\r\n"),
		"semicolons with decimal commas":   with(",", ";", "97.5", "97,5").Replace(plain),
		"tabs":                             strings.ReplaceAll(plain, ",", "\t"),
		"bars":                             strings.ReplaceAll(plain, ",", "|"),
		"a line with the separator":        "sep=;\r\n" + strings.ReplaceAll(plain, ",", ";"),
		"a line with it, in UTF-16":        inUTF16(binary.LittleEndian, "\ufeffsep=;\n"+strings.ReplaceAll(plain, ",", ";")),
		"quotes":                           `"client","time","level","apps"` + "\n" + `"ä","2024-01-01 00:00:00","97,5","com.a,com.b"` + "\n" + `"ä","2024-01-01 00:10:00","96","com.𝕏"` + "\n",
		"quoted lines in unread columns":   strings.NewReplacer("apps\n", "apps,note\n", "com.b\n", "com.b,\"two\nlines, \"\"quoted\"\"\"\n", "𝕏\n", "𝕏,\n").Replace(plain),
		"times with zones":                 with("2024-01-01 00:00:00", "2024-01-01T01:00:00+0100", "2024-01-01 00:10:00", "2024-01-01 00:10:00 UTC").Replace(plain),
		"seconds and times in one column":  with("2024-01-01 00:00:00", "1704067200").Replace(plain),
		"names in capitals and with marks": with("client,time,level,apps", "Client,TIMESTAMP,battery-level,Apps").Replace(plain),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := shown(t, Options{Paths: []string{path}}, "ä"); got != want {
				t.Errorf("read as\n%s, want\n%s", got, want)
			}
		})
	}
}

// TestBadTexts checks that faults of texts are errors with the row, the column, and what to do.
func TestBadTexts(t *testing.T) {
	for content, want := range map[string]string{
		"client,time,level\ra,1704067200,97\r":                                                            `row 1: lines end with a carriage return alone; convert them: tr '\r' '\n'`,
		`{"client":"a","time":1704067200,"level":50} {"client":"b"}`:                                      `row 1: more text after the object`,
		"client,time,level\na,1704067200,97,5\n":                                                          `row 1: the row has more columns than the first line: 4, not 3; put a value that contains ',' in quotes`,
		"client,time,level,apps\na,1704067200,97,c\na,1704067800,96,com\x00x\n":                           `row 2: column apps: a NUL byte in "com\x00x"; a part of the file may not have been written`,
		"client,time,level,apps\na,1704067200,97,c\n" + strings.Repeat("\x00", 200) + "\n":                `row 2: `,
		`{"client":"a","time":1704067200,"level":50,"apps":["c\u0000d"]}`:                                 `row 1: column apps: a NUL byte in "c\x00d"`,
		"client,time,level,apps\na,1704067200,97,\"com.x\na,1704067800,96,c\n":                            `row 1: column apps: the value in quotes has a whole row in it; the quote at its end is missing`,
		"client,time,level,apps\na,1704067200,97,\"com.x\na,1704067800,96,\"com.y,com.z\"\n":              `row 1: column apps: the value in quotes has a whole row in it`,
		"client,note,time,level\na,\"x,1704067200,97\na,y,1704067800,96\n":                                `row 1: the row has fewer columns than the first line: 2, not 4; the quote at the end of a value is missing`,
		inUTF16(binary.LittleEndian, "\ufeffclient,time,level\na,1704067200,97\nb,1704067800,96\n") + "c": "row 3: the text is in UTF-16, but has an odd number of bytes",
		"client,time,level,apps,processes\n":                                                              "apps and processes may each be the apps; --map FILE chooses one",
	} {
		set, err := read(t, "s", content, Map{})
		for part := 0; err == nil && part < set.Parts(); part++ {
			err = set.Each(context.Background(), part, func(*Client) error { return nil })
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s", content, err, want)
		}
	}
}

// TestListsInJSON checks that a map can assign a role to any list in JSON lines. A list without a
// role is a column that is not read.
func TestListsInJSON(t *testing.T) {
	const content = `{"client":"a","time":1704067200,"level":90,"running":["com.x@1",{"name":"com.y","importance":"gone"}]}` + "\n"
	set, err := read(t, "s", content, Map{})
	if err != nil || !slices.Equal(set.Unused, []string{"running"}) {
		t.Errorf("%v, not read are %q", err, set.Unused)
	}
	set, err = read(t, "s", content, Map{Columns: map[string]string{"running": "apps"}})
	if err != nil {
		t.Fatal(err)
	}
	err = set.Each(context.Background(), 0, func(c *Client) error {
		if len(c.Entries) != 1 || set.Names.Text(c.Entries[0].App) != "com.x" {
			t.Errorf("the client ran %v", c.Entries)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStatesOfAPlatform has clients with unusual codes. For each sample, levels has a letter: the
// level falls (f), rises (r) or stays (s). codes has a digit for each sample.
func TestStatesOfAPlatform(t *testing.T) {
	for name, c := range map[string]struct {
		levels, codes, platform, want string
		unknown                       string
	}{
		"Android with a code that it does not have": {levels: "sfffrrrf", codes: "03332223", want: "?---+++-", unknown: "code 0"},
		"iOS, unplugged only":                       {levels: "sff", codes: "111", want: "---"},
		"charging or not, charging only":            {levels: "srr", codes: "111", want: "+++"},
		"no platform decides":                       {levels: "sss", codes: "111", want: "???"},
		"a platform of the map":                     {levels: "sss", codes: "111", platform: "ios", want: "---"},
		"full on Android, while nothing moves":      {levels: "sss", codes: "555", want: "+++"},
		"a code of no platform":                     {levels: "sff", codes: "144", platform: "ios", want: "-??", unknown: "code 4"},
	} {
		t.Run(name, func(t *testing.T) {
			content := "client,time,level,state\n"
			level := 50
			for i, move := range c.levels {
				level += map[rune]int{'f': -2, 'r': 2}[move]
				content += fmt.Sprintf("a,%d,%d,%c\n", 1_704_067_200+600*i, level, c.codes[i])
			}
			set, err := read(t, "s.csv", content, Map{States: c.platform})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			err = set.Each(context.Background(), 0, func(c *Client) error {
				for _, s := range c.States {
					got += string("?-+"[s])
				}
				return nil
			})
			if err != nil || got != c.want {
				t.Errorf("states are %s, want %s; %v", got, c.want, err)
			}
			var unknown []string
			for what := range set.Counts() {
				unknown = append(unknown, strings.TrimPrefix(what, unknownStates+": "))
			}
			if strings.Join(unknown, " ") != c.unknown {
				t.Errorf("unknown are %q, want %q", unknown, c.unknown)
			}
		})
	}
	if _, err := read(t, "s.csv", "client,time,level\n", Map{States: "symbian"}); err == nil || !strings.Contains(err.Error(), "write charging, android, ios") {
		t.Error(err)
	}
}

// TestLayoutsOfFiles counts files with equal columns as one layout.
func TestLayoutsOfFiles(t *testing.T) {
	folder := t.TempDir()
	for name, head := range map[string]string{"a.csv": "client,time,level", "b.csv": "client,time,battery_level", "c.csv": "client,time,battery_level", "d.csv": "client,time,level"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(head+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Open(context.Background(), Options{Paths: []string{folder}, Show: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var got []string
	for _, l := range set.Layouts {
		got = append(got, fmt.Sprintf("%d like %s", l.Files, filepath.Base(l.File)))
	}
	if want := []string{"2 like a.csv", "2 like b.csv"}; !slices.Equal(got, want) {
		t.Errorf("layouts are %q, want %q", got, want)
	}
}

// TestLayouts checks how columns are shown, and that a fault is shown with the first line that has
// it.
func TestLayouts(t *testing.T) {
	const content = "_id,ID,when,battery_level,net\nx1,client1,1704067200,90,\nx2,client1,soon,89,lte\nx3,client2,1704067300,,lte\nx4,client2,2024-13-01,88,\n"
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	m := Map{Columns: map[string]string{"ID": "client", "_id": "-", "when": "time"}, Features: []string{"net"}}
	set, err := Open(context.Background(), Options{Paths: []string{path}, Map: m, Show: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var got []string
	for _, c := range set.Layouts[0].Columns {
		got = append(got, fmt.Sprintf("%s %s %q %d of %d", c.Name, c.Role, c.Values, c.Different, c.Rows))
	}
	want := []string{
		`_id  ["x1" "x2" "x3"] 4 of 4`, `ID client ["cli…" "cli…"] 2 of 4`,
		`when time ["1704067200 (2024-01-01 00:00:00 UTC)" "soon (no time)" "1704067300 (2024-01-01 00:01:40 UTC)"] 4 of 4`,
		`battery_level level ["90" "89" "88"] 3 of 4`, `net net ["lte"] 1 of 4`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("shown are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var faults []string
	for _, f := range set.Faults() {
		faults = append(faults, fmt.Sprintf("%d %s: row %d, column %s, %q", f.N, f.What, f.Row, f.Column, f.Value))
	}
	want = []string{
		`2 samples whose time is missing, or not from 2007 to 2099: row 2, column when, "soon"`,
		`1 samples without a level: row 3, column battery_level, ""`,
	}
	if !slices.Equal(faults, want) {
		t.Errorf("faults are %q, want %q", faults, want)
	}
}
