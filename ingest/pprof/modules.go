package pprof

import (
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// dependencies returns the Go packages of other modules than the program's own, with their modules.
// sources has the source files of methods. The path of a file shows the module:
//
//	/home/me/go/pkg/mod/go.uber.org/zap@v1.27.0/zapcore/core.go   in the module cache
//	go.uber.org/zap@v1.27.0/zapcore/core.go                       built with -trimpath
//	/home/me/app/vendor/go.uber.org/zap/zapcore/core.go           in a vendor folder
//
// The result is empty if all code outside of the standard library seems to be a dependency. The
// program itself may be in the module cache.
func dependencies(t *trace.Trace, sources map[trace.MethodID]string) map[string]string {
	found, others := make(map[string]string), make(map[string]bool)
	own, hasOwn := "", false
	for m, file := range sources {
		file = strings.ReplaceAll(file, `\`, "/")
		pkg := t.Methods[m].Scope
		switch module := goModule(file, pkg); {
		case pkg == "":
		case pkg == "main":
			own, hasOwn = max(own, mainModule(file)), true
		case module != "":
			found[pkg] = module
		case !isStandard(file, pkg):
			others[pkg] = true
		}
	}
	for pkg := range others {
		hasOwn = hasOwn || found[pkg] == ""
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
// not show that it is a dependency. The package's path begins with the module's path. It does not
// if a function of another package was inlined: its closures then count as the caller's package. The
// path in a vendor folder does not show where the module ends, so the result is then the package.
func goModule(file, pkg string) string {
	if folder, rest, ok := strings.Cut(file, "@v"); ok {
		module := pkg
		for range strings.Count(rest, "/") - 1 {
			module = module[:max(0, strings.LastIndexByte(module, '/'))]
		}
		if module == "" || !strings.HasSuffix(unescaped(folder), module) {
			return ""
		}
		return module
	}
	if strings.Contains(file, "/vendor/"+pkg+"/") {
		return pkg
	}
	return ""
}

// unescaped returns a path of the module cache with capital letters, which the cache writes as !
// and the small letter.
func unescaped(path string) string {
	parts := strings.Split(path, "!")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// mainModule returns the path of the module that has the package main in a file, with the folders
// above it. It is "" if the file is not in a module cache.
func mainModule(file string) string {
	module, _, ok := strings.Cut(file, "@v")
	if !ok {
		return ""
	}
	return unescaped(module)
}

// isStandard reports whether a file may be in the source tree of Go.
func isStandard(file, pkg string) bool {
	host, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(host, ".") && (strings.Contains(file, "/src/"+pkg+"/") || strings.HasPrefix(file, pkg+"/"))
}
