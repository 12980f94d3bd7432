package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A build simulates the machine of a build server. It runs scripts as GitHub and GitLab do, and
// records which lines ran.
type build struct {
	t *testing.T
	// workspace is the folder in which scripts run. path is the folder in which programs are
	// searched first.
	workspace string
	path      []string
	env       map[string]string
	// seen has the lines of scripts that ran in any build of a test.
	seen lines
}

// lines has the lines that ran, by script and by line number from 1.
type lines map[string]map[int]bool

func newBuild(t *testing.T, seen lines) *build {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs bash as on Linux")
	}
	for _, tool := range []string{"bash", "curl", "wget", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	b := &build{t: t, workspace: t.TempDir(), seen: seen, env: map[string]string{"HOME": t.TempDir(), "TMPDIR": t.TempDir(), "GORACE": "atexit_sleep_ms=0"}}
	program, err := exec.LookPath("diffprof")
	if err != nil {
		t.Fatal(err)
	}
	b.path = []string{filepath.Dir(program)}
	return b
}

// put writes a file in the workspace.
func (b *build) put(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.workspace, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o777); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// get reads a file in the workspace. It returns "" if the file does not exist.
func (b *build) get(name string) string {
	data, err := os.ReadFile(filepath.Join(b.workspace, name))
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return string(data)
}

var traced = regexp.MustCompile(`(?m)^@+(\d+) `)

// run runs a script in a shell. It returns what the script printed, and its exit code.
func (b *build) run(shell, name, script string, env map[string]string) (output string, code int) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), shell, file)
	trace, err := os.Create(file + ".trace")
	if err != nil {
		b.t.Fatal(err)
	}
	defer trace.Close()
	if shell == "bash" { // As both services start it.
		cmd.Args = []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", file}
		cmd.ExtraFiles = []*os.File{trace}
		if err := os.WriteFile(file+".begin", []byte("unset BASH_ENV; BASH_XTRACEFD=3 PS4='@$LINENO '; set -x\n"), 0o666); err != nil {
			b.t.Fatal(err)
		}
		cmd.Env = []string{"BASH_ENV=" + file + ".begin"}
	}
	cmd.Dir = b.workspace
	cmd.Env = append(cmd.Env, "PATH="+strings.Join(append(slices.Clone(b.path), os.Getenv("PATH")), string(filepath.ListSeparator)))
	for _, set := range []map[string]string{b.env, env} {
		for _, key := range slices.Sorted(maps.Keys(set)) {
			cmd.Env = append(cmd.Env, key+"="+set[key])
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		b.t.Fatal(err)
	}
	ran, err := os.ReadFile(trace.Name())
	if err != nil {
		b.t.Fatal(err)
	}
	if b.seen[name] == nil {
		b.seen[name] = map[int]bool{}
	}
	for _, m := range traced.FindAllSubmatch(ran, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			b.t.Fatal(err)
		}
		b.seen[name][n] = true
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// structure matches the lines of scripts that run nothing, or that continue on the next line.
var structure = regexp.MustCompile(`^\s*(fi|else|done|esac|['(){}]|[})] >.*|IFS='|)$`)

// all reports an error for each line of a script that no test runs.
func (l lines) all(t *testing.T, name, script string) {
	t.Helper()
	for i, line := range strings.Split(script, "\n") {
		if !structure.MatchString(line) && !l[name][i+1] {
			t.Errorf("%s: no test runs line %d: %s", name, i+1, line)
		}
	}
}

// stepOutputs reads the file to which a GitHub step writes its outputs.
func stepOutputs(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]any{}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			t.Errorf("%q is no output", line)
		}
		made[name] = value
	}
	return made
}

// pattern returns the path of a file in the project's test data.
func pattern(path string) string {
	root, err := filepath.Abs("../../testdata")
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return filepath.Join(root, path)
}
