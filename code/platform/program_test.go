package platform

import (
	"testing"

	"github.com/diffprof/diffprof/name"
)

// ranOf returns a run with the calls of some stacks. The outermost function comes first.
func ranOf(stacks ...[]string) Run {
	var r Run
	at := make(map[string]int)
	var calls [][2]int
	for _, stack := range stacks {
		caller := -1
		for _, frame := range stack {
			callee, ok := at[frame]
			if !ok {
				callee = len(r.Methods)
				at[frame] = callee
				r.Methods = append(r.Methods, name.Parse(frame, name.Unknown))
			}
			calls = append(calls, [2]int{caller, callee})
			caller = callee
		}
	}
	r.Calls = func(yield func(caller, callee int) bool) {
		for _, c := range calls {
			if !yield(c[0], c[1]) {
				return
			}
		}
	}
	return r
}

// TestProgram checks that a function with only a name belongs to the program, unless its name or
// its callers show that it belongs to the system.
func TestProgram(t *testing.T) {
	type owners map[string]Owner
	for called, c := range map[string]struct {
		stacks [][]string
		want   owners
	}{
		"a program": {
			[][]string{{"main", "parse", "tokenize"}, {"main", "shop::Cart::add(int)", "std::vector<int>::push_back(int&&)"}, {"main", "parse file"}},
			owners{"main": App, "parse": App, "tokenize": App, "shop::Cart::add(int)": App, "std::vector<int>::push_back(int&&)": Framework, "parse file": App},
		},
		"the C library, and what it calls alone": {
			[][]string{{"main", "malloc", "checked", "grow"}, {"main", "printf", "__libc_write"}, {"grow"}},
			owners{"main": App, "malloc": Framework, "checked": Framework, "grow": App, "printf": Framework, "__libc_write": Framework},
		},
		"functions of the system that call back": {
			[][]string{{"_start", "__libc_start_main", "main", "qsort", "cmp", "weigh"}},
			owners{"_start": Framework, "main": App, "qsort": Framework, "cmp": App, "weigh": App},
		},
		"the kernel, marked or not": {
			[][]string{{"main", "hash", "asm_sysvec_apic_timer_interrupt", "irq_work"}, {"main", "vfs_write_[k]"}, {"main", "[libm.so.6]"}},
			owners{"hash": App, "irq_work": Framework, "vfs_write_[k]": Framework, "[libm.so.6]": Framework},
		},
		"frames that are no functions": {
			[][]string{{"main", "(idle)"}, {"main", "0x7f33a0"}, {"main", "_94433017692206"}, {"main", "[unknown]"}, {"main", "7f33a0b1"}, {"main", "add"}},
			owners{"main": App, "(idle)": Caller, "0x7f33a0": Caller, "_94433017692206": Caller, "[unknown]": Caller, "7f33a0b1": Caller, "add": App},
		},
		"a function that a library calls too": {
			[][]string{{"main", "libc.so.6`bsearch_inner", "compare"}, {"main", "compare"}},
			owners{"compare": App},
		},
		"a program's file": {
			[][]string{{"indexer`_start", "libc.so.6`__libc_start_call_main", "indexer`main", "libfoo.so`read_all"}},
			owners{"indexer`_start": Framework, "indexer`main": App, "libfoo.so`read_all": Caller},
		},
		"the templates of the C++ library": {
			[][]string{{"shop`main", "shop`std::sort<int*>(int*, int*)", "shop`mine::less(int, int)"}, {"shop`main", "shop`std::__detail::_Map_base<int>::operator[](int)"}, {"shop`main", "shop`stdio::Log::write()"}},
			owners{"shop`main": App, "shop`std::sort<int*>(int*, int*)": Framework, "shop`mine::less(int, int)": App, "shop`std::__detail::_Map_base<int>::operator[](int)": Framework, "shop`stdio::Log::write()": App},
		},
		"assembly code of Go": {
			[][]string{{"/tmp/orders`main.main", "/tmp/orders`gcWriteBarrier", "/tmp/orders`runtime.wbBufFlush"}, {"/tmp/orders`total"}},
			owners{"/tmp/orders`gcWriteBarrier": Caller, "/tmp/orders`runtime.wbBufFlush": Framework, "/tmp/orders`total": App},
		},
		"managed code: native functions are its own or its runtime's": {
			[][]string{{"start_thread", "com.mine.Main.run()V", "memcpy_inner"}},
			owners{"start_thread": Caller, "memcpy_inner": Caller},
		},
		"another language": {
			[][]string{{"main.main", "helper"}},
			owners{"helper": Caller},
		},
	} {
		t.Run(called, func(t *testing.T) {
			p := new(Platform).Running(ranOf(c.stacks...))
			for frame, want := range c.want {
				if got, by := p.Decide(name.Parse(frame, name.Unknown)); got != want {
					t.Errorf("%s: owner %v by %s, want %v", frame, got, by, want)
				}
			}
		})
	}
}

// TestProgramRules checks that a rule takes precedence over names and callers.
func TestProgramRules(t *testing.T) {
	p, err := New(Rules{App: []string{"malloc"}, Framework: []string{"tokenize", "*"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p = p.Running(ranOf([]string{"main", "tokenize", "malloc"}))
	for frame, want := range map[string]Owner{"main": Framework, "tokenize": Framework, "malloc": App} {
		if got, by := p.Decide(name.Parse(frame, name.Unknown)); got != want {
			t.Errorf("%s: owner %v by %s, want %v", frame, got, by, want)
		}
	}
}
