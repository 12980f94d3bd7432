package name

import (
	"slices"
	"testing"
)

// TestSlices checks the names of slices and of processes, which are no functions.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		m              Method
		scope          string
		slice, process bool
	}{
		{OfSlice("doFrame 7"), "slice", true, false}, {OfProcess("my app", "com.mine"), "com.mine", false, true}, {OfProcess("my app", ""), "process", false, true},
		{Method{Scope: "slice", Name: "f"}, "slice", false, false}, {Method{Scope: "com.mine", Name: "f", Lang: JVM}, "com.mine", false, false},
	} {
		if c.m.Scope != c.scope || c.m.IsSlice() != c.slice || c.m.Process() != c.process {
			t.Errorf("%+v: slice %v, process %v", c.m, c.m.IsSlice(), c.m.Process())
		}
		if (c.slice || c.process) && (c.m.Label() != c.m.Name || c.m.Short() != c.m.Name) {
			t.Errorf("%+v has the label %s and the short name %s", c.m, c.m.Label(), c.m.Short())
		}
	}
}

// TestPartsOfMethods checks the names of lines and of positions of methods.
func TestPartsOfMethods(t *testing.T) {
	m := OfClass("a.B", "c", "()V")
	for _, c := range []struct {
		m            Method
		label, short string
		on           int32
	}{
		{m, "a.B.c()V", "B.c", 0}, {m.OnLine(0), "a.B.c()V", "B.c", 0}, {m.OnLine(-3), "a.B.c()V", "B.c", 0}, {m.OnLine(1), "a.B.c()V:1", "B.c:1", 1},
		{m.AtUnit(0), "a.B.c()V+0", "B.c+0", -1}, {m.AtUnit(7), "a.B.c()V+7", "B.c+7", -8},
		{OfClass("", "f", "").OnLine(4), "f:4", "f:4", 4}, {OfClass("B", "f", "").OnLine(4), "B.f:4", "B.f:4", 4}, {OfSlice("x").AtUnit(2), "x+2", "x+2", -3},
	} {
		if c.m.Label() != c.label || c.m.Short() != c.short || c.m.On != c.on {
			t.Errorf("%+v: label %s, short name %s, want %s and %s", c.m, c.m.Label(), c.m.Short(), c.label, c.short)
		}
		unit, ok := c.m.Unit()
		if ok != (c.on < 0) || ok && unit != -c.on-1 {
			t.Errorf("%s is at unit %d, %v", c.label, unit, ok)
		}
	}
	if at := m.At("B.java", 9); at.File != "B.java" || at.Line != 9 || at.Label() != m.Label() {
		t.Errorf("got %+v", at)
	}
}

// TestClassesOfMethods lists the classes around a method, and moves it to other classes.
func TestClassesOfMethods(t *testing.T) {
	for class, want := range map[string][]string{
		"java.util.Map$Entry": {"java.util.Map$Entry", "java.util.Map"}, "A$B$1": {"A$B$1", "A$B", "A"}, "p.$A": {"p.$A"}, "$A": {"$A"}, "A$$B": {"A$$B"}, "p.A": {"p.A"}, "": nil,
	} {
		m := OfClass(class, "f", "()V")
		if got := slices.Collect(m.Classes()); !slices.Equal(got, want) || m.Class() != class {
			t.Errorf("%s: classes %q of %s, want %q", class, got, m.Class(), want)
		}
		for range m.Classes() {
			break // The iterator stops.
		}
	}
	for class, want := range map[string][2]string{
		"a.b.C": {"a.b", "C"}, "C": {"", "C"}, ".C": {"", ".C"}, "a.": {"", "a."}, "p.Main$$Lambda/0x0000000800c03000": {"p", "Main$$Lambda"}, "p.Main$$Lambda$1/2136288211": {"p", "Main$$Lambda$1"},
		"p.LambdaForm$MH/266272063": {"p", "LambdaForm$MH"}, "p.Main/266272063": {"p", "Main/266272063"}, "p.Main$$Lambda/0x": {"p", "Main$$Lambda/0x"}, "p.Main$$Lambda/0xfg": {"p", "Main$$Lambda/0xfg"},
		"p.Main$$Lambda/0xAF09af": {"p", "Main$$Lambda"}, "p.Main$$Lambda/": {"p", "Main$$Lambda/"}, "p.Main$$Lambda+0x12.3": {"p", "Main$$Lambda"},
	} {
		if m := OfClass("x.Y", "f", "()V").In(class); m.Scope != want[0] || m.Type != want[1] || m.Name != "f" {
			t.Errorf("%s is %q and %q, want %q", class, m.Scope, m.Type, want)
		}
	}
	callback := OfClass("a.B", "onClick", "()V").At("B.java", 3).Callback()
	if callback.Label() != "*.onClick()V" || callback.Short() != "*.onClick" || callback.File != "" || !callback.IsCallback() {
		t.Errorf("the callback is %+v", callback)
	}
	plain := OfClass("", "f", "")
	if plain.Callback() != plain || plain.IsCallback() || OfClass("a.B", "f", "").IsCallback() {
		t.Error("a function without a class is a callback")
	}
}

