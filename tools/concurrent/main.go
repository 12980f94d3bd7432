// Command concurrent prints the packages of this module whose code or tests start goroutines or use
// locks. The race detector can find faults only there. Other packages are tested with it through
// the packages that import them.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "concurrent:", err)
		os.Exit(1)
	}
}

// A pkg is a package as go list describes it.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func run(w io.Writer) error {
	command := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	command.Stderr = os.Stderr
	list, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	out := bufio.NewWriter(w)
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out.Flush()
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			found, err := concurrent(filepath.Join(p.Dir, file), nil)
			if err != nil {
				return err
			}
			if found {
				fmt.Fprintln(out, p.ImportPath)
				break
			}
		}
	}
}

// concurrently are the packages that only concurrent code uses. A server in a test answers each
// request in a goroutine.
var concurrently = []string{"sync", "sync/atomic", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore", "net/http/httptest", "testing/synctest"}

// concurrent reports whether a file starts goroutines, uses locks or has parallel tests. If text is
// nil, concurrent reads the file.
func concurrent(path string, text any) (bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(concurrently, name) {
			return true, nil
		}
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || n.Sel.Name == "Parallel" || n.Sel.Name == "RunParallel"
		}
		return !found
	})
	return found, nil
}
