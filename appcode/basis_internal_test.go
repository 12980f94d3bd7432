package appcode

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

// ids returns identities from a text such as "feed.c/load feed.c/save". A word without a slash is a
// place, and a word that begins with one is a function without a place.
func ids(text string) map[identity]bool {
	all := make(map[identity]bool)
	for word := range strings.FieldsSeq(text) {
		place, function, _ := strings.Cut(word, "/")
		all[identity{place, function}] = true
	}
	return all
}

// TestBasis checks which common names show that two runs are of one app.
func TestBasis(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b names
		want Basis
	}{
		{"nothing", names{}, names{}, NoBasis},
		{"a process", names{processes: ids("com.mine.app")}, names{processes: ids("com.mine.app.debug")}, Binary},
		{"other processes with equal classes", names{processes: ids("com.mine.app"), classes: ids("Feed")}, names{processes: ids("com.mine.apps"), classes: ids("Feed")}, NoBasis},
		{"one of four classes", names{classes: ids("A B C D")}, names{classes: ids("A E F G H")}, Classes},
		{"one of five classes", names{classes: ids("A B C D X")}, names{classes: ids("A E F G H")}, NoBasis},
		{"one of four functions", names{functions: ids("feed/a feed/b feed/c feed/d")}, names{functions: ids("feed/a feed/x feed/y feed/z")}, Binary},
		{"one of five functions", names{functions: ids("feed/a feed/b feed/c feed/d feed/e")}, names{functions: ids("feed/a feed/x feed/y feed/z feed/v")}, NoBasis},
		{"functions of any program", names{functions: ids("main/a")}, names{functions: ids("main/a")}, NoBasis},
		{"a file without symbols", names{stripped: ids("feed.so")}, names{stripped: ids("feed.so")}, Binary},
		{"a file without symbols, and functions", names{stripped: ids("feed.so"), functions: ids("/a")}, names{stripped: ids("feed.so"), functions: ids("/b")}, NoBasis},
		{"three of six addresses", names{addresses: ids("x/1 x/2 x/3 x/4 x/5 x/6")}, names{addresses: ids("x/1 x/2 x/3 x/7 x/8 x/9")}, Binary},
		{"three of seven addresses", names{addresses: ids("x/1 x/2 x/3 x/4 x/5 x/6 x/0")}, names{addresses: ids("x/1 x/2 x/3 x/7 x/8 x/9 x/a")}, NoBasis},
		{"two of two addresses", names{addresses: ids("x/1 x/2")}, names{addresses: ids("x/1 x/2")}, NoBasis},
		{"one symbol of two, without programs", names{symbols: ids("/a /b")}, names{symbols: ids("/a /c")}, Functions},
		{"one symbol of three, without programs", names{symbols: ids("/a /b /d")}, names{symbols: ids("/a /c /e")}, NoBasis},
		{"two symbols of two programs", names{symbols: ids("/a /b"), functions: ids("p/a p/b")}, names{symbols: ids("/a /b"), functions: ids("q/a q/b")}, NoBasis},
		{"three symbols of two programs", names{symbols: ids("/a /b /c"), functions: ids("p/a p/b p/c")}, names{symbols: ids("/a /b /c"), functions: ids("q/a q/b q/c")}, Functions},
		{"two packages of four", names{packages: ids("a.b a.c a.d a.e")}, names{packages: ids("a.b a.c a.f a.g")}, Packages},
		{"two packages of five", names{packages: ids("a.b a.c a.d a.e a.x")}, names{packages: ids("a.b a.c a.f a.g a.h")}, NoBasis},
		{"one package", names{packages: ids("a.b")}, names{packages: ids("a.b")}, NoBasis},
		{"one package and two methods", names{packages: ids("a.b"), methods: ids("a.b/x a.b/y")}, names{packages: ids("a.b"), methods: ids("a.b/x a.b/y")}, NoBasis},
		{"one package and three methods", names{packages: ids("a.b"), methods: ids("a.b/x a.b/y a.b/z")}, names{packages: ids("a.b"), methods: ids("a.b/x a.b/y a.b/z")}, Packages},
		{"one folder of scripts", names{packages: map[identity]bool{{place: "/srv/feed/src"}: true}}, names{packages: map[identity]bool{{place: "/srv/feed/src"}: true}}, Packages},
	} {
		if got := test.a.basis(test.b); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if got := test.b.basis(test.a); got != test.want {
			t.Errorf("%s, swapped: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestNamesOfAnyApp checks which names do not identify an app.
func TestNamesOfAnyApp(t *testing.T) {
	for method, want := range map[string]bool{"onClick": true, "onZ": true, "onA": true, "on": false, "once": false, "on9": false, "<init>": true, "Run": true, "load": false} {
		if got := commonMethod(method); got != want {
			t.Errorf("any app may have the method %s: %v", method, got)
		}
	}
	for pkg, want := range map[string]bool{"com.mine": true, "a.b.cd": true, "a.b.c": false, "abcdefgh": false, "com.example.feed": false, "com.examined": true, "": false} {
		if got := identifiesApp(pkg); got != want {
			t.Errorf("%s identifies an app: %v", pkg, got)
		}
	}
	for scope, want := range map[string]bool{"/home/me/feed": true, "/srv/feed/src": false, "srv/feed": false, "/a/b": false} {
		if got := distinctivePackage(name.Method{Lang: name.Python, Scope: scope}); got != want {
			t.Errorf("the folder %s identifies an app: %v", scope, got)
		}
	}
}
