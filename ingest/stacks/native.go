package stacks

import (
	"fmt"
	"path"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangle returns the source name of a linker's symbol of C++ or Rust, and other symbols
// unchanged. It removes the prefixes that Android's linker and its tools add.
func Demangle(symbol string) string {
	symbol = strings.TrimSuffix(strings.TrimPrefix(symbol, "[DEDUPED] "), " [DEDUPED]")
	symbol = strings.TrimSuffix(strings.TrimPrefix(symbol, "[linker]"), ".abi0") // the suffix is from Go's assembly
	symbol = strings.TrimPrefix(symbol, "__dl_")
	if strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R") {
		return demangle.Filter(symbol, demangle.NoClones)
	}
	// Other tools add a suffix for the copy of the code.
	if i := strings.LastIndex(symbol, " (."); i > 0 && strings.HasSuffix(symbol, ")") {
		symbol = symbol[:i]
	}
	return symbol
}

// Function returns the code of a function by its file and the symbol there. Methods of Java are
// identified by their symbols alone, others by their files too.
func (t *Table) Function(file, symbol string) Code {
	symbol = Demangle(symbol)
	kind := KindOf(file, symbol)
	if kind.isJava() {
		return Code{t.ID([]byte(javaName(symbol))), kind}
	}
	return Code{t.in(file, []byte(path.Base(file)+"`"+symbol)), kind}
}

// javaName returns the class and the name of a method. Code that was compiled ahead of time, or
// by older compilers while it ran, has types around them: void com.mine.Feed.load(int). A name with a
// descriptor is complete: Lcom/mine/Feed;.load(I)V.
func javaName(symbol string) string {
	before, _, ok := strings.Cut(symbol, "(")
	if !ok || strings.HasPrefix(symbol, "L") && (strings.Contains(before, ";.") || strings.Contains(before, ";::")) {
		return symbol
	}
	return before[strings.LastIndexByte(before, ' ')+1:]
}

// Unknown is the name of unknown code.
const Unknown = "[unknown]"

// Place returns the code at an address in a file without a symbol. Addresses in the kernel and
// in code compiled while an app runs differ between runs, so all such code of a file is one
// method.
func (t *Table) Place(file string, address uint64) Code {
	kind := KindOf(file, "")
	switch {
	case strings.HasPrefix(file, "[kernel.kallsyms]"):
		return Code{t.ID([]byte(file + "`" + Unknown)), Unnamed}
	case kind == JIT:
		return Code{t.ID([]byte("[JIT]`" + Unknown)), kind}
	}
	return Code{t.in(file, fmt.Appendf(nil, "%s`%#x", path.Base(file), address)), kind}
}

// Nowhere returns the code of addresses outside of any known file.
func (t *Table) Nowhere() Code { return Code{t.ID([]byte(Unknown)), Nowhere} }
