package page_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/diffprof/diffprof/server/internal/page"
)

func TestFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var f page.Folder
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	paths := make([]string, 8)
	var all sync.WaitGroup
	for i := range paths {
		all.Go(func() {
			var err error
			if paths[i], err = f.Add([]byte{byte(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, path := range paths {
		if data, err := os.ReadFile(path); err != nil || string(data) != string([]byte{byte(i)}) || filepath.Dir(path) != filepath.Dir(paths[0]) {
			t.Errorf("%s has %q, %v", path, data, err)
		}
	}
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(paths[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := f.Add(nil); err == nil {
		t.Error("no error without a folder for temporary files")
	}
}
