package format_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/ingest/format"
)

// TestPrograms opens the folder of programs. Without a folder there is none, and a missing folder is
// an error.
func TestPrograms(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "app"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if root, err := (&format.Options{}).Programs(); root != nil || err != nil {
		t.Errorf("no folder: %v, %v", root, err)
	}
	root, err := (&format.Options{Symfs: folder}).Programs()
	if err != nil || root == nil {
		t.Fatalf("a folder: %v, %v", root, err)
	}
	if _, err := root.Stat("app"); err != nil {
		t.Error(err)
	}
	root.Close()
	if root, err := (&format.Options{Symfs: filepath.Join(folder, "none")}).Programs(); err == nil || root != nil {
		t.Errorf("a missing folder: %v, %v", root, err)
	}
}
