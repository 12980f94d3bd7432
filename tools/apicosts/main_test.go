package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated compares the files in testdata with the output of the program.
func TestGenerated(t *testing.T) {
	for file, want := range files() {
		got, err := os.ReadFile(filepath.Join("../../testdata/apicosts", file))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the program makes: run make generate (%v)", file, err)
		}
	}
}
