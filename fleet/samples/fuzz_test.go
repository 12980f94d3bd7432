package samples

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzFile fuzzes files of one format, which may be compressed.
func fuzzFile(f *testing.F, names []string, pack func([]byte) []byte, more ...string) {
	all := formats(f)
	for _, name := range names {
		f.Add(pack(all[name]))
	}
	for _, m := range more {
		f.Add(pack([]byte(m)))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "s")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = tryRead(t, path) // an error is allowed, a panic is not
	})
}

func FuzzCSV(f *testing.F) {
	fuzzFile(f, []string{"comma", "semicolon", "tab"}, same, "energyRate;batteryHealth\n0.004;Good\n", "id,sample_id,name\n1,2,com.a\n",
		"client,time,level\na,1e300,1e300\na,\"2024-01-01 00:00:00\",-1\n")
}

func FuzzJSON(f *testing.F) {
	fuzzFile(f, []string{"json"}, same, `{"uuid":"a","time":1563000000.5,"batteryLevel":81,"apps":[{"processName":"com.a","priority":"uninstalled"}],"androidFields":{"screenOn":1}}`)
}

func FuzzSQLite(f *testing.F)  { fuzzFile(f, []string{"sqlite"}, same) }
func FuzzParquet(f *testing.F) { fuzzFile(f, []string{"parquet"}, same) }
func FuzzGzip(f *testing.F)    { fuzzFile(f, []string{"comma", "parquet"}, gzipped(f)) }
func FuzzZstd(f *testing.F)    { fuzzFile(f, []string{"comma", "parquet"}, zstandard(f)) }

func FuzzLines(f *testing.F) {
	f.Add("a\t2024-01-01 00:00:00\t50\t\x1fcom.a\x1fcom.b\t\x1f1.0\x1f\n")
	f.Add("\\N\t\\N\t\\N\tcom.a com.b@1\t\n")
	f.Fuzz(func(t *testing.T, lines string) {
		set, err := ReadLines(context.Background(), strings.NewReader(lines), strings.Split("client,time,level,apps,versions", ","), Options{})
		if err != nil {
			return
		}
		defer set.Close()
		for p := range set.Parts() {
			if err := set.Each(context.Background(), p, func(*Client) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzMap(f *testing.F) {
	f.Add("columns: {who: client, when: time, charge: level, ignored: \"-\"}\nfeatures: [carrier]\nlevel: fraction\nstep: 5\ndaemons: [com.vendor.*]\n")
	f.Add("a: &a [*a, *a]\n")
	f.Add("step: .nan\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "map.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := ReadMap(path)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Errorf("an error of more than a line, or without the file: %q", err)
			}
			return
		}
		m.Roles([]string{"client", "a.b", ""})
		if !(m.Step >= 0 && m.Step <= 100) {
			t.Errorf("a step of %v", m.Step)
		}
	})
}
