package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFindJarsSortsByAndroidVersion(t *testing.T) {
	dir := t.TempDir()
	want := []string{"android-all-6.0.1_r3-robolectric-r1.jar", "android-all-8.1.0-robolectric-4611349.jar",
		"android-all-10-robolectric-1.jar", "android-all-12-robolectric-1.jar", "android-all-12.1-robolectric-1.jar", "android-all-16-robolectric-2.jar"}
	for _, name := range append(want, "notes.txt") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	jars, err := findJars([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range jars {
		jars[i] = filepath.Base(jars[i])
	}
	if !slices.Equal(jars, want) {
		t.Errorf("findJars = %q", jars)
	}
	if _, err := findJars([]string{t.TempDir()}); err == nil {
		t.Error("a folder without jars is accepted")
	}
}

func TestBundledIsByWholePackageNames(t *testing.T) {
	for pkg, want := range map[string]bool{
		"androidx": true, "androidx.core": true, "androidxy": false, "kotlin.jvm": true, "android.app": false,
		"javax.annotation": true, "javax.annotation.processing": false, "com.android.settings": true,
		"com.android.settingsprovider": false, "com.android.wifi.x.com.google.protobuf": false,
	} {
		if got := bundled(pkg); got != want {
			t.Errorf("bundled(%q) = %v", pkg, got)
		}
	}
}

// TestRunWritesTheSameBytesInAnyOrder makes a table from two jars and a JDK of one class each.
// The classes are the smallest possible.
func TestRunWritesTheSameBytesInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	class := func(name, super string) []byte {
		text := func(s string) []byte { return append([]byte{1, 0, byte(len(s))}, s...) }
		return slices.Concat([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x05"), text(name), text(super),
			[]byte{7, 0, 1, 7, 0, 2}, []byte{0, 0x21, 0, 3, 0, 4, 0, 0})
	}
	write := func(path string, content []byte) string {
		t.Helper()
		path = filepath.Join(dir, path)
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		f, err := z.Create("x.class")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := write("android-all-9-x.jar", class("android/app/Service", "android/content/Context"))
	b := write("android-all-10-x.jar", class("androidx/core/X", "android/content/Context"))
	write("jdk/jmods/java.base.jmod", class("java/util/ArrayList", "java/util/AbstractList"))
	jdk := filepath.Join(dir, "jdk")
	if err := os.WriteFile(filepath.Join(jdk, "release"), []byte("X=1\nJAVA_VERSION=\"17\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := run(one, jdk, []string{a, b}); err != nil {
		t.Fatal(err)
	}
	if err := run(two, jdk, []string{b, "", a}); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(two)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) || !bytes.Contains(first, []byte("android-all 9-x")) || bytes.Contains(first, []byte("androidx")) {
		t.Errorf("tables: %q, %q", first, second)
	}
	if err := run(filepath.Join(dir, "three"), jdk, []string{""}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "three")); err == nil {
		t.Error("a table was made of nothing")
	}
}
