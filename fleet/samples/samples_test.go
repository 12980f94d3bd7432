package samples

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// rows are the samples of two clients, the same in every format. The second client's samples are
// not sorted.
var rows = []struct {
	client, time string
	level        float64
	state        string
	apps         []string
	screen       string
}{
	{"b", "2024-01-01 00:10:00", 96, "discharging", []string{"com.a", "com.c"}, "1"},
	{"b", "2024-01-01 00:00:00", 97, "discharging", []string{"com.a", "com.a"}, "1"},
	{"a", "2024-01-01 00:00:00", 50, "charging", nil, "0"},
	{"a", "2024-01-01 01:00:00", 49, "discharging", []string{"com.b", "com.android.phone"}, "0"},
}

// golden is the expected result.
const golden = `client a: features screen
  2024-01-01T00:00:00Z 50 charging off
  2024-01-01T01:00:00Z 49 discharging off com.b
client b: features screen
  2024-01-01T00:00:00Z 97 discharging on com.a
  2024-01-01T00:10:00Z 96 discharging on com.a com.c
`

// TestAllFormatsSayTheSame writes the rows in every format, plain and compressed.
func TestAllFormatsSayTheSame(t *testing.T) {
	for name, content := range formats(t) {
		for packed, pack := range map[string]func([]byte) []byte{"": same, ".gz": gzipped(t), ".zst": zstandard(t)} {
			t.Run(name+packed, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "samples")
				if err := os.WriteFile(path, pack(content), 0o666); err != nil {
					t.Fatal(err)
				}
				if got := shown(t, Options{Paths: []string{path}}); got != golden {
					t.Errorf("read as\n%s, want\n%s", got, golden)
				}
			})
		}
	}
}

// TestUnsortedInputIsSortedOnDisk has a memory limit so small that almost every sample is written
// to its own file.
func TestUnsortedInputIsSortedOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, formats(t)["comma"], 0o666); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	if got := shown(t, Options{Paths: []string{path}, Memory: 100, Temp: temp}); got != golden {
		t.Errorf("read as\n%s, want\n%s", got, golden)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%d files are left behind", len(left))
	}
}

