package paper_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/instrument"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// TestOrkaToastRuns makes the two apps of Section 6, instruments them, and clicks their button.
// They run on a Java virtual machine: enjarify translates them, and small classes replace
// Android's. The runtime in the copy counts the calls, which are charged with Orka's table.
func TestOrkaToastRuns(t *testing.T) {
	if _, err := os.Stat(orkaTable); err != nil {
		t.Skip("the table of Orka is not here:", err)
	}
	for _, tool := range []string{"enjarify", "javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	folder := t.TempDir()
	run := func(tool string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), tool, args...)
		command.Env = append(os.Environ(), "PYTHONPATH=/usr/lib/python3/dist-packages")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", tool, err, out)
		}
		return string(out)
	}
	copied := toastCopy(t)
	content := func(entry string) []byte {
		data, err := copied.Read(copied.Entry(entry))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var path []string
	for _, entry := range copied.Dex() {
		file := filepath.Join(folder, entry)
		if err := os.WriteFile(file, content(entry), 0o644); err != nil {
			t.Fatal(err)
		}
		run("/usr/bin/python3", "-O", "-m", "enjarify.main", "-f", "-o", file+".jar", file)
		path = append(path, file+".jar")
	}
	resources, stubs := filepath.Join(folder, "resources"), filepath.Join(folder, "stubs")
	entry := filepath.Join(resources, filepath.FromSlash(runtime.MapEntry))
	if err := errors.Join(os.MkdirAll(filepath.Dir(entry), 0o755), os.WriteFile(entry, content(runtime.MapEntry), 0o644)); err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("testdata/toast/stub/android/*/*.java")
	if err != nil {
		t.Fatal(err)
	}
	run("javac", append([]string{"-nowarn", "-d", stubs}, sources...)...)
	path = append(path, resources, stubs)
	for app, want := range map[string]struct {
		toasts string
		energy string // in nanojoules
	}{"First": {"50", "421933340"}, "Second": {"1", "8438667"}} {
		recording := filepath.Join(folder, app)
		out := run("java", "-Xverify:all", "-Ddiffprof.calls.folder="+recording, "-cp", strings.Join(path, string(filepath.ListSeparator)), "android.app.Activity", "orka."+app)
		if out != "toasts shown: "+want.toasts+"\n" {
			t.Errorf("%s prints %q", app, out)
		}
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: filepath.Join(recording, "diffprof-calls")}, APICosts: orkaTable})
		if err != nil {
			t.Fatal(err)
		}
		if got := strconv.FormatInt(int64(in.Energy), 10); got != want.energy {
			t.Errorf("%s uses %s nJ, the paper has %s", app, got, want.energy)
		}
	}
}

// toastCopy returns the instrumented copy of an APK with both apps.
func toastCopy(t *testing.T) *apk.Archive {
	t.Helper()
	code, err := os.ReadFile("testdata/toast/Toast.dex")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range map[string][]byte{"AndroidManifest.xml": []byte(`<manifest package="orka"/>`), "classes.dex": code} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	open := func(data []byte) *apk.Archive {
		a, err := apk.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	app := open(b.Bytes())
	r, err := instrument.App(t.Context(), []instrument.Part{{Archive: app}}, instrument.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := apk.DebugKey(filepath.Join(t.TempDir(), "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := app.Write(t.Context(), &out, r.Edits[0], key, r.Manifest.MinSDK); err != nil {
		t.Fatal(err)
	}
	return open(out.Bytes())
}
