// Package page keeps the pages that a browser shows, in a temporary folder.
package page

import (
	"errors"
	"os"
	"sync"
)

// A Folder keeps pages until Remove. The zero value is empty. Its methods may be called
// concurrently.
type Folder struct {
	mu   sync.Mutex
	path string
}

// Add writes a page of HTML, and returns its path.
func (f *Folder) Add(data []byte) (path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		if f.path, err = os.MkdirTemp("", "diffprof-"); err != nil {
			return "", err
		}
	}
	file, err := os.CreateTemp(f.path, "report-*.html")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	return file.Name(), errors.Join(err, file.Close())
}

// Remove removes all pages.
func (f *Folder) Remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return nil
	}
	path := f.path
	f.path = ""
	return os.RemoveAll(path)
}
