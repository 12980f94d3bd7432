package instrument

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

var update = flag.Bool("update", false, "write testdata/Programs.dex and its output")

// programs is the number of random programs.
const programs = 8

// fewPrograms is the number of programs that R8 compiles with a mapping file.
const fewPrograms = programs / 4

// driver compiles classes with D8 in debug mode, with D8 in release mode, and with R8, and then
// runs them. A single Java VM does all this, because starting it and warming up the compilers takes
// most of the time.
const driver = `
import java.nio.file.*;

final class Driver {
  static void compile(boolean shrink, String names, String... args) throws Exception {
    Files.createDirectories(Paths.get(args[args.length - 1]));
    try (java.util.stream.Stream<Path> files = Files.list(Paths.get("classes"))) {
      String[] all = java.util.stream.Stream.concat(java.util.Arrays.stream(args),
          files.filter(f -> f.getFileName().toString().matches(names)).map(Path::toString).sorted()).toArray(String[]::new);
      if (shrink) {
        com.android.tools.r8.R8.main(all);
      } else {
        com.android.tools.r8.D8.main(all);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    String jdk = System.getProperty("java.home");
    compile(false, "P.*", "--debug", "--min-api", "21", "--lib", jdk, "--output", "debug");
    compile(false, "P.*", "--release", "--min-api", "21", "--lib", jdk, "--output", "release");
    Files.createDirectories(Paths.get("mapped"));
    compile(true, "P[0-" + (Integer.parseInt(args[2]) - 1) + "]\\b.*", "--release", "--min-api", "21", "--lib", jdk, "--pg-conf", "names", "--pg-map-output", "mapped/map.txt", "--output", "mapped");
    if (args[1].equals("shrink")) compile(true, "P.*", "--release", "--min-api", "21", "--lib", jdk, "--pg-conf", "rules", "--output", "shrunk");
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      System.out.println("program " + i);
      Class<?> c = Class.forName("P" + i);
      java.lang.reflect.Method main = c.getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      try {
        main.invoke(null, (Object) new String[0]);
      } catch (java.lang.reflect.InvocationTargetException e) {
        System.out.println("uncaught L" + e.getCause().getClass().getName().replace('.', '/') + ";");
      }
    }
  }
}
`

// compiled has the DEX files of the generated programs, by the way in which they were compiled, and
// the output of a Java VM.
var compiled struct {
	dex  map[string][]byte
	text string
}

// compile compiles the generated programs once for all tests. The ways are debug, release and
// mapped, and with -update also shrunk. mapped has only a few programs, whose line tables have
// addresses.
func compile(t *testing.T) {
	compiler := cached.R8(t)
	if compiled.dex != nil {
		return
	}
	ways, shrink := []string{"debug", "release", "mapped"}, "keep"
	if *update {
		ways, shrink = append(ways, "shrunk"), "shrink"
	}
	folder := t.TempDir()
	write := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	sources := []string{write("Driver.java", driver)}
	for i := range programs {
		sources = append(sources, write(fmt.Sprintf("P%d.java", i), javaProgram(fmt.Sprint("P", i), uint64(i))))
	}
	write("rules", "-dontobfuscate\n-dontwarn **\n-keep class P* { public static void main(java.lang.String[]); }\n")
	write("names", "-dontwarn **\n-keep class P* { public static void main(java.lang.String[]); }\n")
	run := func(name string, args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir, command.Stdout, command.Stderr = folder, &out, &errs
		if err := command.Run(); err != nil {
			t.Fatalf("%s: %v\n%.3000s\n%.500s", name, err, errs.String(), out.String())
		}
		return out.String()
	}
	// For short programs, the quick compiler and a single garbage collector thread save time.
	run("javac", append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-XDstringConcat=inline", "-cp", compiler, "-d", "classes"}, sources...)...)
	compiled.text = run("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", compiler+string(filepath.ListSeparator)+"classes",
		"Driver", fmt.Sprint(programs), shrink, fmt.Sprint(fewPrograms))
	compiled.dex = make(map[string][]byte)
	for _, way := range ways {
		data, err := os.ReadFile(filepath.Join(folder, way, "classes.dex"))
		if err != nil {
			t.Fatal(err)
		}
		compiled.dex[way] = data
	}
}

// TestGeneratedPrograms runs random Java programs, compiled by D8 and R8, before and after
// rewriting. It compares both runs with each other, with the probes' log, and with the output of a
// Java VM.
func TestGeneratedPrograms(t *testing.T) {
	compile(t)
	outputs := strings.Split(compiled.text, "program ")[1:]
	if len(outputs) != programs {
		t.Fatalf("%d programs ran, want %d", len(outputs), programs)
	}
	for _, way := range []string{"debug", "release", "shrunk"} {
		data := compiled.dex[way]
		if data == nil {
			continue // TestShrunkPrograms runs these.
		}
		runPrograms(t, way, data, outputs)
		if way == "shrunk" && !t.Failed() {
			for name, data := range map[string][]byte{"Programs.dex": data, "Programs.txt": []byte(compiled.text)} {
				if err := os.WriteFile(filepath.Join("testdata", name), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestShrunkPrograms runs random programs that R8 shrank. TestGeneratedPrograms wrote them with
// -update, together with the output of a Java VM.
func TestShrunkPrograms(t *testing.T) {
	data, err := os.ReadFile("testdata/Programs.dex")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/Programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	runPrograms(t, "shrunk", data, strings.Split(string(text), "program ")[1:])
}

// runPrograms runs the programs in a file before and after rewriting: without errors, and with
// errors at a few of the instructions that may throw.
func runPrograms(t *testing.T, way string, data []byte, outputs []string) {
	t.Helper()
	for _, paths := range []bool{false, true} {
		runProgramsBy(t, way, data, outputs, paths)
	}
}

func runProgramsBy(t *testing.T, way string, data []byte, outputs []string, paths bool) {
	t.Helper()
	runs, events := 0, 0
	p := rewrittenPair(t, parseOne(t, data), way == "release", paths)
	for i, output := range outputs {
		class := fmt.Sprintf("LP%d;", i)
		m := p.run(t, class, 0)
		if _, want, _ := strings.Cut(output, "\n"); m.Output.String() != want {
			t.Errorf("%s %s prints\n%s\nthe Java machine\n%s", way, class, m.Output.String(), want)
		}
		runs++
		events += len(m.Events)
		for n := 1; n <= m.Throwing && !t.Failed(); n += 1 + m.Throwing/25 {
			p.run(t, class, n)
			runs++
		}
	}
	t.Logf("%s: %d programs, %d runs before and after, %d events in runs without an error; %d activations with %d blocks compared", way, len(outputs), runs, events, p.ran[0], p.ran[1])
}
