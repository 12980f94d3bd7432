package stacks

import (
	"path"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A Kind is the kind of code of a frame in an Android app.
type Kind uint8

// The kinds of code.
const (
	// Native is code that was compiled ahead of time from C, C++ or Rust, or code of an unknown
	// kind.
	Native Kind = iota
	// Compiled is Java code that was compiled ahead of time.
	Compiled
	// Interpreted is Java code that the interpreter runs.
	Interpreted
	// JIT is code that a virtual machine compiled at run time.
	JIT
	// Runtime is the part of the virtual machine that runs methods: its interpreter, its stubs, its
	// entry points, and unknown parts.
	Runtime
	// Trampoline is code that calls native code from Java.
	Trampoline
	// Unnamed is code in a known file without a function name. Its address differs between runs.
	Unnamed
	// Nowhere is code at an address outside of any known file.
	Nowhere
	// Service is a named function of the virtual machine that does work of its own, such as a
	// function of the garbage collector or the class linker.
	Service
)

// KindOf returns the kind of a frame's code, from the path of its file and the name of its
// function.
func KindOf(file, symbol string) Kind {
	base := path.Base(file)
	switch {
	case strings.HasSuffix(symbol, "jni_trampoline"):
		return Trampoline
	case base == "libart.so", base == "libartd.so":
		if strings.Contains(symbol, "(_JNIEnv*") && !strings.Contains(symbol, "art::JNI") && !strings.Contains(symbol, "CheckJNI") {
			return Native // For example, art::Method_invoke is a native method of the platform.
		}
		if symbol == "" || runsMethods(symbol) {
			return Runtime
		}
		return Service
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

// runsMethods reports whether a function of ART does nothing but run methods.
func runsMethods(symbol string) bool {
	// Names of template functions begin with the result type.
	for _, result := range []string{"void ", "bool ", "art::JValue "} {
		symbol = strings.TrimPrefix(symbol, result)
	}
	for _, prefix := range []string{
		"art::interpreter::", "Execute", "Nterp", "nterp", "Mterp", "mterp", "art_quick_", "artQuick", "art_invoke_", "art_jni_", "artFindNativeMethod",
		"art::ArtMethod::Invoke", "art::Invoke", "art::JNI", "art::JniMethod", "art::Thread::CreateCallback", "art::instrumentation::", "_JNIEnv::Call",
		"art::(anonymous namespace)::CheckJNI", "art::(anonymous namespace)::Invoke", "art::(anonymous namespace)::ScopedCheck",
	} {
		if strings.HasPrefix(symbol, prefix) {
			return true
		}
	}
	return symbol == Unknown
}

// A Code is the code of a frame.
type Code struct {
	Method trace.MethodID
	Kind   Kind
	// Line is the line of the frame, as in trace.Sample.Lines. It is 0 if unknown.
	Line int32
}

// isJava reports whether code of this kind is a Java method.
func (k Kind) isJava() bool { return k == Compiled || k == Interpreted || k == JIT }

// isART reports whether code of this kind belongs to the virtual machine.
func (k Kind) isART() bool { return k == Runtime || k == Service || k == Trampoline }

// Tidy removes the frames of a stack that do not depend on the app. The stack has the outermost
// frame first. Tidy changes the slice in place. It removes:
//
//   - outermost frames outside of any file, with which a broken stack begins
//   - repetitions of an unknown frame
//   - frames of the virtual machine next to a Java method, through which ART runs methods
//   - a method that was compiled at run time, if its caller is the same method in the interpreter
//
// simpleperf's reports hide such frames of ART too. Unlike them, Tidy keeps work of the virtual
// machine, such as garbage collection, that calls no Java method. Tidy also keeps a function that a
// trampoline calls, because the app called it.
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
	// previous is the frame before the current one. It may be a JIT frame that was removed.
	previous := Code{Kind: Native}
	for i := 0; i < len(stack); {
		if c := stack[i]; !c.Kind.isART() {
			if c.Kind != JIT || previous.Method != c.Method || previous.Kind != Interpreted {
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
		leads := end < len(stack) && stack[end].Kind.isJava()
		hidden := previous.Kind.isJava() || leads
		for ; i < end; i++ {
			if !hidden || !leads && stack[i].Kind == Service || i > 0 && stack[i-1].Kind == Trampoline {
				out = append(out, stack[i])
				previous = stack[i]
			}
		}
	}
	return out
}
