package platform

import "github.com/diffprof/diffprof/code/name"

// native is the kernel, and the libraries of C that every process has.
var native = system{
	lang:      name.Native,
	separator: "/",
	modules: []string{
		"kernel", "guest.kernel", "vmlinux", "vdso", "ntoskrnl", "ntdll",
		"libc", "libpthread", "libm", "libdl", "librt", "ld", "ld-linux", "linker", "linker64", "libsystem_kernel", "libsystem_pthread",
	},
	roles: map[string]map[string]Role{
		// Where processes and threads begin.
		"": {
			"_start": Launcher, "__libc_start_main": Launcher, "__libc_start_call_main": Launcher, "__libc_init": Launcher, "main": Launcher,
			"clone": Launcher, "clone3": Launcher, "__clone": Launcher, "start_thread": Launcher, "__start_thread": Launcher, "thread_start": Launcher,
			"_pthread_start": Launcher, "__pthread_start": Launcher,
		},
	},
}
