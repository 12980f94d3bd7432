package stacks

import (
	"path"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A Kind says whose code a frame of an Android app is.
type Kind uint8

// The kinds of code.
const (
	// Native is compiled ahead of time from C, C++ or Rust, or not known.
	Native Kind = iota
	// Compiled is Java that was compiled ahead of time.
	Compiled
	// Interpreted is Java that the interpreter runs.
	Interpreted
	// JIT is code that a virtual machine compiled while it ran.
	JIT
	// Runtime is the virtual machine itself: its interpreter, its stubs and its heap.
	Runtime
	// Trampoline calls native code from Java.
	Trampoline
	// Unnamed is code of which only the file is known, and which lies elsewhere in each run.
	Unnamed
	// Nowhere is what lies in no file that is known.
	Nowhere
)

// KindOf tells the kind of a frame by the path of its file and the name of its function.
func KindOf(file, symbol string) Kind {
	base := path.Base(file)
	switch {
	case strings.HasSuffix(symbol, "jni_trampoline"):
		return Trampoline
	case base == "libart.so", base == "libartd.so":
		if strings.Contains(symbol, "(_JNIEnv*") && !strings.Contains(symbol, "art::JNI") && !strings.Contains(symbol, "CheckJNI") {
			return Native // a native method of the platform, such as art::Method_invoke
		}
		return Runtime
	case strings.Contains(file, "jit_app_cache"), strings.Contains(file, "jit_zygote_cache"), strings.Contains(file, "jit-cache"),
		strings.HasPrefix(file, "[JIT "), strings.HasPrefix(base, "TemporaryFile"),
		strings.HasPrefix(base, "perf-") && strings.HasSuffix(base, ".map"):
		return JIT
	}
	switch path.Ext(base) {
	case ".oat", ".odex", ".art":
		return Compiled
	case ".vdex", ".dex", ".jar", ".apk":
		return Interpreted
	}
	return Native
}

// A Code is what a frame stands for.
type Code struct {
	Method trace.MethodID
	Kind   Kind
}

// isJava says whether a kind is that of methods of Java.
func (k Kind) isJava() bool { return k == Compiled || k == Interpreted || k == JIT }

// isART says whether a kind is that of the virtual machine.
func (k Kind) isART() bool { return k == Runtime || k == Trampoline }

// Tidy removes from a stack, which is outermost first, the frames that say nothing of what
// ran. It works in place.
//
// Of frames in a row of which nothing is known one stands for all, and outside of all others
// those that lie nowhere go: a broken stack ends so. Then the frames go that say how ART ran a
// method, as simpleperf's reports leave them out: those of the virtual machine in a row that
// a method of Java is next to, and a compiled method that the interpreter called for the
// same method. The function that a trampoline calls is the app's, even in the virtual
// machine's library.
func Tidy(stack []Code) []Code {
	for len(stack) > 1 && stack[0].Kind == Nowhere {
		stack = stack[1:]
	}
	return hideART(slices.CompactFunc(stack, func(a, b Code) bool {
		return a == b && (a.Kind == Nowhere || a.Kind == Unnamed)
	}))
}

func hideART(stack []Code) []Code {
	out := stack[:0]
	// previous is the frame before, whether it was removed as compiled or not.
	previous := Code{Kind: Native}
	for i := 0; i < len(stack); {
		if c := stack[i]; !c.Kind.isART() {
			if c.Kind != JIT || previous != (Code{c.Method, Interpreted}) {
				out = append(out, c)
			}
			previous = c
			i++
			continue
		}
		end := i
		for end < len(stack) && stack[end].Kind.isART() {
			end++
		}
		hidden := previous.Kind.isJava() || end < len(stack) && stack[end].Kind.isJava()
		for ; i < end; i++ {
			if !hidden || i > 0 && stack[i-1].Kind == Trampoline {
				out = append(out, stack[i])
				previous = stack[i]
			}
		}
	}
	return out
}
