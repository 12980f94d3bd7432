package stacks

import (
	"path"
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

// HideART removes from a stack, which is outermost first, the frames that say how ART ran a
// method and not what ran: those of the virtual machine in a row that a method of Java is
// next to, and a compiled method that the interpreter called for the same method. The
// function that a trampoline calls is the app's, even in the virtual machine's library. It
// works in place.
func HideART(stack []Code) []Code {
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
