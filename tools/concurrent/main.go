// Command concurrent prints the packages of this module whose code or tests start goroutines or use
// locks. Only in these packages can the race detector find faults. It also watches other packages
// when the packages that import them are tested. A package that has only tests is left out. It
// tests programs that it starts, and the race detector does not watch these programs.
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
	"strings"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "concurrent:", err)
		os.Exit(1)
	}
}

// A pkg is a package as go list describes it.
type pkg struct {
	ImportPath, Dir string
	GoFiles         []string
}

func run(w io.Writer) error {
	command := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles", "./...")
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
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if concurrent(parsed) {
				fmt.Fprintln(out, p.ImportPath)
				break
			}
		}
	}
}

// concurrently are the packages that only concurrent code uses.
var concurrently = []string{"sync/atomic", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore"}

// concurrent reports whether a file starts goroutines or uses locks.
// sync.OnceValue does not count as a lock, because code that uses it cannot cause a race.
func concurrent(file *ast.File) bool {
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(concurrently, name) {
			return true
		}
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			found = found || ok && id.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once")
		}
		return !found
	})
	return found
}
