package source_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/code/source/internal/truth"
)

// faults makes TestPlacesAgreeWithCompilers print faults of the given kinds.
var faults = flag.String("faults", "", "print the faults of these kinds: unlocated, uncalled, wrong, other, outside, missed")

const (
	// maven is the folder of the files that scripts/deps fetches.
	maven     = "../../.cache/maven"
	truthData = "testdata/truth"
)

// libraries are published libraries. testdata/truth/pom.xml has their versions.
var libraries = []string{
	"okhttp-4.12.0", "okio-jvm-3.9.0", "moshi-1.15.1", "kotlinx-coroutines-core-jvm-1.8.1", "retrofit-2.11.0", "rxjava-3.1.8",
	"gson-2.11.0", "glide-4.16.0", "coil-base-2.6.0", "leakcanary-android-core-2.14", "lottie-6.4.0", "koin-core-jvm-3.5.6",
}

// compilers are the versions of kotlinc that compile the app in testdata/truth/app.
var compilers = []string{"1.9.24", "2.1.20"}

// The smallest accepted fractions of sites on the line of an instruction, for all libraries and for
// the app.
const (
	libraryFloor = 0.99
	appFloor     = 0.97
)

// TestPlacesAgreeWithCompilers queries every call in the class files of published libraries, and of
// an app with many coroutines. It compares the results with the compilers' line tables.
//
// testdata/truth.md has the counts. -update writes them, and -faults prints the sites.
func TestPlacesAgreeWithCompilers(t *testing.T) {
	sums := checksums(t)
	var rows []string
	var all truth.Score
	measured := func(t *testing.T, name, sources string, classes []*bytecode.Class) truth.Score {
		index := source.New(source.Options{Roots: []string{sources}})
		if _, err := index.Load(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		score, faults, err := truth.Measure(index, classes, false)
		if err != nil {
			t.Fatal(err)
		}
		printFaults(sources, index, faults)
		withLines, _, err := truth.Measure(index, classes, true)
		if err != nil {
			t.Fatal(err)
		}
		if score.Outside > 0 || withLines.Outside > 0 {
			t.Errorf("%d sites are outside of the caller, %d if the recording has lines", score.Outside, withLines.Outside)
		}
		if s, l := score.Share(), withLines.Share(); l < s-0.005 {
			t.Errorf("%.4f of the sites are on the line, %.4f if the recording has lines", s, l)
		}
		rows = append(rows, row(name, score))
		t.Logf("%s missed %d, sure %d, wrong %d, lost %d", strings.TrimSpace(rows[len(rows)-1]), score.Missed, score.Sure, score.Wrong, score.Lost)
		return score
	}
	libraries, compilers := libraries, compilers
	if testing.Short() {
		libraries, compilers = libraries[:1], compilers[:1]
	}
	for _, library := range libraries {
		t.Run(library, func(t *testing.T) {
			classes, err := bytecode.ReadArchive(fetched(t, sums, library))
			if err != nil {
				t.Fatal(err)
			}
			all.Add(measured(t, library, extract(t, fetched(t, sums, library+"-sources")), classes))
		})
	}
	if !testing.Short() && len(rows) == len(libraries) && all.Share() < libraryFloor {
		t.Errorf("%.4f of the libraries' sites are on the line", all.Share())
	}
	rows = append(rows, row("all libraries", all))
	for _, version := range compilers {
		t.Run("kotlinc-"+version, func(t *testing.T) {
			classes, err := bytecode.ReadFolder(compileApp(t, sums, version))
			if err != nil {
				t.Fatal(err)
			}
			if s := measured(t, "an app, kotlinc "+version, filepath.Join(truthData, "app"), classes); s.Share() < appFloor {
				t.Errorf("%.4f of the sites are on the line", s.Share())
			}
		})
	}
	if !testing.Short() && len(rows) == len(libraries)+len(compilers)+1 && !t.Failed() {
		checkTable(t, rows)
	}
}

// checksums returns the SHA-256 of each file that scripts/deps fetches.
func checksums(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join(truthData, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 2 {
			sums[words[1]] = words[0]
		}
	}
	return sums
}

// fetched returns the path of a file that scripts/deps fetched. name is without extension. It skips
// the test if the file is missing.
func fetched(t *testing.T, sums map[string]string, name string) string {
	for _, file := range []string{name + ".jar", name + ".aar"} {
		data, err := os.ReadFile(filepath.Join(maven, file))
		if err != nil {
			continue
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sums[file] {
			t.Fatalf("%s is not the file of SHA256SUMS", file)
		}
		return filepath.Join(maven, file)
	}
	t.Skipf("%s is not in %s: make deps fetches it", name, maven)
	return ""
}

// extract writes the sources in an archive to a folder.
func extract(t *testing.T, file string) string {
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	folder := t.TempDir()
	for _, f := range archive.File {
		if e := filepath.Ext(f.Name); e != ".java" && e != ".kt" || !filepath.IsLocal(f.Name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(out, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// compileApp compiles testdata/truth/app with a version of kotlinc, and returns the folder with the
// classes. It caches them in .cache/ under a hash of the sources and the compiler.
func compileApp(t *testing.T, sums map[string]string, version string) string {
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("no java: ", err)
	}
	sources, err := filepath.Glob(filepath.Join(truthData, "app", "*.kt"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources: ", err)
	}
	stdlib := fetched(t, sums, "kotlin-stdlib-"+version)
	coroutines := fetched(t, sums, "kotlinx-coroutines-core-jvm-1.8.1")
	var compiler []string
	for _, part := range []string{"kotlin-compiler-embeddable-" + version, "kotlin-script-runtime-" + version,
		"kotlin-reflect-1.6.10", "trove4j-1.0.20200330", "annotations-13.0"} {
		compiler = append(compiler, fetched(t, sums, part))
	}
	path := func(parts ...string) string { return strings.Join(parts, string(filepath.ListSeparator)) }
	options := []string{"-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "1.8"}
	hash := sha256.New()
	fmt.Fprintln(hash, options)
	for _, file := range slices.Concat(compiler, []string{stdlib, coroutines}) {
		fmt.Fprintln(hash, filepath.Base(file), sums[filepath.Base(file)])
	}
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(file), len(text), text)
	}
	kept := filepath.Join(filepath.Dir(maven), "classes-"+hex.EncodeToString(hash.Sum(nil)[:8]))
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	out, err := os.MkdirTemp(filepath.Dir(maven), "compiling-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(out)
	compile := exec.Command("java", append([]string{
		"-Xmx1g", "-XX:TieredStopAtLevel=1", "-cp", path(append(compiler, stdlib, coroutines)...), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
	}, slices.Concat(options, []string{"-cp", path(stdlib, coroutines), "-d", out}, sources)...)...)
	if text, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("kotlinc %s: %v\n%s", version, err, text)
	}
	// Another run of this test may have cached the same classes in the meantime.
	if err := os.Rename(out, kept); err != nil {
		if _, err := os.Stat(kept); err != nil {
			t.Fatal(err)
		}
	}
	return kept
}

func printFaults(sources string, index *source.Index, list []truth.Fault) {
	for _, f := range list {
		if strings.Contains(*faults, f.Kind) {
			path, _ := filepath.Rel(sources, f.Path)
			fmt.Printf("%s %s:%d %s -> %s is %v\n", f.Kind, path, f.Line, f.Caller.Label(), f.Callee.Label(), f.Lines)
			fmt.Print(index.Explain(f.Caller, f.Callee))
			text, err := os.ReadFile(f.Path)
			if err != nil {
				continue
			}
			lines := strings.Split(string(text), "\n")
			for _, l := range append([]int{f.Line}, f.Lines...) {
				if l > 0 && l <= len(lines) {
					fmt.Printf("\t%d\t%s\n", l, strings.TrimSpace(lines[l-1]))
				}
			}
		}
	}
}

// row returns a row of the table in testdata/truth.md.
func row(name string, s truth.Score) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %.2f %% |\n", name, s.Pairs, s.Called, s.Sure, s.Wrong, s.Sites, 100*s.Share())
}

// checkTable compares the rows with those in testdata/truth.md.
func checkTable(t *testing.T, rows []string) {
	const (
		page  = "testdata/truth.md"
		start = "<!-- Truth: written by go test ./code/source -run Compilers -update. -->\n"
		end   = "<!-- End of the truth. -->"
	)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), start)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no table between %s and %s", page, start, end)
	}
	want := "\n| code | pairs | calls found | of one site | wrong | sites | on the line |\n" +
		"|---|---|---|---|---|---|---|\n" + strings.Join(rows, "") + "\n"
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s has other counts; run with -update and read the diff. They are:\n%s", page, want)
		return
	}
	if err := os.WriteFile(page, []byte(before+start+want+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
