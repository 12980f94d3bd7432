package classes

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/syntax"
)

func readBytes(data []byte, limits Limits) ([]Class, []*syntax.Error, error) {
	return Read("sample", bytes.NewReader(data), int64(len(data)), limits)
}

func TestReadKnowsEveryFormatByContent(t *testing.T) {
	module := makeClassFile(Class{Name: "module-info"})
	module[bytes.LastIndex(module, []byte{0x00, 0x21})] = 0x80 // access flags
	first := makeDex("041", 0, sampleActivity)
	container := append(first, makeDex("041", len(first), sampleNested, sampleIface)...)
	jar := makeZip(t, zipEntry{"a/B.class", makeClassFile(sampleNested)})
	all := []Class{sampleActivity, sampleNested, sampleIface}
	tests := []struct {
		name string
		data []byte
		want []Class
	}{
		{"class", makeClassFile(sampleActivity), all[:1]},
		{"module descriptor", module, nil},
		{"object", makeClassFile(Class{Name: objectClass}), []Class{{Name: objectClass}}},
		{"dex 035", makeDex("035", 0, all...), all},
		{"dex 040", makeDex("040", 0, all...), all},
		{"dex 041 container", container, all},
		{"empty dex", makeDex("038", 0), nil},
		{"empty zip", makeZip(t), nil},
		{"multidex apk", makeZip(t,
			zipEntry{"AndroidManifest.xml", []byte("\x03\x00\x08\x00 not one of ours")},
			zipEntry{"classes.dex", makeDex("039", 0, sampleActivity)},
			zipEntry{"assets/other.bin", makeDex("035", 0, sampleNested)},
			zipEntry{"classes3.dex", makeDex("037", 0, sampleIface)},
			zipEntry{"res/x", nil}), all},
		{"aar", makeZip(t, zipEntry{"classes.jar", jar}, zipEntry{"libs/x.jar", jar}), all[1:2]},
		{"aar in an aar", makeZip(t, zipEntry{"classes.jar", makeZip(t, zipEntry{"classes.jar", jar})}), nil},
		{"jmod", append([]byte("JM\x01\x00"), jar...), all[1:2]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, damaged, err := readBytes(test.data, Limits{})
			if err != nil || len(damaged) > 0 {
				t.Fatalf("Read: %v, damaged %v", err, damaged)
			}
			if len(got) != len(test.want) || len(got) > 0 && !reflect.DeepEqual(got, test.want) {
				t.Errorf("Read = %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestReadRejectsUnknownTables(t *testing.T) {
	for _, data := range []string{"", "dex", "dex\n034\x00", "dex\n099\x00", "hello, world", "\xca\xfe\xba\xbe\x00\x00\x00\x02"} {
		_, _, err := readBytes([]byte(data), Limits{})
		var bad *syntax.Error
		if !errors.As(err, &bad) || bad.File != "sample" {
			t.Errorf("Read(%q): %v, want a *syntax.Error", data, err)
		}
	}
}

func TestReadPathWalksFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a/readme.txt", []byte("text"))
	write("a/empty", nil)
	write("b/one", makeClassFile(sampleActivity))
	write("c.zip", makeZip(t, zipEntry{"x", makeClassFile(sampleIface)}))
	write("d.class", makeClassFile(sampleNested)[:40])
	ctx, cancel := context.WithCancel(context.Background())
	got, damaged, err := ReadPath(ctx, dir, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Class{sampleActivity, sampleIface}; !reflect.DeepEqual(got, want) {
		t.Errorf("ReadPath = %v, want %v", got, want)
	}
	if len(damaged) != 1 || damaged[0].File != filepath.Join(dir, "d.class") || damaged[0].Offset == 0 {
		t.Errorf("damaged = %v", damaged)
	}

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if linked, _, err := ReadPath(ctx, link, Limits{}); err != nil || !reflect.DeepEqual(linked, got) {
		t.Errorf("through a link: %v, %v", linked, err)
	}

	if _, _, err := ReadPath(ctx, filepath.Join(dir, "a/readme.txt"), Limits{}); !errors.Is(err, errUnknownFormat) {
		t.Errorf("a single text file: %v", err)
	}
	if _, _, err := ReadPath(ctx, filepath.Join(dir, "absent"), Limits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	cancel()
	if got, _, err := ReadPath(ctx, dir, Limits{}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("cancelled: %v, %v", got, err)
	}
}

// TestReadTruncated cuts samples at every offset. Reading must not panic, and must return only
// classes that the whole sample has.
func TestReadTruncated(t *testing.T) {
	first := makeDex("041", 0, sampleActivity)
	whole := map[string][]byte{
		"class": makeClassFile(sampleActivity),
		"dex":   makeDex("035", 0, sampleActivity, sampleNested),
		"dex41": append(first, makeDex("041", len(first), sampleNested)...),
		"zip":   makeZip(t, zipEntry{"a", makeClassFile(sampleActivity)}, zipEntry{"b", makeDex("035", 0, sampleNested)}),
	}
	for name, data := range whole {
		full, _, err := readBytes(data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		needed := len(data)
		if name == "class" {
			needed -= 6 // Nothing after the interfaces is read.
		}
		for n := range needed {
			got, damaged, err := readBytes(data[:n], Limits{})
			if err == nil && len(damaged) == 0 {
				// A container that is cut between two files is a complete container.
				if name == "dex41" && n == len(first) {
					continue
				}
				t.Errorf("%s cut at %d of %d: no complaint", name, n, len(data))
			}
			if len(got) > len(full) || len(got) > 0 && !reflect.DeepEqual(got, full[:len(got)]) {
				t.Errorf("%s cut at %d: read %v", name, n, got)
			}
		}
	}
}

func TestReadKeepsLimits(t *testing.T) {
	big := makeClassFile(sampleActivity)
	big = append(big, make([]byte, 1<<16)...)
	bomb := makeZip(t, zipEntry{"a", big}, zipEntry{"b", big}, zipEntry{"c", big})
	tests := []struct {
		limits Limits
		want   string
	}{
		{Limits{EntryBytes: 1 << 16}, "limit of 65536 bytes for one file"},
		{Limits{TotalBytes: 1 << 17}, "limit of 131072 bytes for all files"},
		{Limits{Classes: 2}, "limit of 2 classes"},
	}
	for _, test := range tests {
		got, _, err := readBytes(bomb, test.limits)
		var bad *syntax.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) || got != nil {
			t.Errorf("Read with %+v: %d classes, error %v; want %q", test.limits, len(got), err, test.want)
		}
	}
	// Entries without classes are not decompressed, so they do not count towards the limit.
	assets := makeZip(t, zipEntry{"a", make([]byte, 1<<20)}, zipEntry{"b", makeClassFile(sampleNested)})
	if got, _, err := readBytes(assets, Limits{TotalBytes: 1 << 10}); err != nil || len(got) != 1 {
		t.Errorf("assets: %v, %v", got, err)
	}
}

// TestDexOverlapIsRefused reads a small file in which all type names are suffixes of one long
// string. Expanding all names would fill the memory.
func TestDexOverlapIsRefused(t *testing.T) {
	classes := make([]Class, 200)
	for i := range classes {
		classes[i].Name = fmt.Sprint("C", i)
	}
	data := makeDex("035", 0, classes...)
	for i := range classes {
		binary.LittleEndian.PutUint32(data[0x70+4*i:], uint32(len(data)+i))
	}
	// Each L can also be read as the length of a string.
	data = append(data, strings.Repeat("L", 3000)+";\x00"...)
	_, damaged, err := readBytes(data, Limits{})
	if err != nil || len(damaged) != 1 || !strings.Contains(damaged[0].Error(), "overlap") {
		t.Errorf("Read: %v, damaged %v", err, damaged)
	}
}

func fuzzRead(t *testing.T, data []byte) {
	got, damaged, err := readBytes(data, Limits{TotalBytes: 1 << 24, EntryBytes: 1 << 22, Classes: 1 << 16})
	if err != nil && (got != nil || damaged != nil) {
		t.Errorf("results beside the error %v", err)
	}
	for _, d := range damaged {
		if d.Offset < 0 || d.Err == nil || d.File == "" {
			t.Errorf("damage without a place or cause: %+v", d)
		}
	}
	for _, class := range got {
		if class.Name == "" || strings.Contains(class.Name, "/") {
			t.Errorf("bad name %q", class.Name)
		}
		// Writing the class and reading it again must give the same class.
		again, err := readClassFile("again", makeClassFile(class))
		if len(class.Name) < 1000 && len(class.Interfaces) < 10 && (err != nil || !strings.Contains(class.Name, "\ufffd") && again.Name != class.Name) {
			t.Errorf("round trip of %+v: %+v, %v", class, again, err)
		}
	}
}

// FuzzClassFile checks the laws of fuzzRead for class files.
func FuzzClassFile(f *testing.F) {
	for _, class := range []Class{sampleActivity, sampleNested, sampleIface} {
		f.Add(makeClassFile(class)[8:])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		fuzzRead(t, append([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x34"), rest...))
	})
}

// FuzzDex checks the laws of fuzzRead for dex files.
func FuzzDex(f *testing.F) {
	first := makeDex("041", 0, sampleActivity)
	f.Add(makeDex("035", 0, sampleActivity, sampleNested)[8:], false)
	f.Add(append(first, makeDex("041", len(first), sampleIface)...)[8:], true)
	f.Fuzz(func(t *testing.T, rest []byte, container bool) {
		magic := "dex\n035\x00"
		if container {
			magic = "dex\n041\x00"
		}
		fuzzRead(t, append([]byte(magic), rest...))
	})
}

// FuzzArchive checks the laws of fuzzRead for archives.
func FuzzArchive(f *testing.F) {
	jar := makeZip(f, zipEntry{"a/B.class", makeClassFile(sampleNested)})
	f.Add(jar)
	f.Add(makeZip(f, zipEntry{"classes.jar", jar}, zipEntry{"classes.dex", makeDex("035", 0, sampleActivity)}))
	f.Add(append([]byte("JM\x01\x00"), jar...))
	f.Fuzz(fuzzRead)
}

// TestReadPathEndsEarly checks that canceling the context stops reading a file or a folder.
func TestReadPathEndsEarly(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "A.class")
	if err := os.WriteFile(file, makeClassFile(sampleActivity), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, path := range []string{file, folder} {
		if got, _, err := ReadPath(ctx, path, Limits{}); len(got) != 1 || err != nil {
			t.Fatalf("ReadPath(%s) = %+v, %v", path, got, err)
		}
	}
	cancel()
	for _, path := range []string{file, folder} {
		if got, _, err := ReadPath(ctx, path, Limits{}); len(got) != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("ReadPath(%s) of a cancelled context = %+v, %v", path, got, err)
		}
	}
}
