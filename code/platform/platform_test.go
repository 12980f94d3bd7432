package platform

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
)

// builtIn returns a platform with the built-in class table and without rules.
func builtIn(t testing.TB) *Platform {
	t.Helper()
	table, err := classes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Rules{}, table)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOwner(t *testing.T) {
	p := builtIn(t)
	framework := `android.app android.view android.widget android.os android.content.pm android.hardware.camera2.impl
		android.system android.icu.text android.opengl android.filterfw.core android.test android.preference
		com.android.internal.os com.android.internal.policy com.android.okhttp com.android.okhttp.internal.huc
		com.android.org.conscrypt com.android.org.bouncycastle.crypto.digests com.android.server com.android.server.am
		com.android.i18n.phonenumbers com.android.dex com.google.android.gles_jni
		dalvik.system java.lang java.util java.util.concurrent.atomic java.time javax.crypto javax.net.ssl
		javax.microedition.khronos.egl javax.xml.parsers jdk.internal.misc libcore.io libcore.util
		org.apache.http org.apache.http.impl.client org.apache.harmony.dalvik.ddmc org.apache.harmony.xml
		org.json org.kxml2.io org.w3c.dom org.xml.sax org.xmlpull.v1 sun.misc sun.nio.ch sun.security.x509
		java.awt javax.swing com.sun.net.httpserver
		android.app.future android.miui com.android.internal.foo.bar com.android.server.vendor java.lang.future sun.future
		com.htc com.htc.view com.samsung.android.sensor com.sec.android.touchwiz miui miui.util com.qualcomm.qti
		com.huawei.android.hardware com.oppo.util com.motorola.android.provider org.chromium.base com.android.webview.chromium
		jdk.internal.future libcore.future dalvik.future javax.crypto.future`
	for pkg := range strings.FieldsSeq(framework) {
		if owner, by := p.Decide(name.OfClass(pkg+".C", "m", "")); owner != Framework || by != "table" {
			t.Errorf("Decide(%q) = %v by %q", pkg, owner, by)
		}
	}
	app := `android.support.v4.app android.support.v7.widget android.support android.arch.lifecycle android.databinding
		androidx.core.app androidx.appcompat.widget androidx kotlin kotlin.jvm.internal kotlin.collections
		kotlinx.coroutines kotlinx.coroutines.android com.google.android.gms.common com.google.android.material.button
		com.google.firebase com.google.gson com.google.common.collect com.google.protobuf com.android.volley
		com.android.billingclient.api com.android.launcher3 com.android.systemui com.android.settings
		okhttp3 okhttp3.internal okio retrofit2 org.robolectric junit.framework org.junit
		org.apache.commons.codec org.apache.commons.io org.apache.http.entity.mime
		javax.inject javax.annotation javax.mail javax.xml.bind
		android.com.java.profilertester android.example.myapp java.mycompany java com.samsung.android.app.notes
		com.samsung.android.sdk.pass com.htcs miuix.appcompat com.android.tools.profiler.support
		a a.b.c androids javaa.lang com.example com com.android org sunny`
	for pkg := range strings.FieldsSeq(app) {
		if owner, by := p.Decide(name.OfClass(pkg+".C", "m", "")); owner != App || by != "default" {
			t.Errorf("Decide(%q) = %v by %q", pkg, owner, by)
		}
	}
	if owner, by := p.Decide(name.OfClass("C", "m", "")); owner != App || by != "default" {
		t.Errorf("the unnamed package: %v by %q", owner, by)
	}
}