// TestOrderOfEqualTimesDoesNotMatter reads samples of one moment that differ only in their apps or
// in a feature, in two orders.
func TestOrderOfEqualTimesDoesNotMatter(t *testing.T) {
	lines := []string{
		"a,2024-01-01 00:00:00,97,discharging,com.b,1", "a,2024-01-01 00:00:00,97,discharging,com.a,1", "a,2024-01-01 00:00:00,97,discharging,com.a,0",
		"a,2024-01-01 00:10:00,96,discharging,com.c,0", "a,2024-01-01 00:10:00,96,discharging,com.c com.d,0",
	}
	var texts []string
	for range 2 {
		path := filepath.Join(t.TempDir(), "s.csv")
		if err := os.WriteFile(path, []byte("client,time,level,state,apps,screen\n"+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, shown(t, Options{Paths: []string{path}}))
		slices.Reverse(lines)
	}
	if texts[0] != texts[1] {
		t.Errorf("read as\n%s, and in the other order as\n%s", texts[0], texts[1])
	}
}

// TestGreenHub reads tables in GreenHub's layout: apps, networks and devices by number.
func TestGreenHub(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"samples.csv": `,id,device_id,timestamp,battery_state,battery_level,network_status,screen_on
0,11,7,2019-07-29 12:37:14,Discharging,0.96,WIFI,1
1,10,7,2019-07-29 12:32:13,Discharging,0.97,WIFI,1
2,12,8,2019-07-29 12:32:13,Discharging,97,LTE,0
`,
		"app_processes.csv": "id;sample_id;name;importance;version_name\n1;10;com.a;foreground;1.0\n2;10;com.x;Not Running;1\n3;11;com.a;service;1.1\n4;12;com.b;cached;\n",
		"devices.csv":       "id,model,manufacturer,os_version\n7,VS500PP,LGE,6.0.1\n8,AO5510,YU,5.1.1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const want = `client 7: features maker,model,network,os,screen
  2019-07-29T12:32:13Z 97 discharging lge VS500PP wifi 6.0.1 on com.a@1.0
  2019-07-29T12:37:14Z 96 discharging lge VS500PP wifi 6.0.1 on com.a@1.1
client 8: features maker,model,network,os,screen
  2019-07-29T12:32:13Z 97 discharging yu AO5510 lte 5.1.1 off com.b
`
	if got := shown(t, Options{Paths: []string{dir}}, "7", "8"); got != want {
		t.Errorf("read as\n%s, want\n%s", got, want)
	}
}

// TestCarat reads records in the format of Carat's tools.
func TestCarat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "carat.json")
	content := `{"uuid":"a","time":1563000000.5,"batteryLevel":81,"triggeredBy":"android.intent.action.BATTERY_CHANGED","batteryState":"discharging","apps":[{"processName":"com.a","priority":"Foreground app","versionCode":12},{"processName":"com.b","priority":"uninstalled"}],"networkStatus":"wifi","androidFields":{"screenOn":1}}
{"uuid":"a","time":1563000600,"batteryLevel":80,"batteryState":"discharging","apps":[{"processName":"com.a","versionCode":12}],"networkStatus":"wifi","androidFields":{"screenOn":0}}
`
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	const want = `client a: features network,screen
  2019-07-13T06:40:00Z 81 discharging wifi on com.a@12 changed
  2019-07-13T06:50:00Z 80 discharging wifi off com.a@12
`
	if got := shown(t, Options{Paths: []string{path}}, "a"); got != want {
		t.Errorf("read as\n%s, want\n%s", got, want)
	}
}

// TestMap reads columns that only a map defines.
func TestMap(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.csv"), []byte("who\twhen\tcharge\tcarrier\na\t1704067200\t0.5\tx\na\t1704067300\t0,4\tx\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "map.yaml")
	if err := os.WriteFile(file, []byte("columns: {who: client, when: time, charge: level}\nfeatures: [carrier]\nlevel: fraction\nstep: 10\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := ReadMap(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = "client a: features carrier\n  2024-01-01T00:00:00Z 50 unknown x\n  2024-01-01T00:01:40Z 40 unknown x\n"
	if got := shown(t, Options{Paths: []string{dir}, Map: *m}, "a"); got != want {
		t.Errorf("read as\n%s, want\n%s", got, want)
	}
	for text, say := range map[string]string{"colums: {}": "colums", "level: 5": "percent or fraction", "step: -1": "per cent"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMap(file); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want a word of %s", text, err, say)
		}
	}
}

// TestBadSamplesAreCounted has one sample with each fault, and one good sample.
func TestBadSamplesAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	content := "client,time,level\n,2024-01-01 00:00:00,50\na,1970-01-01 00:00:00,50\na,never,50\na,2024-01-01 00:00:00,-1\na,2024-01-01 00:00:00,NaN\na,2024-01-01 00:00:00,101\na,2024-01-01 00:00:00,50\n"
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := Open(context.Background(), Options{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var got []string
	for what, n := range set.Counts() {
		got = append(got, fmt.Sprint(n, " ", what))
	}
	slices.Sort(got)
	want := []string{"1 samples with a level over 100 %", "1 samples without a client", "2 samples whose time is missing, or not from 2007 to 2099", "2 samples without a level"}
	if !slices.Equal(got, want) {
		t.Errorf("counted %q, want %q", got, want)
	}
}

func same(b []byte) []byte { return b }

func gzipped(t testing.TB) func([]byte) []byte {
	return func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

func zstandard(t testing.TB) func([]byte) []byte {
	return func(b []byte) []byte {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return w.EncodeAll(b, nil)
	}
}

// formats returns the rows in each format.
func formats(t testing.TB) map[string][]byte {
	all := map[string][]byte{}
	for name, separator := range map[string]string{"comma": ",", "semicolon": ";", "tab": "\t"} {
		var b bytes.Buffer
		fmt.Fprintln(&b, strings.Join([]string{"client", "time", "level", "state", "apps", "screen"}, separator))
		for _, r := range rows {
			fmt.Fprintln(&b, strings.Join([]string{r.client, r.time, fmt.Sprint(r.level), r.state, strings.Join(r.apps, " "), r.screen}, separator))
		}
		all[name] = b.Bytes()
	}
	var b bytes.Buffer
	for _, r := range rows {
		fmt.Fprintf(&b, `{"client":%q,"time":%q,"level":%v,"state":%q,"apps":["%s"],"screen":%s}`+"\n", r.client, r.time, r.level, r.state, strings.Join(r.apps, `","`), r.screen)
	}
	all["json"] = bytes.ReplaceAll(b.Bytes(), []byte(`[""]`), []byte(`[]`))
	type sample struct {
		Client string   `parquet:"client,dict"`
		Time   string   `parquet:"time"`
		Level  float64  `parquet:"level"`
		State  *string  `parquet:"state,dict,optional"`
		Apps   []string `parquet:"apps,list,dict"`
		Screen int32    `parquet:"screen"`
	}
	var p bytes.Buffer
	w := parquet.NewGenericWriter[sample](&p, parquet.MaxRowsPerRowGroup(1), parquet.Compression(&parquet.Zstd))
	for _, r := range rows {
		s := sample{Client: r.client, Time: r.time, Level: r.level, State: &r.state, Apps: r.apps}
		if r.screen == "1" {
			s.Screen = 1
		}
		if _, err := w.Write([]sample{s}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all["parquet"] = p.Bytes()
	all["sqlite"] = database(t)
	return all
}

// database returns a SQLite file with the rows.
func database(t testing.TB) []byte {
	path := filepath.Join(t.TempDir(), "s.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE samples (client TEXT, time TEXT, level REAL, state TEXT, apps TEXT, screen INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if _, err := db.Exec("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?)", r.client, r.time, r.level, r.state, strings.Join(r.apps, ","), r.screen); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
