package group

import (
	"os"
	"path/filepath"
	"testing"
)

// TestStoredPairs stores a pair and loads it again. A place without a pair, a damaged file, and a
// store without a folder have none.
func TestStoredPairs(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "folder")
	s := &store{folder: folder}
	if _, ok := s.load("a"); ok {
		t.Error("a folder that does not exist has a pair")
	}
	if err := s.save("a", &pair{}); err != nil {
		t.Fatal(err)
	}
	if p, ok := s.load("a"); !ok || p == nil {
		t.Error("the stored pair is not found")
	}
	if _, ok := s.load("b"); ok {
		t.Error("another place has a pair")
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 || files[0].Name() != "a" {
		t.Errorf("the files are %v, %v", files, err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "a"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) / 2 {
		if err := os.WriteFile(filepath.Join(folder, "cut"), data[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.load("cut"); ok {
			t.Errorf("the first %d of %d bytes are a pair", n, len(data))
		}
	}
	// A folder at the place of a pair cannot be replaced.
	if err := os.MkdirAll(filepath.Join(folder, "taken", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := s.save("taken", &pair{}); err == nil {
		t.Error("a folder is replaced")
	}
	if files, err := filepath.Glob(filepath.Join(folder, "*.part")); err != nil || len(files) > 0 {
		t.Errorf("%v are left, %v", files, err)
	}
	var none store
	if err := none.save("a", &pair{}); err != nil {
		t.Error(err)
	}
	if _, ok := none.load("a"); ok {
		t.Error("a store without a folder has a pair")
	}
}
