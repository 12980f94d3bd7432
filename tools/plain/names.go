package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A staleName is a name in the comment of a function that nothing in the code has. Mostly it is the
// former name of a parameter.
type staleName struct {
	file           string
	line           int
	function, name string
}

// subjects matches names at the beginning of a sentence. English sentences begin with a capital
// letter, so a word with a small letter is a name in the code.
var subjects = regexp.MustCompile(`(?:^|\. )(` + identifier + `(?:(?:, ` + identifier + `)*,? (?:and|or) ` + identifier + `)?) [a-z]`)

// called matches the name of a function that a comment says is called, as in "calls visit for each
// row".
var called = regexp.MustCompile(`\bcalls (` + identifier + `) (?:for|with|once)\b`)

const identifier = `[a-z][A-Za-z0-9_]*`

// abbreviations end with a period and do not end a sentence.
var abbreviations = strings.NewReplacer("al. ", "al ", "e.g. ", "", "i.e. ", "", "vs. ", "")

// programs are names of programs that sentences begin with.
var programs = []string{"adb", "diffprof", "git", "gopls", "perf", "pprof", "simpleperf", "strace"}

// staleNames returns the names in comments of functions that neither the function nor its package
// has. It reads the Go files in folders, except tests.
func staleNames(folders []string) ([]staleName, error) {
	packages := map[string][]*ast.File{}
	files := token.NewFileSet()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != folder && skipped(d.Name()):
				return fs.SkipDir
			case !d.Type().IsRegular() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			source, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			packages[filepath.Dir(name)] = append(packages[filepath.Dir(name)], file)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var found []staleName
	for _, parsed := range packages {
		found = append(found, staleIn(files, parsed)...)
	}
	slices.SortFunc(found, func(a, b staleName) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), strings.Compare(a.name, b.name))
	})
	return found, nil
}

// staleIn returns the stale names in a package.
func staleIn(files *token.FileSet, parsed []*ast.File) []staleName {
	declared := map[string]bool{"nil": true, "true": true, "false": true}
	for _, name := range programs {
		declared[name] = true
	}
	for _, file := range parsed {
		declare(file, declared)
	}
	var found []staleName
	for _, file := range parsed {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Doc == nil {
				continue
			}
			own := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					own[id.Name] = true
				}
				return true
			})
			for _, name := range named(f.Doc.Text()) {
				if !own[name] && !declared[name] {
					at := files.Position(f.Doc.Pos())
					found = append(found, staleName{filepath.ToSlash(at.Filename), at.Line, f.Name.Name, name})
				}
			}
		}
	}
	return found
}

// declare adds the names that a file declares or imports: packages, functions, types with their
// fields and methods, constants and variables.
func declare(file *ast.File, declared map[string]bool) {
	declared[file.Name.Name] = true
	for _, spec := range file.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			declared[path.Base(imported)] = true
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			declared[d.Name.Name] = true
		case *ast.GenDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					declared[id.Name] = true
				}
				return true
			})
		}
	}
}

// named returns the names that sentences of a comment begin with, and the names of functions that
// it says are called. It leaves out blocks of code.
func named(comment string) []string {
	var names []string
	for paragraph := range strings.SplitSeq(comment, "\n\n") {
		if strings.HasPrefix(paragraph, "\t") || strings.HasPrefix(paragraph, " ") {
			continue
		}
		text := abbreviations.Replace(strings.Join(strings.Fields(paragraph), " "))
		for _, m := range slices.Concat(subjects.FindAllStringSubmatch(text, -1), called.FindAllStringSubmatch(text, -1)) {
			for _, word := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ' ' || r == ',' }) {
				if word != "and" && word != "or" {
					names = append(names, word)
				}
			}
		}
	}
	return names
}
