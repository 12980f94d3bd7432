// Command concurrent prints the packages of this module in which the race detector can find faults:
// those that start goroutines, and those that use locks and whose tests start goroutines. The race
// detector also watches other packages while the packages that import them are tested. The command
// leaves out packages that have only tests. They test programs that they start, which the race
// detector does not watch.
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
	ImportPath, Dir           string
	GoFiles                   []string
	TestGoFiles, XTestGoFiles []string
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
		own, err := p.use(p.GoFiles)
		if err != nil {
			return err
		}
		var tests use
		if own.locks && !own.starts {
			if tests, err = p.use(slices.Concat(p.TestGoFiles, p.XTestGoFiles)); err != nil {
				return err
			}
		}
		if own.starts || tests.starts {
			fmt.Fprintln(out, p.ImportPath)
		}
	}
}

// A use says how files use goroutines.
type use struct{ starts, locks bool }

// use reads files of the package.
func (p *pkg) use(files []string) (all use, err error) {
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return use{}, err
		}
		u := concurrent(parsed)
		all = use{all.starts || u.starts, all.locks || u.locks}
	}
	return all, nil
}

// concurrent says how a file uses goroutines. sync.OnceValue and sync.Pool do not count as locks,
// because code that uses them shares nothing else.
func concurrent(file *ast.File) (u use) {
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && name == "sync/atomic" {
			u.locks = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			u.starts = true
		case *ast.CallExpr:
			method, ok := n.Fun.(*ast.SelectorExpr)
			u.starts = u.starts || ok && method.Sel.Name == "Go" // sync.WaitGroup and errgroup.Group have this method.
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			u.locks = u.locks || ok && id.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once") && n.Sel.Name != "Pool"
		}
		return true
	})
	return u
}
