package stacks

import (
	"fmt"
	"path"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangle returns the source name of a C++ or Rust symbol. It removes the prefixes that Android's
// linker and tools add. It returns other symbols unchanged.
func Demangle(symbol string) string {
	symbol = strings.TrimSuffix(strings.TrimPrefix(symbol, "[DEDUPED] "), " [DEDUPED]")
	symbol = strings.TrimSuffix(strings.TrimPrefix(symbol, "[linker]"), ".abi0") // The suffix comes from Go's assembly.
	symbol = strings.TrimPrefix(symbol, "__dl_")
	if strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "_R") {
		return demangle.Filter(symbol, demangle.NoClones)
	}
	// Other tools add a suffix, such as (.cold), that distinguishes copies of a function's code.
	if i := strings.LastIndex(symbol, " (."); i > 0 && strings.HasSuffix(symbol, ")") {
		symbol = symbol[:i]
	}
	return symbol
}

// Function returns the code of a function in a file. A Java method is identified by its symbol
// alone, and any other function by its symbol and file.
func (t *Table) Function(file, symbol string) Code {
	symbol = Demangle(symbol)
	kind := KindOf(file, symbol)
	if kind.isJava() {
		return Code{Method: t.ID([]byte(javaName(symbol))), Kind: kind}
	}
	return Code{Method: t.native(file, []byte(path.Base(file)+"`"+symbol)), Kind: kind}
}

// javaName returns the class and the name of a Java method. For example, it returns
// com.mine.Feed.load for the symbol void com.mine.Feed.load(int), which compiled code has. A symbol
// with a descriptor, such as Lcom/mine/Feed;.load(I)V, is returned unchanged.
func javaName(symbol string) string {
	before, _, ok := strings.Cut(symbol, "(")
	if !ok || strings.HasPrefix(symbol, "L") && (strings.Contains(before, ";.") || strings.Contains(before, ";::")) {
		return symbol
	}
	return before[strings.LastIndexByte(before, ' ')+1:]
}

// Unknown is the name of unknown code.
const Unknown = "[unknown]"

// Place returns the code at an address of an unknown function. Kernel code without a function is
// one method, and so is code compiled at run time, because the addresses differ between runs.
func (t *Table) Place(file string, address uint64) Code {
	kind := KindOf(file, "")
	switch {
	case strings.HasPrefix(file, "[kernel.kallsyms]"):
		return Code{Method: t.ID([]byte(file + "`" + Unknown)), Kind: Unnamed}
	case kind == JIT:
		return Code{Method: t.ID([]byte("[JIT]`" + Unknown)), Kind: kind}
	}
	return Code{Method: t.native(file, fmt.Appendf(nil, "%s`%#x", path.Base(file), address)), Kind: kind}
}

// Nowhere returns the code for addresses outside of any known file.
func (t *Table) Nowhere() Code { return Code{Method: t.ID([]byte(Unknown)), Kind: Nowhere} }
