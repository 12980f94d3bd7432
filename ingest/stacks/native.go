package stacks

import (
	"fmt"
	"path"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/diffprof/diffprof/trace"
)

// Demangle returns what a linker's symbol of C++ or Rust is called in its source, and other
// symbols as they are. It removes what Android's linker and its tools put before a name.
func Demangle(symbol string) string {
	symbol = strings.TrimPrefix(strings.TrimPrefix(symbol, "[DEDUPED] "), "[linker]")
	symbol = strings.TrimPrefix(symbol, "__dl_")
	if strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R") {
		return demangle.Filter(symbol)
	}
	return symbol
}

// Function returns the code of a function by its file and the symbol there. Methods of Java
// are named by their symbols alone, others by their files, too.
func (t *Table) Function(file, symbol string) Code {
	symbol = Demangle(symbol)
	kind := KindOf(file, symbol)
	if kind.isJava() {
		return Code{t.ID([]byte(symbol)), kind}
	}
	return Code{t.ID([]byte(path.Base(file) + "`" + symbol)), kind}
}

// Place returns the method of code in a file that no symbol names, by its address in it.
func (t *Table) Place(file string, address uint64) trace.MethodID {
	return t.ID(fmt.Appendf(nil, "%s`%#x", path.Base(file), address))
}
