package stacks

import (
	"fmt"
	"path"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangle returns the source name of a C++ or Rust symbol, and other symbols unchanged. It removes
// the prefixes that Android's linker and tools add.
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

// Function returns the code of the function symbol in a file. Java methods are identified only by
// their symbols. Other functions are identified by symbol and file.
func (t *Table) Function(file, symbol string) Code {
	symbol = Demangle(symbol)
	kind := KindOf(file, symbol)
	if kind.isJava() {
		return Code{Method: t.ID([]byte(javaName(symbol))), Kind: kind}
	}
	return Code{Method: t.native(file, []byte(path.Base(file)+"`"+symbol)), Kind: kind}
}

// javaName returns the class and the name of a Java method. The symbol of code that was compiled
// ahead of time includes types, as in void com.mine.Feed.load(int). So does the symbol of code that
// an older JIT compiler made. A name with a descriptor, as in Lcom/mine/Feed;.load(I)V, is
// complete.
func javaName(symbol string) string {
	before, _, ok := strings.Cut(symbol, "(")
	if !ok || strings.HasPrefix(symbol, "L") && (strings.Contains(before, ";.") || strings.Contains(before, ";::")) {
		return symbol
	}
	return before[strings.LastIndexByte(before, ' ')+1:]
}

// Unknown is the name of unknown code.
const Unknown = "[unknown]"

// Place returns the code at an address in a file, if the function is unknown. Addresses in the
// kernel, and in code compiled at run time, differ between runs, so all such code of a file is one
// method.
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
