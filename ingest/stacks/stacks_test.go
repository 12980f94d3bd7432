package stacks_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/ingest/stacks"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		file, symbol string
		want         stacks.Kind
	}{
		{"/apex/com.android.art/lib64/libart.so", "ExecuteNterpImpl", stacks.Runtime},
		{"/apex/com.android.art/lib64/libart.so", "art_quick_generic_jni_trampoline", stacks.Trampoline},
		{"/apex/com.android.art/lib64/libart.so", "art::Method_invoke(_JNIEnv*, _jobject*, _jobject*, _jobjectArray*)", stacks.Native},
		{"/apex/com.android.art/lib64/libart.so", "art::JNI<false>::CallObjectMethodV(_JNIEnv*, _jobject*, _jmethodID*, std::__va_list)", stacks.Runtime},
		{"/system/framework/arm64/boot.oat", "art_jni_trampoline", stacks.Trampoline},
		{"/system/framework/arm64/boot.oat", "java.lang.Object.wait", stacks.Compiled},
		{"/data/app/base.apk!classes2.dex", "a.b", stacks.Interpreted},
		{"/data/app/base.vdex", "a.b", stacks.Interpreted},
		{"/data/local/tmp/perf.data_jit_app_cache:15480-17544", "a.b", stacks.JIT},
		{"[JIT app cache]", "a.b", stacks.JIT},
		{"/data/local/tmp/TemporaryFile-abcdef", "a.b", stacks.JIT},
		{"/data/app/base.apk!/lib/arm64-v8a/libgame.so", "run", stacks.Native},
		{"[kernel.kallsyms]", "schedule", stacks.Native},
		{"/apex/com.android.art/lib64/libart.so", "art::gc::TaskProcessor::RunAllTasks(art::Thread*)", stacks.Service},
		{"/apex/com.android.art/lib64/libart.so", "void art::interpreter::ExecuteSwitchImplCpp<false>(art::interpreter::SwitchImplContext*)", stacks.Runtime},
		{"/apex/com.android.art/lib64/libart.so", "", stacks.Runtime},
	} {
		if got := stacks.KindOf(c.file, c.symbol); got != c.want {
			t.Errorf("%s of %s: kind %d, want %d", c.symbol, c.file, got, c.want)
		}
	}
}

// hide is the algorithm of simpleperf's report_utils.cpp, as an oracle. It goes from the innermost
// frame outwards and marks frames for removal. A Java frame marks the frames of ART on both sides
// of it. A trampoline unmarks its callee. A method that was compiled at run time is removed if its
// caller is the same method in the interpreter.
func hide(outermost []stacks.Code) []stacks.Code {
	chain := slices.Clone(outermost)
	slices.Reverse(chain)
	art := func(i int) bool {
		return i >= 0 && i < len(chain) && (chain[i].Kind == stacks.Runtime || chain[i].Kind == stacks.Service || chain[i].Kind == stacks.Trampoline)
	}
	marked := make([]bool, len(chain))
	for i, c := range chain {
		if c.Kind != stacks.Compiled && c.Kind != stacks.Interpreted && c.Kind != stacks.JIT {
			continue
		}
		for k := i - 1; art(k); k-- {
			marked[k] = true
		}
		for k := i + 1; art(k); k++ {
			marked[k] = true
		}
	}
	visible := slices.Clone(marked)
	for i, c := range chain {
		if marked[i] && c.Kind == stacks.Trampoline && i > 0 {
			visible[i-1] = false
		}
	}
	// Work of ART that calls no Java method is not hidden.
	leads := false
	for i, c := range chain {
		if !art(i) {
			leads = c.Kind == stacks.Compiled || c.Kind == stacks.Interpreted || c.Kind == stacks.JIT
		} else if c.Kind == stacks.Service && !leads {
			visible[i] = false
		}
	}
	var out []stacks.Code
	for i, c := range chain {
		if !visible[i] {
			out = append(out, c)
		}
	}
	for i := 0; i+1 < len(out); {
		if out[i].Kind == stacks.JIT && out[i+1] == (stacks.Code{Method: out[i].Method, Kind: stacks.Interpreted}) {
			out = slices.Delete(out, i, i+1)
			continue
		}
		i++
	}
	slices.Reverse(out)
	return out
}

