package bytecode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestParseAgreesWithJavap compiles the sources of code/source's javac test and compares the calls
// with the output of javap. It also checks that a truncated class file is an error.
func TestParseAgreesWithJavap(t *testing.T) {
	for _, tool := range []string{"javac", "javap"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on this machine: %v", tool, err)
		}
	}
	out := t.TempDir()
	if text, err := exec.Command("javac", "-g", "-nowarn", "-d", out, "../source/testdata/javac/Names.java").CombinedOutput(); err != nil {
		t.Skipf("this javac cannot compile the sources: %v\n%s", err, text)
	}
	files, err := filepath.Glob(filepath.Join(out, "*", "*", "*.class"))
	if err != nil || len(files) == 0 {
		t.Fatal("no classes: ", err)
	}
	text, err := exec.Command("javap", append([]string{"-c", "-p"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := strings.Split(string(text), "Compiled from ")[1:]
	if len(printed) != len(files) {
		t.Fatalf("javap printed %d classes of %d", len(printed), len(files))
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		class, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for end := range data {
			if _, err := Parse(data[:end]); err == nil {
				t.Fatalf("%s: no error for the first %d of %d bytes", file, end, len(data))
			}
		}
		var got []string
		for _, m := range class.Methods {
			for _, c := range m.Calls {
				got = append(got, fmt.Sprintf("%s.%s:%s", strings.ReplaceAll(c.Callee.Class(), ".", "/"), c.Callee.Name, c.Callee.Signature))
			}
		}
		var want []string
		for _, call := range invoke.FindAllStringSubmatch(printed[i], -1) {
			target := strings.ReplaceAll(call[1], `"`, "")
			if !strings.Contains(strings.SplitN(target, ":", 2)[0], ".") {
				target = strings.ReplaceAll(class.Name, ".", "/") + "." + target
			}
			want = append(want, target)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: calls are\n%s\njavap says\n%s", class.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

var invoke = regexp.MustCompile(`: invoke(?:virtual|special|static|interface) .*// (?:Interface)?Method (\S+)`)

// TestLineMap reads the lines of code that kotlinc copied: a class of a library, and the body of an
// inline function.
func TestLineMap(t *testing.T) {
	const text = "SMAP\nEmitters.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Emitters.kt\nlib/Emitters$1\n+ 2 Flows.kt\napp/Model\n" +
		"*L\n1#1,218:1\n64#2,2:220\n*S KotlinDebug\n*F\n+ 1 Flows.kt\napp/Model\n*L\n12#1:230,3\n*E\n"
	lines := parseLineMap(text, "app.Model$chain$1")
	for _, c := range []struct {
		line, want int
		from       origin
	}{{5, 0, elsewhere}, {220, 64, own}, {221, 65, own}, {222, 0, elsewhere}, {231, 12, inlined}} {
		if got, from := lines.origin(c.line); got != c.want || from != c.from {
			t.Errorf("line %d comes from %d (%d), want %d (%d)", c.line, got, from, c.want, c.from)
		}
	}
	if got, from := (*lineMap)(nil).origin(7); got != 7 || from != own {
		t.Errorf("without a map line 7 comes from %d (%d)", got, from)
	}
}
