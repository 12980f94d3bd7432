package bytecode

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zipped returns an archive with the given files.
func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range files {
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
	return b.Bytes()
}

// TestReadArchive reads jars, an aar, and archives with damage.
func TestReadArchive(t *testing.T) {
	class, err := os.ReadFile("testdata/Feed.class")
	if err != nil {
		t.Fatal(err)
	}
	jar := map[string][]byte{
		"p/Feed.class": class, "META-INF/versions/11/p/Feed.class": class, "module-info.class": {1}, "p/module-info.class": {1}, "p/text.txt": {2}, "classes.dex": {3},
	}
	broken := map[string][]byte{"p/Feed.class": class[:100]}
	for name, c := range map[string]struct {
		data    []byte
		classes int
		fails   string
	}{
		"jar":                        {zipped(t, jar), 1, ""},
		"empty jar":                  {zipped(t, nil), 0, ""},
		"aar":                        {zipped(t, map[string][]byte{"classes.jar": zipped(t, jar), "AndroidManifest.xml": nil, "q/Feed.class": class}), 2, ""},
		"no archive":                 {class, 0, "zip"},
		"cut class":                  {zipped(t, broken), 0, "p/Feed.class"},
		"cut class in an aar":        {zipped(t, map[string][]byte{"classes.jar": zipped(t, broken)}), 0, "p/Feed.class"},
		"no archive in an aar":       {zipped(t, map[string][]byte{"classes.jar": class}), 0, "classes.jar"},
		"another jar is not entered": {zipped(t, map[string][]byte{"libs/classes.jar": class, "libs/other.jar": class}), 0, ""},
	} {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		classes, err := ReadArchive(file)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || len(classes) != c.classes {
			t.Errorf("%s: %d classes, want %d, %v", name, len(classes), c.classes, err)
		}
		for _, class := range classes {
			if class.File != "Feed.java" {
				t.Errorf("%s: it has %s from %s", name, class.Name, class.File)
			}
		}
	}
	if _, err := ReadArchive(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is read")
	}
}

// TestReadFolder reads a folder with class files and other files.
func TestReadFolder(t *testing.T) {
	class, err := os.ReadFile("testdata/Feed.class")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "p", "q"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A.class", "p/q/B.class", "p/text.txt"} {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), class, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if classes, err := ReadFolder(folder); err != nil || len(classes) != 2 {
		t.Errorf("%d classes, want 2, %v", len(classes), err)
	}
	bad := filepath.Join(folder, "p", "Bad.class")
	if err := os.WriteFile(bad, class[:50], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(folder); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("a cut class: %v", err)
	}
	if _, err := ReadFolder(filepath.Join(folder, "none")); err == nil {
		t.Error("a missing folder is read")
	}
}