func TestTidyHidesART(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		stack := make([]stacks.Code, rng.IntN(12))
		for i := range stack {
			if stack[i].Kind = stacks.Kind(rng.IntN(7)); stack[i].Kind == 6 {
				stack[i].Kind = stacks.Service
			}
			stack[i].Method = 7
			if stack[i].Kind == stacks.Native || stack[i].Kind == stacks.Compiled {
				stack[i].Method = 8
			}
		}
		want := hide(stack)
		if got := stacks.Tidy(slices.Clone(stack)); !slices.Equal(got, want) {
			t.Fatalf("%v: got %v, want %v", stack, got, want)
		}
	}
}

// TestTidyJoins checks that unknown frames are joined, and removed if they are outermost.
func TestTidyJoins(t *testing.T) {
	app, other := stacks.Code{Method: 1}, stacks.Code{Method: 2}
	nowhere, kernel := stacks.Code{Method: 3, Kind: stacks.Nowhere}, stacks.Code{Method: 4, Kind: stacks.Unnamed}
	for _, c := range []struct{ stack, want []stacks.Code }{
		{[]stacks.Code{nowhere, nowhere, app, app, nowhere, nowhere, other, kernel, kernel}, []stacks.Code{app, app, nowhere, other, kernel}},
		{[]stacks.Code{kernel, kernel, nowhere}, []stacks.Code{kernel, nowhere}},
		{[]stacks.Code{nowhere, nowhere}, []stacks.Code{nowhere}},
		{nil, nil},
	} {
		if got := stacks.Tidy(slices.Clone(c.stack)); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.stack, got, c.want)
		}
	}
}

func TestFunction(t *testing.T) {
	table := stacks.NewTable()
	plain := table.Function("/data/app/base.vdex", "com.mine.Feed.load")
	for _, symbol := range []string{"void com.mine.Feed.load(int, java.lang.String)", "[DEDUPED] com.mine.Feed.load"} {
		if c := table.Function("/data/app/base.odex", symbol); c.Method != plain.Method || c.Kind != stacks.Compiled {
			t.Errorf("%s: %v, want the method of %v", symbol, c, plain)
		}
	}
	native := table.Function("/lib64/libc.so", "_Z3runi")
	if methods, _ := table.Finish(); methods[native.Method].Label() != "libc.so`run(int)" {
		t.Errorf("native: %v", methods[native.Method].Label())
	}
}

func TestDemangle(t *testing.T) {
	for symbol, want := range map[string]string{
		"__dl__ZNK6soinfo11find_symbolEv": "soinfo::find_symbol() const",
		"[linker]call_array":              "call_array",
		"[DEDUPED] com.mine.Main.run":     "com.mine.Main.run",
		"com.mine.Main.run [DEDUPED]":     "com.mine.Main.run",
		"_RNvC6_123foo3bar":               "123foo::bar",
		"_start":                          "_start",
		"runtime.goexit.abi0":             "runtime.goexit",
	} {
		if got := stacks.Demangle(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

// TestBuiltPrograms names code of two builds of a program, to whose file Cargo adds a hash.
func TestBuiltPrograms(t *testing.T) {
	table := stacks.NewTable()
	file := "/home/me/app/target/release/deps/app-"
	first, second := table.Place(file+"42c3b59313e7207c", 0x1240), table.Place(file+"c7dc50e60195483d", 0x1240)
	other := table.Place(file+"old", 0x1240)
	methods, _ := table.Finish()
	if m := methods[first.Method]; first != second || m.Module != "/home/me/app/target/release/deps/app" || m.Label() != "app`0x1240" {
		t.Errorf("%s in %s, and %s", m.Label(), m.Module, methods[second.Method].Label())
	}
	if m := methods[other.Method]; m.Module != file+"old" {
		t.Errorf("a program without a hash is %s", m.Module)
	}
}