// TestOwnersAndPlaces checks the parts of names of each language.
func TestOwnersAndPlaces(t *testing.T) {
	for _, c := range []struct{ text, owner, place, pkg string }{
		{"java.util.Map$Entry.getKey()Ljava/lang/Object;", "Map$Entry", "java.util.Map$Entry", "java.util"},
		{"main", "", "", ""},
		{"net/http.(*conn).serve", "(*conn)", "net/http.(*conn)", "net/http"},
		{"/usr/lib/libart.so`art::Monitor::Wait(art::Thread*)", "Monitor", "art::Monitor", "libart.so"},
		{"core::str::len", "str", "core::str", "core::str"},
		{"load (feed.py:10)", "", "feed", "feed"},
		{"load feed.js:10:3", "", "feed", "feed"},
		{"/lib/libc.so`read", "", "", "libc.so"},
	} {
		m := Parse(c.text, Unknown)
		if m.Owner() != c.owner || m.Place() != c.place || m.Package() != c.pkg {
			t.Errorf("%s (%v): owner %q, place %q, package %q, want %q", c.text, m.Lang, m.Owner(), m.Place(), m.Package(), c)
		}
	}
}

// TestFind checks that the first form that any method has decides.
func TestFind(t *testing.T) {
	methods := []Method{OfClass("a.B", "f", "(I)V"), OfClass("a.B", "f", "(J)V"), OfClass("c.B", "f", "(I)V"), OfClass("", "B.f", "")}
	for text, want := range map[string][]int{"a.B.f(I)V": {0}, "a.B.f": {0, 1}, "c.B.f": {2}, "B.f": {3}, "f": nil, "": nil} {
		if got := Find(methods, text); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	if got := Find(methods[:3], "B.f"); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("got %v", got)
	}
}

// TestTextsRestoreMethods checks that the texts of a method and its line restore it exactly.
func TestTextsRestoreMethods(t *testing.T) {
	for _, text := range []string{"java.util.Map$Entry.getKey()Ljava/lang/Object;", "net/http.(*conn).serve", "libart.so`art::Monitor::Wait(art::Thread*)", "load (feed.py:10)", "load feed.js:10:3", "main"} {
		m := Parse(text, Unknown).At("F", 4)
		texts := m.Texts()
		got, ok := texts.Method(4)
		if !ok || got != m {
			t.Errorf("%s: got %+v, want %+v", text, got, m)
		}
		texts[0] = "no language"
		if got, ok := texts.Method(4); ok {
			t.Errorf("an unknown language is %v", got.Lang)
		}
	}
}

// TestScripts checks functions of scripts, whose names, paths and lines may be unknown.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		function, path     string
		line               int
		label, short, file string
		scope              string
	}{
		{"load", "file:///app/feed.js", 10, "load (/app/feed.js)", "load", "feed.js", "/app/feed"},
		{"", "/app/feed.js", 10, "(anonymous) (/app/feed.js:10)", "(anonymous)", "feed.js", "/app/feed"},
		{"", "/app/feed.js", 0, "(anonymous) (/app/feed.js)", "(anonymous)", "feed.js", "/app/feed"},
		{"", "", 3, "(anonymous) (:3)", "(anonymous)", "", ""},
		{"", "", 0, "(anonymous)", "(anonymous)", "", ""},
		{"Feed.load", "/app/feed.ts", 1, "Feed.load (/app/feed.ts)", "Feed.load", "feed.ts", "/app/feed"},
		{"load", `C:\app\feed.js`, 10, "load (/C:/app/feed.js)", "load", "feed.js", "/C:/app/feed"},
		{"", `C:\app\feed.js`, 10, "(anonymous) (/C:/app/feed.js:10)", "(anonymous)", "feed.js", "/C:/app/feed"},
		{"load", "webpack", 1, "load (webpack)", "load", "", "webpack"},
	} {
		m := OfScript(c.function, c.path, c.line)
		if m.Label() != c.label || m.Short() != c.short || m.File != c.file || m.Scope != c.scope || m.Lang != JavaScript {
			t.Errorf("%s in %s:%d is %+v", c.function, c.path, c.line, m)
		}
	}
	if m := Parse(`load (C:\app\feed.py:12)`, Unknown); m.Scope != "/C:/app/feed" || m.File != "feed.py" || m.Line != 12 || m.Lang != Python {
		t.Errorf("a function of Python on Windows is %+v", m)
	}
	if m := OfScript("Builtin", "", 0); m != (Method{Name: "Builtin"}) {
		t.Errorf("a function of the engine is %+v", m)
	}
	for _, c := range []struct {
		m    Method
		want string
	}{
		{OfScript("load", "/home/me/app/feed.js", 10), "load (app/feed.js)"}, {OfScript("", "/home/me/app/feed.js", 10), "(anonymous) (app/feed.js:10)"}, {OfScript("", "/home/me/app/feed.js", 0), "(anonymous) (app/feed.js)"},
		{Parse("load (/home/me/app/feed.py:10)", Python), "load (app/feed.py)"}, {Parse("JS:*load /home/me/app/feed.js:10:3", JavaScript), "load (app/feed.js)"},
	} {
		if m := c.m.Moved("scope", "app/feed"); m.Label() != c.want || m.Scope != "scope" || m.Module != "scope"+extension(m.File) {
			t.Errorf("%s moves to %+v, want %s", c.m.Label(), m, c.want)
		}
	}
	for text, want := range map[string]bool{"JS:*load /app/feed.js:10:3": true, "LazyCompile:~load /app/feed.js:10": true, "load /app/feed.js:10:3": false, "JS:load": false} {
		if m := Parse(text, JavaScript); m.Tiered() != want {
			t.Errorf("%s has a tier: %v", text, m.Tiered())
		}
	}
	if Parse("JS:*load (feed.py:10)", Python).Tiered() {
		t.Error("a function of Python has a tier")
	}
}
