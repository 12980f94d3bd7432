package source_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// TestFindAgreesWithJavac compiles testdata/javac with the machine's compiler and queries every
// method of the class files. The compiler is the oracle:
//
//   - Each method is found. The reason is Exact for methods that have code of their own.
//   - The line of the first instruction is in the body that is found, or it is the line of the
//     class if the method was generated.
//   - No two methods with code of their own have the same location.
func TestFindAgreesWithJavac(t *testing.T) {
	for _, tool := range []string{"javac", "javap"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on this machine: %v", tool, err)
		}
	}
	sources, err := filepath.Glob("testdata/javac/*.java")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources: ", err)
	}
	out := t.TempDir()
	compile := exec.Command("javac", append([]string{"-g", "-nowarn", "-d", out}, sources...)...)
	if text, err := compile.CombinedOutput(); err != nil {
		t.Skipf("this javac cannot compile the sources, which need version 17: %v\n%s", err, text)
	}
	index := source.New(source.Options{Roots: []string{"testdata/javac"}})
	if _, err := index.Load(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	methods := compiled(t, out)
	if len(methods) < 60 {
		t.Fatalf("%d methods", len(methods))
	}
	taken := map[source.Range]string{}
	for _, m := range methods {
		locations, reason := index.Find(m, time.Time{})
		if len(locations) != 1 {
			t.Errorf("%s line %d: %d places: %v", m.Label(), m.Line, len(locations), reason)
			continue
		}
		l := locations[0]
		first, last := int(l.Body.Start.Line)+1, int(l.Body.End.Line)+1
		switch reason {
		case source.Exact:
			if m.Line < first || m.Line > last {
				t.Errorf("%s line %d: found in lines %d to %d", m.Label(), m.Line, first, last)
			}
			if other, ok := taken[l.Range]; ok && m.Name != "<clinit>" && !strings.Contains(other, "<clinit>") {
				t.Errorf("%s and %s are both at line %d", m.Label(), other, first)
			}
			taken[l.Range] = m.Label()
		case source.Generated, source.Enclosing:
			if !compilerMade(m) {
				t.Errorf("%s line %d: %v", m.Label(), m.Line, reason)
			}
		default:
			t.Errorf("%s line %d: %v", m.Label(), m.Line, reason)
		}
	}
}

// compilerMade reports whether a method of testdata/javac is not in the source.
func compilerMade(m name.Method) bool {
	switch m.Name {
	case "values", "valueOf", "$values", "$deserializeLambda$", "<clinit>", "toString", "hashCode", "equals":
		return true
	case "<init>":
		return true
	}
	return strings.HasPrefix(m.Name, "access$") || strings.HasSuffix(m.Signature, "Ljava/lang/Object;)I") ||
		m.Name == "get" && strings.HasSuffix(m.Signature, ")Ljava/lang/Object;")
}

var (
	memberLine = regexp.MustCompile(`^  \S.*;$`)
	firstLine  = regexp.MustCompile(`^ +line (\d+): 0$`)
)

// compiled lists the methods with line tables in the class files below a folder.
func compiled(t *testing.T, folder string) []name.Method {
	var files []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".class") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("javap", append([]string{"-p", "-l", "-s"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []name.Method
	var m name.Method
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "Compiled from "):
			m = name.Method{File: strings.Trim(line[len("Compiled from "):], `"`)}
		case !strings.HasPrefix(line, " ") && strings.HasSuffix(line, "{"):
			m = m.In(className(line))
		case memberLine.MatchString(line):
			m.Name, m.Line = memberName(line, m.Class()), 0
		case strings.HasPrefix(line, "    descriptor: "):
			m.Signature = line[len("    descriptor: "):]
		case firstLine.MatchString(line) && m.Line == 0 && m.Name != "":
			m.Line, _ = strconv.Atoi(firstLine.FindStringSubmatch(line)[1])
			all = append(all, m)
		}
	}
	return all
}

// className parses the name of a class from its header in the output of javap.
func className(header string) string {
	for _, word := range []string{"class ", "interface "} {
		if _, rest, ok := strings.Cut(" "+header, " "+word); ok {
			return rest[:strings.IndexAny(rest, " <{")]
		}
	}
	return ""
}

func memberName(line, class string) string {
	before, _, isMethod := strings.Cut(line, "(")
	if !isMethod {
		if strings.Contains(line, "static {}") {
			return "<clinit>"
		}
		return ""
	}
	name := before[strings.LastIndexByte(before, ' ')+1:]
	if name == class {
		return "<init>"
	}
	return name
}
