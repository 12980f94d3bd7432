package pprof

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// dependencies returns the Go packages of other modules than the program's own, with their modules.
// The path of a source file shows the module:
//
//	/home/me/go/pkg/mod/go.uber.org/zap@v1.27.0/zapcore/core.go   in the module cache
//	go.uber.org/zap@v1.27.0/zapcore/core.go                       built with -trimpath
//	/home/me/app/vendor/go.uber.org/zap/zapcore/core.go           in a vendor folder
//
// The result is empty if all code outside of the standard library seems to be a dependency. The
// program itself may be in the module cache.
func (t *tables) dependencies() map[string]string {
	found := make(map[string]string)
	own, hasOwn := "", false
	for i := range t.functions {
		f := &t.functions[i]
		file := strings.ReplaceAll(t.text(f.file), `\`, "/")
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		m := name.Parse(t.text(f.name), name.Go)
		switch module := goModule(file, m.Scope); {
		case m.Scope == "":
		case m.Scope == "main":
			own, hasOwn = mainModule(file), true
		case module != "":
			found[m.Scope] = module
		case !isStandard(file, m.Scope):
			hasOwn = true
		}
	}
	for pkg, module := range found {
		if own != "" && strings.HasSuffix(own, module) {
			delete(found, pkg)
		}
	}
	if !hasOwn {
		return nil
	}
	return found
}

// goModule returns the module of a dependency's package, or "" if the path of its source file does
// not show that it is a dependency. The package's path begins with the module's path.
func goModule(file, pkg string) string {
	if _, rest, ok := strings.Cut(file, "@v"); ok {
		module := pkg
		for range strings.Count(rest, "/") - 1 {
			module = module[:max(0, strings.LastIndexByte(module, '/'))]
		}
		return module
	}
	if strings.Contains(file, "/vendor/"+pkg+"/") {
		return pkg
	}
	return ""
}

// mainModule returns the path of the module that has the package main in a file, with the folders
// above it. It is "" if the file is not in a module cache.
func mainModule(file string) string {
	module, _, ok := strings.Cut(file, "@v")
	if !ok {
		return ""
	}
	return module
}

// isStandard reports whether a file may be in the source tree of Go.
func isStandard(file, pkg string) bool {
	host, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(host, ".") && (strings.Contains(file, "/src/"+pkg+"/") || strings.HasPrefix(file, pkg+"/"))
}
