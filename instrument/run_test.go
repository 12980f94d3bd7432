package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
)

// TestRun runs a program before and after rewriting, translated by enjarify, on a Java VM that
// verifies all classes. The output must be the same. Each enter must have its exit, also after
// exceptions and on other threads.
//
// The program is Shapes.java of code/dex, compiled by javac and by D8 9.5.28 with --min-api 21. The
// translation hides some errors in registers and locks. The verifier of code/dex finds these.
func TestRun(t *testing.T) {
	for _, tool := range []string{"enjarify", "javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	folder := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Env = append(os.Environ(), "PYTHONPATH=/usr/lib/python3/dist-packages")
		text, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, text)
		}
		return string(text)
	}
	run("javac", "-nowarn", "-d", folder, "testdata/Runtime.java")
	data, err := os.ReadFile("testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	translated := func(name string, data []byte) string {
		file := filepath.Join(folder, name+".dex")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		jar := filepath.Join(folder, name+".jar")
		run("/usr/bin/python3", "-O", "-m", "enjarify.main", "-f", "-o", jar, file)
		return run("java", "-Xverify:all", "-cp", jar+string(filepath.ListSeparator)+folder, "Shapes")
	}
	want := translated("original", data)
	got, counts, _ := strings.Cut(translated("rewritten", rewriteAll(t, data)), "\n")
	if got+"\n" != want {
		t.Errorf("the rewritten program prints\n%s\nwant\n%s", got, want)
	}
	if counts != "enters 224, exits 224, calls 142, unbalanced 0\n" {
		t.Error(counts)
	}
}

// rewriteAll inserts probes into all methods.
func rewriteAll(t *testing.T, data []byte) []byte {
	t.Helper()
	files, err := dex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	f := files[0]
	w, err := dex.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Targets(w)
	if err != nil {
		t.Fatal(err)
	}
	defined := make(map[uint16]bool)
	for _, c := range f.Classes {
		defined[uint16(c.Type)] = true
	}
	sites := int32(0)
	for i, m := range methodsOf(t, f) {
		err := Method(m.body, target, int32(i), parametersOf(f, m.Method), func(in *dex.BodyInstruction) (int32, bool) {
			sites++
			return sites, !defined[f.Methods[in.Index].Class]
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Replace(m.Index, func() (*dex.Body, error) { return m.body, nil })
	}
	out, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
