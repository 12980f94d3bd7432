package html

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const web = "../../web"

// TestBundleIsCurrent compares the hash at the start of the bundle with the sources in web/. The
// hash covers names, lengths and contents in the order of names (web/bundle.ts).
func TestBundleIsCurrent(t *testing.T) {
	root := os.DirFS(web)
	files := []string{"bundle.ts", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts"}
	err := fs.WalkDir(root, "src", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	hash := sha256.New()
	for _, name := range files {
		content, err := fs.ReadFile(root, path.Clean(name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%s\n%d\n%s", name, len(content), content)
	}
	if want := fmt.Sprintf("sources sha256:%x\n", hash.Sum(nil)); !strings.Contains(script, want) {
		t.Errorf("app.js is older than its sources in web/: run make generate")
	}
}

// TestBundleFitsIntoAPage checks that the bundle is small and does not contain the end tags of its
// elements.
func TestBundleFitsIntoAPage(t *testing.T) {
	for _, end := range []string{"</script", "<!--"} {
		if strings.Contains(strings.ToLower(script), end) {
			t.Errorf("app.js contains %q", end)
		}
	}
	if strings.Contains(strings.ToLower(style), "</style") {
		t.Error("app.css contains </style")
	}
	if size := len(script) + len(style); size > 300<<10 {
		t.Errorf("the bundle has %d bytes: more than 300 KiB", size)
	}
	for _, notice := range []string{"Contains preact:", "Contains d3-shape:", "Permission is hereby granted"} {
		if !strings.Contains(script, notice) {
			t.Errorf("app.js lacks the licence notice %q", notice)
		}
	}
}