// TestOwnerOfRealClasses checks every class in real method traces. The traces are not in the
// repository.
func TestOwnerOfRealClasses(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "art")
	files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
	if len(files) == 0 {
		t.Skipf("no traces in %s", dir)
	}
	p := builtIn(t)
	framework := regexp.MustCompile(`^(android|java|javax|com\.android|com\.motorola|dalvik|libcore|sun|org\.(json|apache|kxml2|xmlpull))\.`)
	library := regexp.MustCompile(`^(android\.(support|arch|com)|com\.android\.(volley|letvmanager|tools))\.`)
	checked := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := bytes.Cut(data, []byte("*methods\n"))
		text, _, _ = bytes.Cut(text, []byte("*end"))
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(line, "\t")
			if len(fields) < 3 {
				continue
			}
			class := strings.ReplaceAll(fields[1], "/", ".")
			if !strings.Contains(class, ".") {
				continue
			}
			want := App
			if framework.MatchString(class) && !library.MatchString(class) {
				want = Framework
			}
			if got := p.Owner(name.OfClass(class, "m", "")); got != want {
				t.Errorf("%s: the owner of %s is %v", filepath.Base(file), class, got)
			}
			checked++
		}
	}
	t.Logf("%d methods", checked)
}

// TestOwnerByLanguage checks that the same scope can have different owners in different languages.
func TestOwnerByLanguage(t *testing.T) {
	p := builtIn(t)
	for _, test := range []struct {
		m    name.Method
		want Owner
	}{
		{name.Method{Lang: name.JVM, Scope: "java.util", Type: "List"}, Framework},
		{name.Method{Lang: name.Go, Scope: "net/http", Type: "(*conn)"}, Framework},
		{name.Method{Lang: name.Go, Scope: "net"}, Framework},
		{name.Method{Lang: name.Go, Scope: "network"}, App},
		{name.Method{Lang: name.Go, Scope: "main"}, App},
		{name.Method{Lang: name.Go, Scope: "example.com/app/internal/net"}, App},
		{name.Method{Lang: name.Go, Scope: "java.util", Type: "List"}, App},
		{name.Method{Lang: name.Rust, Scope: "core::iter::range"}, Framework},
		{name.Method{Lang: name.Rust, Scope: "core"}, Framework},
		{name.Method{Lang: name.Rust, Scope: "core_graphics::image"}, App},
		{name.Method{Lang: name.DotNet, Scope: "System.Threading", Type: "Thread"}, Framework},
		{name.Method{Lang: name.DotNet, Scope: "Systems", Type: "Thread"}, App},
		{name.Method{Lang: name.DotNet, Type: "Program"}, App},
		{name.Method{Lang: name.JavaScript, Module: "node:internal/process/task_queues"}, Framework},
		{name.Method{Lang: name.JavaScript, Module: "node:fs"}, Framework},
		{name.Method{Lang: name.JavaScript, Module: "node_modules/express/index.js"}, App},
		{name.OfSlice("Choreographer#doFrame #"), App},
		{name.OfProcess("(app)", "com.mine"), App},
		{name.Method{Lang: name.JavaScript}, Caller},
		{name.Method{Lang: name.JVM}, Caller},
		{name.Method{Lang: name.Go}, Caller},
		{name.Method{Lang: name.JVM, Scope: "com.sun.jmx.mbeanserver", Type: "A"}, Framework},
		{name.Method{Lang: name.JVM, Scope: "com.sun.jna", Type: "A"}, App},
		{name.Method{Lang: name.JVM, Scope: "javax.management", Type: "A"}, Framework},
		{name.Method{Lang: name.JVM, Scope: "javax.servlet", Type: "A"}, App},
		{name.Method{Lang: name.DotNet, Scope: "Microsoft.AspNetCore.Routing", Type: "A"}, Framework},
		{name.Method{Lang: name.DotNet, Scope: "Microsoft.Azure", Type: "A"}, App},
		{name.Method{Lang: name.Python, Scope: "/usr/lib/python3.11/json/decoder"}, Framework},
		{name.Method{Lang: name.Python, Scope: "<frozen importlib._bootstrap>"}, Framework},
		{name.Method{Lang: name.Python, Scope: "json/encoder"}, Framework}, {name.Method{Lang: name.Python, Scope: "functools"}, Framework},
		{name.Method{Lang: name.Python, Scope: "shop"}, App}, {name.Method{Lang: name.Python, Scope: "shop/json/encoder"}, App}, {name.Method{Lang: name.Python, Scope: "jsonlike"}, App},
		{name.Method{Lang: name.Python, Scope: "/srv/app/main"}, App},
		{name.Method{Lang: name.Python}, Caller},
		{name.Method{Lang: name.Native, Module: "libc.so.6"}, Framework},
		{name.Method{Lang: name.Native, Module: "[kernel.kallsyms]"}, Framework},
		{name.Parse("do_syscall_64_[k]", name.Unknown), Framework},
		{name.Method{Lang: name.Native, Module: "/system/lib64/libfoo.so"}, Framework},
		{name.Method{Lang: name.CPP, Module: "libhwui.so", Scope: "android::uirenderer", Type: "A"}, Framework},
		{name.Method{Lang: name.CPP, Module: "libart.so", Scope: "art", Type: "A"}, Caller},
		{name.Method{Lang: name.Native, Module: "libjvm.so"}, Caller},
		{name.Method{Lang: name.Native, Module: "libfoo.so"}, Caller},
		{name.Method{Lang: name.Native, Module: "libunity.so"}, App},
		{name.Method{Lang: name.Native, Module: "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit"}, Framework},
		{name.Method{Lang: name.Native, Module: "/usr/lib/dyld"}, Framework},
		{name.Method{Lang: name.Native, Module: "/C:/Windows/System32/KernelBase.dll"}, Framework},
		{name.Method{Lang: name.Native, Module: "/C:/Users/me/app.exe"}, App},
		{name.Method{Lang: name.Native, Module: "/home/me/server"}, App},
		{name.Method{Lang: name.Native, Module: "/home/me/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/bin/cargo"}, Framework},
		{name.Method{Lang: name.Rust, Module: "/root/.rustup/toolchains/nightly/lib/librustc_driver-1.so", Scope: "rustc_middle::ty"}, Framework},
		{name.Method{Lang: name.Native, Module: "/home/me/.cargo/bin/rustup"}, Framework},
		{name.Method{Lang: name.Native, Module: "/home/me/.cargo/bin/mine"}, App},
		{name.Method{Lang: name.CPP, Scope: "std", Type: "vector"}, Framework},
		{name.Method{}, Caller},
	} {
		test.m.Name = "m"
		if got := p.Owner(test.m); got != test.want {
			t.Errorf("Owner(%+v) = %v, want %v", test.m, got, test.want)
		}
	}
}

