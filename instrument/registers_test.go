package instrument

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestRegisters compares methods before and after rewriting with testdata/registers.txtar. It has
// the two cases of the paper on Orka (Section 4.1.3), a static method, a constructor, and methods
// with many registers.
func TestRegisters(t *testing.T) {
	code, err := os.ReadFile("testdata/Registers.dex")
	if err != nil {
		t.Fatal(err)
	}
	all, err := NewFilter([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	parts := single(archive(t, map[string][]byte{"AndroidManifest.xml": manifestOf("com.mine", ""), "classes.dex": code}))
	got := &txtar.Archive{Comment: []byte("Methods before and after rewriting, by TestRegisters.\n\n")}
	for _, method := range []string{"sixteen", "lastWide", "ofStatic", "<init>", "most", "tooMany"} {
		list, err := Print(t.Context(), parts, Options{Include: all}, "Registers."+method)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		after := list[0].After
		if after == "" {
			after = fmt.Sprintf("# without probes: %s\n", list[0].Reason)
		}
		got.Files = append(got.Files, txtar.File{Name: method + ", before", Data: []byte(list[0].Before)}, txtar.File{Name: method + ", after", Data: []byte(after)})
	}
	const golden = "testdata/registers.txtar"
	if *update {
		if err := os.WriteFile(golden, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(txtar.Format(got), want) {
		t.Errorf("the methods differ from %s; run the test with -update and read the difference:\n%s", golden, txtar.Format(got))
	}
}

// TestRegistersAssembled assembles testdata/Registers.smali and compares the dex file.
func TestRegistersAssembled(t *testing.T) {
	jars, _ := filepath.Glob("../.cache/smali/*.jar")
	if _, err := exec.LookPath("java"); err != nil || len(jars) == 0 {
		t.Skip("needs java and the assembler in .cache/smali, which scripts/deps gets")
	}
	out := filepath.Join(t.TempDir(), "classes.dex")
	text, err := exec.CommandContext(t.Context(), "java", "-XX:TieredStopAtLevel=1", "-cp", strings.Join(jars, string(filepath.ListSeparator)),
		"org.jf.smali.Main", "assemble", "--api", "28", "-o", out, "testdata/Registers.smali").CombinedOutput()
	if err != nil || len(text) > 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/Registers.dex")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("testdata/Registers.dex is not the code of Registers.smali")
	}
}
