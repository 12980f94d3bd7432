package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed packaging
var packaging embed.FS

// manifests writes the files for other ways of installing, from the templates.
func (r *release) manifests() error {
	templates, err := template.ParseFS(packaging, "packaging/*")
	if err != nil {
		return err
	}
	type archive struct{ Name, Folder, SHA256 string }
	values := struct {
		Version  string
		Download string
		Archives map[string]archive
	}{r.version, "https://github.com/diffprof/diffprof/releases/download/v" + r.version, map[string]archive{}}
	for _, p := range platforms {
		sum, err := sum(filepath.Join(r.out, r.archiveName(p)))
		if err != nil {
			return err
		}
		values.Archives[p.goos+"_"+p.goarch] = archive{r.archiveName(p), r.folder(p), sum}
	}
	for _, t := range templates.Templates() {
		var out bytes.Buffer
		if err := t.Execute(&out, values); err != nil {
			return err
		}
		if err := r.write(t.Name(), func() ([]byte, error) { return out.Bytes(), nil }); err != nil {
			return err
		}
	}
	return nil
}

// sums writes the checksums of all files, in the format of sha256sum -c.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out) // sorted by name
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, e := range entries {
		sum, err := sum(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, e.Name())
	}
	return r.write("SHA256SUMS", func() ([]byte, error) { return out.Bytes(), nil })
}

func sum(path string) (string, error) {
	content, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(content)), err
}