// TestGoFoldersAreTheTrees compares the table with the source tree of the Go that runs the test.
// Every package of the standard library must be framework. All other folders in the table exist in
// some other version of the tree.
func TestGoFoldersAreTheTrees(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	folders, err := os.ReadDir(src)
	if err != nil {
		t.Skip(err)
	}
	for _, folder := range folders {
		if files, _ := filepath.Glob(filepath.Join(src, folder.Name(), "*.go")); !folder.IsDir() || folder.Name() == "cmd" ||
			len(files) == 0 && !hasPackages(filepath.Join(src, folder.Name())) {
			continue
		}
		if owner := new(Platform).Owner(name.Method{Lang: name.Go, Scope: folder.Name(), Name: "F"}); owner != Framework {
			t.Errorf("the package %s of the standard library: %v", folder.Name(), owner)
		}
	}
}

func hasPackages(folder string) bool {
	found, _ := filepath.Glob(filepath.Join(folder, "*", "*.go"))
	return len(found) > 0
}

func TestRole(t *testing.T) {
	p := new(Platform)
	for _, test := range []struct {
		m    name.Method
		want Role
	}{
		{name.OfClass("java.lang.Thread", "run", "()V"), Launcher},
		{name.OfClass("java.lang.Thread", "start", "()V"), NoRole},
		{name.OfClass("android.os.Looper", "loop", "()V"), Launcher},
		{name.OfClass("android.os.Handler", "dispatchMessage", "(Landroid/os/Message;)V"), Starter},
		{name.OfClass("android.os.Handler", "run", ""), NoRole},
		{name.OfClass("android.os.Binder", "execTransact", ""), Starter},
		{name.OfClass("android.os.Binder", "execTransactInternal", ""), Inner},
		{name.OfClass("com.example.Main", "run", ""), NoRole},
		{name.OfClass("runtime", "main", ""), NoRole},
		{name.Method{Lang: name.Go, Scope: "runtime", Name: "goexit"}, Launcher},
		{name.Method{Lang: name.Go, Scope: "runtime", Name: "main"}, Launcher},
		{name.Method{Lang: name.Go, Scope: "main", Name: "main"}, NoRole},
		{name.Method{Name: "run"}, NoRole},
	} {
		if got := p.Role(test.m); got != test.want {
			t.Errorf("Role(%+v) = %v, want %v", test.m, got, test.want)
		}
	}
}

