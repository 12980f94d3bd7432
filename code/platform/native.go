package platform

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// native describes the kernel, the C and C++ libraries of processes, and Android's libraries.
var native = system{
	lang: name.Native,
	modules: []string{
		"kernel", "guest.kernel", "vmlinux", "vdso", "ntoskrnl", "ntdll",
		"libc", "libpthread", "libm", "libdl", "librt", "ld", "ld-linux", "linker", "linker64", "libsystem_kernel", "libsystem_pthread",
	},
	waits: map[string][]string{"": waitsOfNative},
	roles: map[string]map[string]Role{
		// The start of processes and threads.
		"": {
			"_start": Launcher, "__libc_start_main": Launcher, "__libc_start_main_impl": Launcher, "__libc_start_call_main": Launcher, "__libc_init": Launcher, "main": Launcher,
			"clone": Launcher, "clone3": Launcher, "__clone": Launcher, "start_thread": Launcher, "__start_thread": Launcher, "thread_start": Launcher,
			"_pthread_start": Launcher, "__pthread_start": Launcher,
		},
	},
}

// systemLibraries are system libraries that do not belong to a managed runtime.
var systemLibraries = []string{
	"libstdc++", "libc++", "libgcc_s", "libz", "libcrypto", "libssl",
	"libandroid", "libandroid_runtime", "libandroidfw", "libbinder", "libcutils", "libgui", "libhwui", "libinput", "liblog", "libmedia",
	"libsqlite", "libui", "libutils", "libEGL", "libGLESv2", "libvulkan", "libjavacore", "libopenjdk", "libicuuc", "libicui18n", "libskia",
}

// systemFolders are the folders of system libraries.
var systemFolders = []string{"/C:/WINDOWS/", "/C:/Windows/", "/apex/", "/lib/", "/lib32/", "/lib64/", "/odm/", "/product/", "/System/", "/system/", "/system_ext/", "/usr/bin/", "/usr/lib", "/vendor/"}

// appFolders are the folders of programs and libraries that are installed or built locally.
var appFolders = []string{
	"/Users/", "/C:/Users/", "/app/", "/data/app/", "/data/data/", "/data/local/", "/data/user/", "/home/", "/mnt/asec/", "/opt/", "/root/", "/srv/", "/tmp/",
	"/usr/local/", "/usr/src/",
}

// toolchain are parts of the paths of rustup's compilers and of rustup itself. A recording of
// `cargo run` has them as well as the program.
var toolchain = []string{"/.rustup/toolchains/", "/.cargo/bin/rustup"}

// moduleOf returns the library or program that contains a native function, such as libfoo for
// /lib/libfoo.so.1. It returns "" if that is unknown.
func moduleOf(m name.Method) string {
	if m.Lang != name.Native && m.Lang != name.CPP {
		return ""
	}
	file, _, _ := strings.Cut(fileOf(m.Module), ".so")
	return file
}

// fileOf returns the file name of a module, without folders.
func fileOf(module string) string {
	return strings.Trim(module[strings.LastIndexAny(module, "/\\")+1:], "[]")
}

// kernels are the file names of kernels.
var kernels = []string{"kernel", "guest.kernel", "vmlinux", "ntoskrnl"}

// unknown is the name that recordings give to a function without a known name.
const unknown = "[unknown]"

// ofModule returns the owner of native code, judging by its file. The result is Caller if:
//
//   - the file is unknown;
//   - the file belongs to a managed runtime, because runtimes only forward calls;
//   - it is a kernel function without a name, because the kernel may have interrupted the caller;
//   - the file is in no table and no known folder.
func ofModule(m name.Method) (owner Owner, by string) {
	file := fileOf(m.Module)
	switch {
	case m.Name == unknown && named(kernels, file):
		return Caller, "caller"
	case native.runs(file):
		return Framework, "table"
	case m.Module == "", slices.ContainsFunc(systems, func(s system) bool { return s.runs(file) }):
		return Caller, "caller"
	case liesIn(m.Module, appFolders), libraryOfModule(moduleOf(m)) != "":
		return App, "default"
	case liesIn(m.Module, systemFolders), named(systemLibraries, file):
		return Framework, "table"
	}
	return Caller, "caller"
}

// ofToolchain reports whether a method belongs to a compiler or its libraries.
func ofToolchain(m name.Method) bool {
	return slices.ContainsFunc(toolchain, func(part string) bool { return strings.Contains(m.Module, part) })
}

// liesIn reports whether a path is below one of the folders.
func liesIn(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path, folder) })
}
