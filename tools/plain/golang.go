package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// readGo returns the comments of a Go file and, unless it is a test, the sentences in its strings:
// errors, warnings, words of reports, and the help of flags.
func readGo(name string, source []byte) ([]line, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, group := range file.Comments {
		for _, c := range group.List {
			part := goComment(files.Position(c.Pos()).Line, c.Text)
			if len(part) > 0 && len(lines) > 0 && c != group.List[0] && lines[len(lines)-1].number == part[0].number-1 && !startsItem(part[0].text) {
				part[0].breaks = false
			}
			lines = append(lines, part...)
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return lines, nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BinaryExpr:
			if text, ok := joined(n); ok {
				lines = append(lines, sentences(files.Position(n.Pos()).Line, text)...)
				return false
			}
		case *ast.BasicLit:
			if text, ok := joined(n); ok {
				lines = append(lines, sentences(files.Position(n.Pos()).Line, text)...)
			}
		}
		return true
	})
	return lines, nil
}

func startsItem(text string) bool {
	return strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "# ")
}

// goComment returns the lines of one comment. It returns nil for a directive such as //go:embed.
func goComment(first int, text string) []line {
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return nil
		}
		return prose(first, []string{strings.TrimPrefix(rest, " ")})
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	return prose(first, strings.Split(text, "\n"))
}

// joined returns the text of a string literal, or of several literals that are concatenated.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := joined(e.X)
		right, also := joined(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}