// TestRolesAreTheFrameworks checks that only framework methods have roles, because the entry step
// looks at no others. It also checks that no class is in the tables of two systems of a language.
func TestRolesAreTheFrameworks(t *testing.T) {
	p := builtIn(t)
	type class struct {
		lang name.Lang
		name string
	}
	named := make(map[class]bool)
	for _, s := range systems {
		for in := range s.roles {
			m := name.Method{Lang: s.lang, Scope: in}
			if s.lang == name.JVM {
				m = name.OfClass(in, "m", "")
			}
			if p.Owner(m) == App {
				t.Errorf("%s has a role and is not the framework's", in)
			}
			if named[class{s.lang, in}] {
				t.Errorf("two systems name %s", in)
			}
			named[class{s.lang, in}] = true
		}
	}
}

func TestWithAddsClassesAlone(t *testing.T) {
	p := builtIn(t)
	more := p.With(classes.Class{Name: "com.example.Main", Super: "android.app.Activity"})
	if got := slices.Collect(more.Supertypes("com.example.Main")); !slices.Equal(got, []string{"android.app.Activity"}) {
		t.Errorf("supertypes: %q", got)
	}
	if !slices.Contains(slices.Collect(more.Supertypes("android.app.Activity")), "android.view.ContextThemeWrapper") {
		t.Error("the built-in classes are gone")
	}
	if got := slices.Collect(p.Supertypes("com.example.Main")); len(got) > 0 {
		t.Errorf("With changed its receiver: supertypes %q", got)
	}
	if more.Owner(name.OfClass("com.example.Main", "m", "")) != App {
		t.Error("With made a package framework")
	}
}

func BenchmarkOwner(b *testing.B) {
	p := builtIn(b)
	framework, app := name.OfClass("android.view.accessibility.A", "m", ""), name.OfClass("com.example.app.ui.A", "m", "")
	b.ReportAllocs()
	for b.Loop() {
		p.Owner(framework)
		p.Owner(app)
	}
}

// TestRunning checks that in a run on a JDK, Android's libraries belong to the app.
func TestRunning(t *testing.T) {
	p := builtIn(t)
	android, java, jdk := inPackage("android.view"), inPackage("java.util"), inPackage("sun.nio.ch")
	for _, c := range []struct {
		ran  [][]name.Method
		want Owner
	}{
		{nil, Framework}, {[][]name.Method{{java}}, Framework}, {[][]name.Method{{java, jdk}}, App}, {[][]name.Method{{jdk}, {jdk, android}}, Framework},
		{[][]name.Method{{name.Method{Lang: name.Go, Scope: "main"}}}, Framework},
	} {
		if got := p.Running(runs(c.ran...)...).Owner(inPackage("org.json")); got != c.want {
			t.Errorf("%v: org.json is %v", c.ran, got)
		}
	}
	if p.Running(RunOf([]name.Method{jdk})).Owner(jdk) != Framework {
		t.Error("the JDK is not the framework's")
	}
}

