package smali_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/dex/smali"
)

var update = flag.Bool("update", false, "write testdata/Shapes.smali")

func parse(t *testing.T, path string) *dex.File {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, err := dex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// methods returns the smali code of all methods, by class.
func methods(t *testing.T, f *dex.File) map[string][]string {
	t.Helper()
	members, err := f.Members()
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string][]string)
	for i := range f.Classes {
		class := f.Descriptor(f.Classes[i].Type)
		for _, m := range slices.Concat(members[i].Direct, members[i].Virtual) {
			text, err := smali.Method(f, m)
			if err != nil {
				t.Fatal(err)
			}
			texts[class] = append(texts[class], text)
		}
	}
	return texts
}

// TestMethod prints a sample with switches, arrays, handlers, locks, call sites and wide values.
func TestMethod(t *testing.T) {
	var got strings.Builder
	texts := methods(t, parse(t, "../testdata/Shapes.dex"))
	for _, class := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&got, "# %s\n\n%s\n", class, strings.Join(texts[class], "\n"))
	}
	const golden = "testdata/Shapes.smali"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the text differs from %s; run the test with -update and read the difference", golden)
	}
}

// TestAssembled assembles the smali code with the assembler of the smali project, and prints the
// resulting DEX file again. The code must be the same.
func TestAssembled(t *testing.T) {
	jars, _ := filepath.Glob("../../../.cache/smali/*.jar")
	if _, err := exec.LookPath("java"); err != nil || len(jars) == 0 {
		t.Skip("needs java and the assembler in .cache/smali, which scripts/deps gets")
	}
	for _, name := range []string{"../testdata/Shapes.dex", "../../../instrument/testdata/Programs.dex", "../../../instrument/runtime/runtime.dex"} {
		f := parse(t, name)
		folder := t.TempDir()
		want := methods(t, f)
		count, skipped := 0, 0
		for i := range f.Classes {
			c := &f.Classes[i]
			class := f.Descriptor(c.Type)
			want[class] = slices.DeleteFunc(want[class], func(text string) bool {
				custom := strings.Contains(text, "call_site_")
				if custom {
					skipped++
				}
				return custom
			})
			text := fmt.Sprintf(".class public %s\n.super %s\n\n%s", class, f.Descriptor(c.Super), strings.Join(want[class], "\n"))
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.smali", i)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			count += len(want[class])
		}
		// The assembler exits with 0 even after errors, so the test checks that it wrote the file.
		out := filepath.Join(folder, "out.dex")
		report, err := exec.CommandContext(t.Context(), "java", "-XX:TieredStopAtLevel=1", "-cp", strings.Join(jars, string(filepath.ListSeparator)),
			"org.jf.smali.Main", "assemble", "--api", "28", "-o", out, folder).CombinedOutput()
		if err != nil || len(report) > 0 {
			t.Fatalf("%s: %v\n%.2000s", name, err, report)
		}
		got := methods(t, parse(t, out))
		for class := range want {
			slices.Sort(want[class])
			slices.Sort(got[class])
			for i := range want[class] {
				if i >= len(got[class]) || got[class][i] != want[class][i] {
					t.Fatalf("%s: %s:\n%s\nis read as\n%s", name, class, want[class][i], strings.Join(got[class][min(i, len(got[class])):], "\n"))
				}
			}
		}
		t.Logf("%s: %d methods, %d with call sites left out", filepath.Base(name), count, skipped)
	}
}

// FuzzMethod prints the methods of a file, which may be damaged.
func FuzzMethod(f *testing.F) {
	data, err := os.ReadFile("../testdata/Shapes.dex")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) { printAny(t, data) })
}

func printAny(t *testing.T, data []byte) {
	files, err := dex.Parse(data)
	if err != nil {
		return
	}
	for _, f := range files {
		members, err := f.Members()
		if err != nil {
			return
		}
		for _, class := range members {
			for _, m := range slices.Concat(class.Direct, class.Virtual) {
				if text, err := smali.Method(f, m); err == nil && !strings.HasSuffix(text, ".end method\n") {
					t.Errorf("the text ends with %.40q", text)
				}
			}
		}
	}
}

// TestDamaged prints the sample with every fifth byte changed.
func TestDamaged(t *testing.T) {
	data, err := os.ReadFile("../testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 5 {
		b := data[i]
		data[i] ^= 1 << (i % 8)
		printAny(t, data)
		data[i] = b
	}
}
