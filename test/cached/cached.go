// Package cached finds files that the project's scripts put into .cache: real apps and compilers. A
// test is skipped if it needs a file that is not there. Only tests import this package.
package cached

import (
	"archive/zip"
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// find returns the files of .cache that match a pattern, as absolute paths.
func find(t testing.TB, pattern, what, script string) []string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("the test does not run in the repository")
		}
		folder = filepath.Dir(folder)
	}
	paths, err := filepath.Glob(filepath.Join(folder, ".cache", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skipf("needs %s in .cache, which %s gets", what, script)
	}
	return paths
}

// Apps returns the paths of real apps.
func Apps(t testing.TB) []string {
	t.Helper()
	return find(t, "apks/*.apk", "apps", "scripts/apks")
}

// Few returns the paths of real apps. In a short run it returns only the smallest app.
func Few(t testing.TB) []string {
	t.Helper()
	paths := Apps(t)
	if !testing.Short() {
		return paths
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	return []string{slices.MinFunc(paths, func(a, b string) int { return cmp.Compare(size(a), size(b)) })}
}

// A Dex is a dex file of a real app.
type Dex struct {
	// Name is the file name of the app, and the entry.
	Name string
	Data []byte
}

// DexFiles returns the dex files of real apps, keyed by the file name of the app.
func DexFiles(t testing.TB, paths []string) map[string][]Dex {
	t.Helper()
	apps := make(map[string][]Dex)
	for _, path := range paths {
		archive, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		for _, entry := range archive.File {
			if !strings.HasSuffix(entry.Name, ".dex") {
				continue
			}
			r, err := entry.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			app := filepath.Base(path)
			apps[app] = append(apps[app], Dex{app + "/" + entry.Name, data})
		}
	}
	return apps
}

// LSP4J returns the paths of Eclipse LSP4J and of the library that it uses.
func LSP4J(t testing.TB) []string {
	t.Helper()
	return find(t, "lsp4j/*.jar", "Eclipse LSP4J", "scripts/deps")
}

// R8 returns the path of the compiler R8, which contains D8. The test is skipped if there is no
// javac or no java to run it, or in a short run.
func R8(t testing.TB) string {
	t.Helper()
	compiler := find(t, "r8-*.jar", "R8", "scripts/r8")[0]
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	if testing.Short() {
		t.Skip("needs some seconds")
	}
	return compiler
}
