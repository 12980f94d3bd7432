// Command changed prints the packages of this module that a change can break: the packages with a
// file that differs from a commit, and all packages that import one of them, including imports in
// tests.
//
//	changed [COMMIT]
//
// COMMIT is HEAD by default. Files that git does not track yet count as changed too.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	commit := "HEAD"
	if len(os.Args) > 1 {
		commit = os.Args[1]
	}
	if err := run(os.Stdout, commit); err != nil {
		fmt.Fprintln(os.Stderr, "changed:", err)
		os.Exit(1)
	}
}

// A pkg is a package as go list describes it.
type pkg struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

func run(w io.Writer, commit string) error {
	root, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	tracked, err := output("git", "diff", "--name-only", "-z", commit)
	if err != nil {
		return err
	}
	untracked, err := output("git", "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
	if err != nil {
		return err
	}
	list, err := output("go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return err
	}
	pkgs, err := decode(list)
	if err != nil {
		return err
	}
	base := strings.TrimSpace(root)
	for i := range pkgs {
		dir, err := filepath.Rel(base, pkgs[i].Dir)
		if err != nil {
			return err
		}
		pkgs[i].Dir = filepath.ToSlash(dir)
	}
	files := strings.FieldsFunc(tracked+untracked, func(r rune) bool { return r == 0 })
	for _, name := range broken(pkgs, files) {
		fmt.Fprintln(w, name)
	}
	return nil
}

// decode reads the objects that go list writes.
func decode(list string) ([]pkg, error) {
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(list)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// broken returns the import paths of the packages that changes of files can break, in order.
// Directories and files are relative to the root of the repository, with slashes. A file belongs to
// the nearest package at or above it, so testdata belongs to its package. A change of go.mod or
// go.sum can break every package.
func broken(pkgs []pkg, files []string) []string {
	byDir, importers, testers := make(map[string]string), make(map[string][]string), make(map[string][]string)
	for _, p := range pkgs {
		byDir[p.Dir] = p.ImportPath
		for _, imported := range p.Imports {
			importers[imported] = append(importers[imported], p.ImportPath)
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			testers[imported] = append(testers[imported], p.ImportPath)
		}
	}
	found := make(map[string]bool)
	var add func(name string)
	add = func(name string) {
		if found[name] {
			return
		}
		found[name] = true
		for _, importer := range importers[name] {
			add(importer)
		}
	}
	for _, file := range files {
		if file == "go.mod" || file == "go.sum" {
			for _, p := range pkgs {
				add(p.ImportPath)
			}
		}
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			if name := byDir[dir]; name != "" {
				add(name)
				break
			}
			if dir == "." {
				break
			}
		}
	}
	// A package whose tests alone import a broken package breaks no other package.
	names := slices.Collect(maps.Keys(found))
	for _, name := range slices.Clone(names) {
		names = append(names, testers[name]...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// output runs a command and returns its standard output.
func output(name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	var failed bytes.Buffer
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(failed.String()))
	}
	return string(out), nil
}
