package apk

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

// apksigner runs Android's apksigner and zipalign on a file. It skips the test if they are missing.
func apksigner(t *testing.T, file string, minSDK int) string {
	t.Helper()
	return tool(t, "apksigner", "verify", "--verbose", "--min-sdk-version", strconv.Itoa(minSDK), file)
}

func zipalign(t *testing.T, file string) string {
	t.Helper()
	return tool(t, "zipalign", "-c", "-v", "4", file)
}

func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("needs %s (apt-get install apksigner zipalign)", name)
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestApksigner verifies copies for several API levels with Android's tools.
func TestApksigner(t *testing.T) {
	for _, c := range []struct {
		key    *Key
		minSDK int
		want   []string
	}{
		{mustKey(t), 9, []string{"v1 scheme (JAR signing): true", "v2 scheme (APK Signature Scheme v2): true", "v3 scheme (APK Signature Scheme v3): true"}},
		{mustKey(t), 21, []string{"v1 scheme (JAR signing): true", "v2 scheme (APK Signature Scheme v2): true", "v3 scheme (APK Signature Scheme v3): true"}},
		{mustKey(t), 24, []string{"v1 scheme (JAR signing): false", "v2 scheme (APK Signature Scheme v2): true", "v3 scheme (APK Signature Scheme v3): true"}},
		{mustKey(t), 30, []string{"v1 scheme (JAR signing): false", "v3 scheme (APK Signature Scheme v3): true"}},
		{ecKey(t), 21, []string{"v1 scheme (JAR signing): true", "v3 scheme (APK Signature Scheme v3): true"}},
	} {
		contents := append([]content{{"lib/x86/libbig.so", zip.Store, strings.Repeat("big", 700_000)}}, small...)
		copied, _ := rewrite(t, mustOpen(t, build(t, contents)), []Edit{{"classes.dex", []byte("dex\n035 new")}}, c.key, c.minSDK)
		file := filepath.Join(t.TempDir(), "a.apk")
		if err := os.WriteFile(file, copied, 0o644); err != nil {
			t.Fatal(err)
		}
		out := apksigner(t, file, c.minSDK)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("level %d: %s lacks %s", c.minSDK, out, want)
			}
		}
		zipalign(t, file)
	}
}

// TestRealApps copies real apps with an edit, and verifies the copies.
func TestRealApps(t *testing.T) {
	for _, path := range cached.Few(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := mustOpen(t, data)
			m, err := a.Manifest()
			if err != nil {
				t.Fatal(err)
			}
			code, err := a.Read(a.Entry("classes.dex"))
			if err != nil {
				t.Fatal(err)
			}
			edits := []Edit{{"classes.dex", bytes.Clone(code)}, {DexName(len(a.Dex())), code}}
			copied, dropped := rewrite(t, a, edits, mustKey(t), m.MinSDK)
			checkCopy(t, a, copied, edits, dropped)
			if _, err := verify(copied); err != nil {
				t.Error(err)
			}
			compareWithStandard(t, data, copied)
			file := filepath.Join(t.TempDir(), "a.apk")
			if err := os.WriteFile(file, copied, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Logf("minSdk %d, %d entries, %d dex, left out %v", m.MinSDK, len(a.Entries()), len(a.Dex()), dropped)
			out := apksigner(t, file, max(m.MinSDK, 1))
			if !strings.Contains(out, "Verified using v2 scheme (APK Signature Scheme v2): true") {
				t.Error(out)
			}
			zipalign(t, file)
		})
	}
}

// compareWithStandard compares the contents of an app and its copy with the standard library.
func compareWithStandard(t *testing.T, before, after []byte) {
	t.Helper()
	contents := func(data []byte) map[string]string {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]string)
		for _, f := range r.File {
			rc, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(rc)
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			rc.Close()
			all[f.Name] = string(b)
		}
		return all
	}
	old, made := contents(before), contents(after)
	for name, want := range old {
		if got, ok := made[name]; !isSignature(name) && !isProfile(name) && (!ok || got != want) {
			t.Errorf("%s differs", name)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, path := range cached.Apps(b) {
		b.Run(filepath.Base(path), func(b *testing.B) {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			a := mustOpen(b, data)
			m, err := a.Manifest()
			if err != nil {
				b.Fatal(err)
			}
			var edits []Edit
			for _, name := range a.Dex() {
				code, err := a.Read(a.Entry(name))
				if err != nil {
					b.Fatal(err)
				}
				edits = append(edits, Edit{name, code})
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := a.Write(b.Context(), io.Discard, edits, mustKey(b), m.MinSDK); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
