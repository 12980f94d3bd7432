package platform

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/classes"
)

// builtIn is the platform with the built-in class table and no rules.
func builtIn(t testing.TB) *Platform {
	t.Helper()
	table, err := classes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(nil, nil, table)
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
		android.vendorsaurus com.android.internal.foo.bar com.android.server.vendor java.lang.future sun.future
		jdk.internal.future libcore.future dalvik.future javax.crypto.future`
	for pkg := range strings.FieldsSeq(framework) {
		if owner, by := p.Decide(pkg); owner != Framework || by != "table" {
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
		a a.b.c androids javaa.lang com.example com com.android org sunny`
	for _, pkg := range append(strings.Fields(app), "") {
		if owner, by := p.Decide(pkg); owner != App || by != "default" {
			t.Errorf("Decide(%q) = %v by %q", pkg, owner, by)
		}
	}
}

// TestOwnerOfRealClasses asks about every class that real method traces name. The
// traces are no part of the repository.
func TestOwnerOfRealClasses(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "art")
	files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
	if len(files) == 0 {
		t.Skipf("no traces in %s", dir)
	}
	p := builtIn(t)
	framework := regexp.MustCompile(`^(android|java|javax|com\.android|dalvik|libcore|sun|org\.(json|apache|kxml2|xmlpull))\.`)
	library := regexp.MustCompile(`^(android\.support|android\.arch|com\.android\.(volley|letvmanager))\.`)
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
			dot := strings.LastIndexByte(class, '.')
			if dot < 0 {
				continue
			}
			want := App
			if framework.MatchString(class) && !library.MatchString(class) {
				want = Framework
			}
			if got := p.Owner(class[:dot]); got != want {
				t.Errorf("%s: Owner(%q) = %v", filepath.Base(file), class[:dot], got)
			}
			checked++
		}
	}
	t.Logf("%d methods", checked)
}

func TestRole(t *testing.T) {
	p := new(Platform)
	for _, test := range []struct {
		class, method string
		want          Role
	}{
		{"java.lang.Thread", "run", Launcher},
		{"java.lang.Thread", "start", NoRole},
		{"android.os.Looper", "loop", Launcher},
		{"android.os.Handler", "dispatchMessage", Starter},
		{"android.os.Handler", "run", NoRole},
		{"android.os.Binder", "execTransact", Starter},
		{"android.os.Binder", "execTransactInternal", Inner},
		{"com.example.Main", "run", NoRole},
		{"", "run", NoRole},
	} {
		if got := p.Role(test.class, test.method); got != test.want {
			t.Errorf("Role(%q, %q) = %v, want %v", test.class, test.method, got, test.want)
		}
	}
}

// TestRolesAreTheFrameworks: the entry step looks at framework methods alone, so a
// role of any other method would have no effect. No two systems name one class.
func TestRolesAreTheFrameworks(t *testing.T) {
	p := builtIn(t)
	named := make(map[string]bool)
	for _, s := range systems {
		for class := range s.roles {
			if pkg := class[:strings.LastIndexByte(class, '.')]; p.Owner(pkg) != Framework {
				t.Errorf("%s has a role and is not the framework's", class)
			}
			if named[class] {
				t.Errorf("two systems name %s", class)
			}
			named[class] = true
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
	if more.Owner("com.example") != App {
		t.Error("With made a package framework")
	}
}

func BenchmarkOwner(b *testing.B) {
	p := builtIn(b)
	b.ReportAllocs()
	for b.Loop() {
		p.Owner("android.view.accessibility")
		p.Owner("com.example.app.ui")
	}
}
