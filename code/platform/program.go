package platform

import (
	"iter"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A Run has the methods and calls of a recording, for [Platform.Running].
type Run struct {
	// Methods are the methods of the recording.
	Methods []name.Method
	// Calls yields the caller and the callee of each call, as indices into Methods. It may yield a
	// call several times. The caller of a thread's first method is -1. Calls is nil if the calls
	// are unknown.
	Calls iter.Seq2[int, int]
	// Dependencies maps packages to the modules that have them, for modules that the program
	// depends on.
	Dependencies map[string]string
}

// RunOf returns a run whose calls are unknown.
func RunOf(methods []name.Method) Run { return Run{Methods: methods} }

// program is the reason from [Platform.Decide] for functions of a single native program. See
// [Platform.Running].
const program = "program"

// alone finds the functions of the system in runs of a single native program. The keys of the
// result are all functions without a module. The result is nil for other runs. See
// [Platform.Running].
//
// A function belongs to the system if its name is in the tables below, or if only functions of the
// system call it. Some system functions, such as qsort, call back into the program. What they call
// belongs to the program.
func (p *Platform) alone(runs []Run) map[string]bool {
	if slices.ContainsFunc(runs, func(r Run) bool { return slices.ContainsFunc(r.Methods, isOther) }) {
		return nil
	}
	if !slices.ContainsFunc(runs, func(r Run) bool { return p.isAlone(r.Methods) }) {
		return nil
	}
	// A symbol belongs to the program if it is called by the program or by a function that calls
	// back, or if nothing calls it.
	system := make(map[string]bool)
	callees := make(map[string][]string)
	var reached []string
	reach := func(symbol string) {
		if system[symbol] {
			system[symbol] = false
			reached = append(reached, symbol)
		}
	}
	for _, r := range runs {
		for i := range r.Methods {
			if isBare(&r.Methods[i]) {
				system[r.Methods[i].Name] = true
			}
		}
	}
	for _, r := range runs {
		if r.Calls == nil {
			for i := range r.Methods {
				if m := &r.Methods[i]; isBare(m) && !isSystem(m.Name) {
					reach(m.Name)
				}
			}
			continue
		}
		for caller, callee := range r.Calls {
			to := &r.Methods[callee]
			if !isBare(to) || isSystem(to.Name) {
				continue
			}
			switch {
			case caller < 0:
				reach(to.Name)
			case isBare(&r.Methods[caller]):
				from := r.Methods[caller].Name
				if !isSystem(from) || callsBack[from] {
					callees[from] = append(callees[from], to.Name)
				}
				if callsBack[from] {
					reach(to.Name)
				}
			case !p.ofSystem(&r.Methods[caller]):
				reach(to.Name)
			}
		}
	}
	for len(reached) > 0 {
		symbol := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for _, callee := range callees[symbol] {
			reach(callee)
		}
	}
	return system
}

// isAlone reports whether a single native program ran: it has functions of a program,
// and no code that is known to be an app's.
func (p *Platform) isAlone(ran []name.Method) bool {
	found := false
	for i := range ran {
		m := &ran[i]
		if p.Owner(*m) == App {
			return false
		}
		found = found || isBare(m) && !isSystem(m.Name) || isProgram(m)
	}
	return found
}

// ofSystem reports whether the module or the namespace of a method belongs to the system.
func (p *Platform) ofSystem(m *name.Method) bool {
	return p.Owner(*m) == Framework || m.Name == unknown || within(m.Scope, "std", "::")
}

// isOther reports whether a method is neither native code nor of an unknown language.
func isOther(m name.Method) bool {
	return m.Lang != name.Native && m.Lang != name.CPP && m.Lang != name.Unknown
}

// isBare reports whether only the name of a function is known. It returns false for an address, a
// number, and a frame that a profiler inserted, such as (idle).
func isBare(m *name.Method) bool {
	if m.Module != "" || m.Scope != "" || m.Type != "" || m.Name == "" || isOther(*m) {
		return false
	}
	first, last := m.Name[0], m.Name[len(m.Name)-1]
	if first == '(' && last == ')' || first == '[' && last == ']' || first == '<' && last == '>' {
		return false
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(m.Name, "_"), "0x")
	switch {
	case strings.Trim(digits, "0123456789abcdef") != "":
		return true
	case digits != m.Name || strings.Trim(digits, "0123456789") == "":
		return false
	}
	return len(digits) < shortestAddress || strings.Trim(digits, "abcdef") == "" // This is a word that has only these letters.
}

// shortestAddress is the least number of digits in an address without 0x.
const shortestAddress = 6

// isProgram reports whether a function is in a program file, not in a library.
func isProgram(m *name.Method) bool {
	file := m.Module[strings.LastIndexAny(m.Module, "/\\")+1:]
	switch {
	case m.Lang != name.Native && m.Lang != name.CPP, file == "", strings.HasPrefix(m.Module, "["), strings.HasPrefix(m.Module, "//"):
		return false
	}
	for _, library := range []string{".so", ".dylib", ".dll", ".ko", ".odex", ".oat", ".vdex", ".apk", ".jar", ".dex", ".art", ".map", ".sys"} {
		if strings.Contains(file, library) {
			return false
		}
	}
	return ofNone(*m)
}

// ofNone reports whether the file of native code does not show who owns it.
func ofNone(m name.Method) bool {
	owner, _ := ofModule(m)
	return owner == Caller && !slices.ContainsFunc(systems, func(s system) bool { return s.runs(fileOf(m.Module)) })
}

// decideAlone returns the owner of the C++ library, of C startup code and of Go assembly code, and
// all owners for runs of a single native program. If ok is false, [Platform.Decide] continues.
func (p *Platform) decideAlone(m name.Method) (owner Owner, by string, ok bool) {
	switch {
	case startsProgram(m), ofCPPLibrary(m):
		return Framework, "table", true
	case isGoAssembly(m):
		return Caller, "caller", true
	case p.system == nil || isOther(m):
	case isBare(&m):
		if owner, by, ok := p.rules.decide(m.Name); ok {
			return owner, by, true
		}
		if p.system[m.Name] {
			return Framework, "table", true
		}
		return App, program, true
	case m.Module == "" && (m.Scope != "" || m.Type != ""):
		return App, program, true
	case isProgram(&m):
		if owner, by, ok := p.rules.decide(moduleOf(m)); ok {
			return owner, by, true
		}
		return App, program, true
	}
	return 0, "", false
}

// startsProgram reports whether a method is the C library's start of a process or a thread, such as
// _start. The linker puts such functions into each program, so the file of the method does not show
// who owns it. C reserves names with an underscore, so programs do not use them.
func startsProgram(m name.Method) bool {
	return m.Lang == name.Native && strings.HasPrefix(m.Name, "_") && native.roles[""][m.Name] == Launcher
}

// ofCPPLibrary reports whether a function is part of the C++ library. Each program has its own
// copies of the library's templates, so the file of the function does not show who owns it.
func ofCPPLibrary(m name.Method) bool {
	return (m.Lang == name.Native || m.Lang == name.CPP) && slices.ContainsFunc(cppLibraries, func(parent string) bool { return within(m.Scope, parent, "::") })
}

// isGoAssembly reports whether a function is assembly code of Go's standard library whose symbol
// has no package, such as memeqbody. The compiler may insert calls of such functions into the app.
func isGoAssembly(m name.Method) bool {
	return m.Lang == name.Native && m.Scope == "" && goAssembly[m.Name]
}

// goAssembly are functions for isGoAssembly, from the assembly code of Go 1.18 to 1.26.
var goAssembly = setOf("aeshashbody", "memeqbody", "cmpbody", "indexbytebody", "indexbody", "countbody", "gcWriteBarrier", "callRet")

// cppLibraries are the namespaces of the C++ library.
var cppLibraries = []string{"std", "__gnu_cxx", "__cxxabiv1"}

// callsBack are the system functions that call functions of the program, such as qsort.
var callsBack = setOf(
	"_start", "__libc_start_main", "__libc_start_call_main", "__libc_init", "clone", "clone3", "__clone", "__clone3", "start_thread", "thread_start",
	"__start_thread", "_pthread_start", "__pthread_start", "pthread_once", "__pthread_once", "start", "__libc_csu_init", "_dl_init", "call_init",
	"qsort", "qsort_r", "__qsort_r", "msort_with_tmp", "msort_with_tmp.part.0", "bsearch", "tsearch", "tfind", "twalk", "lfind", "lsearch", "ftw", "nftw", "scandir",
	"__run_exit_handlers", "exit", "atexit",
)

// systemFunctions are functions of the C library and of the kernel. Programs do not give these
// names to their own functions.
var systemFunctions = setOf(
	"malloc", "calloc", "realloc", "free", "cfree", "memalign", "posix_memalign", "aligned_alloc", "malloc_consolidate", "sysmalloc", "unlink_chunk", "_int_malloc", "_int_free",
	"_int_realloc", "tcache_init", "systrim", "mremap_chunk", "memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "memmem", "mempcpy", "bcopy", "bzero", "bcmp",
	"strlen", "strnlen", "strcpy", "strncpy", "stpcpy", "strcat", "strncat", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strchr", "strrchr", "strchrnul",
	"strstr", "strcasestr", "strspn", "strcspn", "strpbrk", "strtok", "strtok_r", "strsep", "strdup", "strndup", "strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof",
	"strerror", "strftime", "strptime", "atoi", "atol", "atoll", "atof",
	"printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsprintf", "vsnprintf", "asprintf", "vasprintf", "dprintf", "scanf", "fscanf", "sscanf", "vsscanf", "vfscanf",
	"fopen", "fopen64", "fdopen", "freopen", "fclose", "fread", "fwrite", "fgets", "fputs", "fgetc", "fputc", "getc", "putc", "getchar", "putchar", "puts", "ungetc", "fflush",
	"fseek", "fseeko", "ftell", "ftello", "rewind", "feof", "ferror", "setvbuf", "getline", "getdelim", "fileno", "perror",
	"mmap", "mmap64", "munmap", "mprotect", "madvise", "mremap", "brk", "sbrk", "ioctl", "fcntl", "lseek", "lseek64", "pread64", "pwrite64", "readv", "writev", "openat", "fstat",
	"epoll_wait", "epoll_ctl", "epoll_pwait", "ppoll", "pselect", "recvfrom", "recvmsg", "sendto", "sendmsg", "getsockopt", "setsockopt", "getpid", "gettid", "getppid",
	"gettimeofday", "clock_gettime", "clock_nanosleep", "nanosleep", "usleep", "sched_yield", "localtime", "localtime_r", "gmtime", "gmtime_r", "mktime",
	"sigaction", "sigprocmask", "setjmp", "longjmp", "siglongjmp", "rand_r", "random_r", "drand48", "srand48", "dlopen", "dlsym", "dl_iterate_phdr", "getenv", "setenv",
	"opendir", "readdir", "readdir64", "closedir", "getcwd", "realpath", "setlocale", "iconv", "mbrtowc", "wcrtomb", "mbstowcs", "wcslen", "wmemcpy", "futex", "syscall",
	"operator new", "operator delete", "operator new[]", "operator delete[]", "system_call", "system_call_fastpath", "system_call_after_swapgs", "page_fault", "async_page_fault",
	"common_interrupt", "apic_timer_interrupt", "ret_from_fork", "ret_from_fork_asm", "ret_from_intr", "ret_fast_syscall", "ret_to_user", "vector_swi", "start_kernel", "cpu_startup_entry", "swapper",
	"kthread", "kthreadd", "worker_thread", "process_one_work", "do_idle", "cpu_idle", "x86_64_start_kernel", "x86_64_start_reservations", "secondary_startup_64", "start_secondary",
	"do_syscall_64", "do_syscall_x64", "do_page_fault", "exc_page_fault", "do_softirq", "irq_exit", "tracesys", "sysret_check", "int_ret_from_sys_call", "stub_execve",
)

// systemPrefixes are name prefixes of functions like those in systemFunctions.
var systemPrefixes = []string{
	"__libc_", "__GI_", "_IO_", "__mem", "__str", "__wmem", "__wcs", "__pthread_", "pthread_", "__printf", "__vfprintf", "__vsnprintf", "__vdso_", "__kernel_", "_dl_", "__cxa_", "_Unwind_",
	"entry_SYSCALL", "entry_INT", "entry_SYSENTER", "asm_exc_", "asm_sysvec_", "asm_common_", "sysenter_", "ia32_sys", "el0_", "el0t_", "el1_", "el1h_", "__x64_sys_", "__arm64_sys_",
	"__se_sys_", "__do_sys_", "SyS_", "sys_enter", "swapper/", "kworker/", "ksoftirqd/", "migration/", "rcu_", "irq/", "watchdog/", "jbd2/", "kswapd",
}

// isSystem reports whether a symbol is in systemFunctions or has a prefix in systemPrefixes.
func isSystem(symbol string) bool {
	symbol, _, _ = strings.Cut(symbol, "@")
	return systemFunctions[symbol] || callsBack[symbol] || slices.ContainsFunc(systemPrefixes, func(p string) bool { return strings.HasPrefix(symbol, p) })
}

// setOf returns the set of some texts.
func setOf(texts ...string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}