// TestUnpackaged checks that recordings that omit packages are distinguished from apps whose
// classes have no package.
func TestUnpackaged(t *testing.T) {
	p := builtIn(t)
	for text, want := range map[string]bool{
		"":                                    false,
		"BusyClient.run_[j] | Thread.run_[j]": true,
		"BusyClient.run_[j] | Socket$SocketInputStream.read_[j] | NioSocketImpl.read_[i] | jlong_disjoint_arraycopy": true,
		"Main$$Lambda.0x00007f3bc1000a00.run_[j] | HashMap.get_[j] | os::malloc | libc.so.6`read":                    true,
		"MainActivity.onCreate | View.draw": true,
		// Class names that no library has.
		"Fib.run_[j] | Fib.fib_[j] | read": false,
		// Classes of an app without packages.
		"Fib.run_[j] | java.lang.Thread.run_[j]":                                  false,
		"Stack.push_[j] | io.netty.channel.nio.NioEventLoop.run_[j]":              false,
		"Settings.onCreate(Landroid/os/Bundle;)V | Settings.<init>()V":            false,
		"Handler (/srv/app/main.py:3) | List (/srv/app/main.py:4)":                false,
		"Thread::Run() | art::Thread::Run() | Stack::push()":                      false,
		"main.main | runtime.gopark | net/http.(*conn).serve | Handler.ServeHTTP": false,
	} {
		var census name.Detector
		frames := strings.Split(text, " | ")
		var ran []name.Method
		for _, frame := range frames {
			census.Parse(frame)
		}
		for _, frame := range frames {
			m, sure := census.Parse(frame)
			if !sure {
				m = census.Resolve(frame)
			}
			ran = append(ran, m)
		}
		if got := p.Unpackaged(ran); got != want {
			t.Errorf("%q leaves packages out: %v, want %v", text, got, want)
		}
		full := []name.Method{inPackage("java.lang")}
		for _, m := range ran {
			owner, by := p.Running(runs(full, ran)...).Decide(m)
			bare := m.Lang == name.JVM && m.Scope == "" && m.Type != ""
			if untold := owner == Caller && by == "unpackaged"; untold != (want && bare) {
				t.Errorf("%q: %s is %v by %q", text, m.Label(), owner, by)
			}
		}
	}
	simple := []name.Method{name.OfClass("Thread", "run", "")}
	ruled, err := New(Rules{Own: []string{"*"}}, &p.table)
	if err != nil {
		t.Fatal(err)
	}
	ruled = ruled.Running(RunOf(simple))
	if ruled.Owner(simple[0]) != App || ruled.Ownership(Evidence{}, simple).Own(simple[0]) != BySetting {
		t.Error("a rule for all packages does not count where packages are left out")
	}
	if other := p.Running(RunOf(simple)).Running(RunOf(nil)); other.Owner(simple[0]) != App {
		t.Error("what one run leaves out counts for the next")
	}
}

func TestRuntimeRole(t *testing.T) {
	p := builtIn(t)
	for text, want := range map[string]Role{
		"libart.so`art_quick_invoke_stub": Runtime, "libc.so`memcpy": Runtime, "libjvm.so.JavaThread::run()": Runtime, "itable stub": Runtime,
		"do_syscall_64_[k]": Stub, "vfs_write_[k]": Runtime, "Interpreter": Runtime, "[unknown]": Runtime, "java.lang.Thread.run": Launcher, "start_thread": Launcher,
		"libhwui.so`paint": NoRole, "libunity.so`Player::Loop()": NoRole, "(unknown 0x2624)": NoRole, "libclient.so`f": NoRole,
		"jdk.internal.reflect.GeneratedMethodAccessor17.invoke": Stub, "sun.reflect.NativeMethodAccessorImpl.invoke0": Stub,
		"runtime.asyncPreempt": Stub, "runtime.asyncPreempt2": Stub, "runtime.mallocgc": NoRole, "java.lang.invoke.LambdaForm$MH.invoke": Stub, "java.lang.invoke.MethodHandle.invoke": NoRole, "com.sun.proxy.$Proxy3.get": Stub,
	} {
		if got := p.Role(name.Parse(text, name.Unknown)); got != want {
			t.Errorf("%s has the role %d, want %d", text, got, want)
		}
	}
}

