package editors

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	root   = "../.."
	plugin = root + "/editors/nvim"
	// patience is the longest time that a spec may take. A spec limits its own waits, but a Neovim
	// that waits for a key would never end.
	patience = 5 * time.Minute
)

func TestNeovim(t *testing.T) {
	nvim := neovim(t)
	program := buildDiffprof(t)
	specs, err := filepath.Glob(plugin + "/test/*_spec.lua")
	if err != nil || len(specs) == 0 {
		t.Fatalf("%s has no specs: %v", plugin, err)
	}
	for _, spec := range specs {
		name := strings.TrimSuffix(filepath.Base(spec), "_spec.lua")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runSpec(t, nvim, program, filepath.Base(spec))
		})
	}
}

// neovim returns Neovim's path.
func neovim(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("nvim")
	if err == nil {
		return path
	}
	const what = "there is no nvim on the PATH: apt-get install -y neovim"
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
	return ""
}

// buildDiffprof builds the program. It makes go test's cached result depend on the module's
// sources, which go test does not track here.
func buildDiffprof(t *testing.T) string {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && (strings.HasSuffix(name, ".go") || name == "go.mod"):
			_, err := os.Stat(path)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "diffprof")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "build", "-o", program, "./cmd/diffprof")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building diffprof: %v\n%s", err, out)
	}
	return program
}

// runSpec runs a spec on copies of the plugin and of the sample projects, with an empty home
// folder.
func runSpec(t *testing.T, nvim, program, spec string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	copied, samples, home := filepath.Join(dir, "plugin"), filepath.Join(dir, "samples"), filepath.Join(dir, "home")
	copyFolder(t, copied, plugin)
	figures := filepath.Join(dir, "figures.json")
	copyFile(t, figures, root+"/report/words/testdata/figures.json")
	copyFolder(t, samples, plugin+"/test/samples")
	copyFolder(t, filepath.Join(samples, "player", "traces"), root+"/testdata/cases/pandora57-pandora83")
	copyFile(t, filepath.Join(samples, "player", "traces", "power_profile.xml"), root+"/testdata/cases/power_profile.xml")
	copyLines(t, filepath.Join(samples, "lines"))
	copyMetered(t, filepath.Join(samples, "metered"))
	writeFirst(t, filepath.Join(samples, "first"))

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n",
		"--cmd", "set runtimepath^="+copied,
		"-c", "filetype on", "-c", "runtime plugin/diffprof.lua", "-c", "set columns=140 lines=40",
		"-c", "luafile "+spec)
	cmd.Dir = filepath.Join(copied, "test")
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home,
		"XDG_STATE_HOME="+home, "LC_ALL=C.UTF-8",
		"DIFFPROF_PROGRAM="+program, "DIFFPROF_FIGURES="+figures, "DIFFPROF_SAMPLES="+samples, "DIFFPROF_PLUGIN="+copied)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", spec, err, out)
	}
	checked, ended := 0, false
	for line := range strings.Lines(strings.ReplaceAll(string(out), "\r", "")) {
		line = strings.TrimSuffix(line, "\n")
		// Neovim's own output may come first.
		if strings.Contains(line, "ok ") {
			checked++
		}
		ended = ended || strings.HasSuffix(line, "done")
	}
	if !ended || checked == 0 || strings.Contains(string(out), "FAIL ") {
		t.Errorf("%s:\n%s", spec, out)
	}
}

// copyLines copies the sample with source lines. As after a real run, its recordings are newer than
// its sources.
func copyLines(t *testing.T, to string) {
	t.Helper()
	copyFolder(t, to, root+"/testdata/lines")
	later := time.Now().Add(time.Minute)
	for _, name := range []string{"subject.pprof", "reference.pprof"} {
		if err := os.Chtimes(filepath.Join(to, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
}

// copyMetered copies the simulated recording with a meter and makes a project of it.
func copyMetered(t *testing.T, to string) {
	t.Helper()
	from := root + "/lines/metered/testdata/"
	copyFolder(t, filepath.Join(to, "src", "com"), from+"com")
	copyFile(t, filepath.Join(to, "simulated.calls"), from+"simulated.calls")
	copyFile(t, filepath.Join(to, "simulated.csv"), from+"simulated.csv")
	project := "subject: simulated.calls\nreference: simulated.calls\nwithSubject: [simulated.csv]\nminShare: 0.0001\n"
	if err := os.WriteFile(filepath.Join(to, "diffprof.yaml"), []byte(project), 0o644); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(to, "simulated.calls"), later, later); err != nil {
		t.Fatal(err)
	}
}

// writeFirst writes the files that are here-documents in docs/neovim.md.
func writeFirst(t *testing.T, dir string) {
	t.Helper()
	page, err := os.ReadFile(root + "/docs/neovim.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile(`(?ms)^cat > (\S+) <<'END'\n(.*?)^END$`).FindAllSubmatch(page, -1)
	if len(files) == 0 {
		t.Fatal("docs/neovim.md writes no files")
	}
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(string(file[1])))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file[2], 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func copyFolder(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