// TestKernelRole checks that interrupts are recognized by the names of kernel functions, but only
// in the kernel or in code of an unknown file. Page faults have no role, because the code causes
// them. Softirqs have none, because they are below interrupts or caused by the code.
func TestKernelRole(t *testing.T) {
	p := builtIn(t)
	for text, want := range map[string]Role{
		"asm_sysvec_apic_timer_interrupt": Interrupt, "asm_sysvec_reschedule_ipi_[k]": Interrupt, "asm_common_interrupt": Interrupt, "[kernel.kallsyms]`el1_irq": Interrupt,
		"[kernel.kallsyms]`gic_handle_irq.20590.cfi": Interrupt, "[kernel.kallsyms]`smp_apic_timer_interrupt": Interrupt, "call_function_single_interrupt_[k]": Interrupt,
		"[kernel.kallsyms]`el0t_64_irq_handler": Interrupt, "[kernel.kallsyms]`do_IRQ": Interrupt, "ret_from_intr_[k]": Interrupt,
		"entry_SYSCALL_64_after_hwframe": Stub, "[kernel.kallsyms]`el0_svc_common.constprop.0": Stub, "[kernel.kallsyms]`el0t_64_sync": Stub,
		"asm_exc_page_fault_[k]": Runtime, "[kernel.kallsyms]`el0_da": Runtime, "__do_softirq_[k]": Runtime, "__x64_sys_write_[k]": Runtime, "[kernel.kallsyms]`smp_call_function_many": Runtime,
		"libqemu.so`do_IRQ": NoRole, "/home/me/emulator`el1_irq": NoRole, "shop::asm_sysvec_irq_work()": Runtime, "main.do_IRQ": NoRole,
	} {
		if got := p.Role(name.Parse(text, name.Unknown)); got != want {
			t.Errorf("%s has the role %d, want %d", text, got, want)
		}
	}
}

func TestWaits(t *testing.T) {
	p := builtIn(t)
	for _, text := range []string{
		"java.lang.Object.wait(J)V", "java.util.concurrent.locks.LockSupport.parkNanos", "sun.nio.ch.EPoll.wait", "android.os.MessageQueue.nativePollOnce(JI)V",
		"libc.so.6`epoll_wait", "__poll", "pthread_cond_wait@@GLIBC_2.3.2", "runtime.gopark", "time.Sleep.func1", ":(idle):0",
		"wait (/usr/lib/python3.11/threading.py:320)",
	} {
		if waits := p.Waits(name.Parse(text, name.Unknown)); waits != (text != "time.Sleep.func1") {
			t.Errorf("%s waits: %v", text, waits)
		}
	}
	for _, text := range []string{"com.mine.Object.wait", "read", "epoll_ctl", "java.lang.Thread.run", "runtime.mallocgc", "wait (/srv/app/main.py:3)"} {
		if p.Waits(name.Parse(text, name.Unknown)) {
			t.Errorf("%s waits", text)
		}
	}
}

// TestUnnamedKernel checks a kernel function without a name, which may run for any reason.
func TestUnnamedKernel(t *testing.T) {
	p := builtIn(t)
	for label, want := range map[string]Owner{"[kernel.kallsyms]`[unknown]": Caller, "[kernel.kallsyms]`do_sys_open": Framework} {
		if got := p.Owner(name.Parse(label, name.Unknown)); got != want {
			t.Errorf("%s: %v, want %v", label, got, want)
		}
	}
}

// runs returns a run without calls for each list of methods.
func runs(ran ...[]name.Method) (out []Run) {
	for _, methods := range ran {
		out = append(out, RunOf(methods))
	}
	return out
}
