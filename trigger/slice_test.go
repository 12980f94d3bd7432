package trigger_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trigger"
)

func TestSlices(t *testing.T) {
	mine := read(t, `
slices:
  - component: network
    receive: ["NETWORK: *", "GET *"]
  - component: wakelock
    acquire: "*Lock*held"
methods:
  - component: disk
    read: a.B.c
`).With(read(t, "slices: [{component: wifi, send: 'NETWORK: upload*'}]"))
	for text, want := range map[string]string{
		"NETWORK: <url>": "network receive", "NETWORK: upload #": "wifi send", "NETWORK:": "", "network: x": "",
		"my Lock is held": "wakelock acquire", "Lockheld": "wakelock acquire", "Lock held on": "", "a.B.c": "",
	} {
		g, got := mine.Find(name.OfSlice(text)), ""
		if text == "a.B.c" {
			g = mine.Slice(text)
		}
		if g != nil {
			got = g.Component + " " + g.Verb.String()
			if g.Holds() == g.Moves() || !g.Slice {
				t.Errorf("%q: %+v", text, g)
			}
		}
		if got != want {
			t.Errorf("%q asks %q, want %q", text, got, want)
		}
	}
	if g := mine.Find(name.Parse("a.B.c", name.JVM)); g == nil || g.Slice {
		t.Errorf("the method is %+v", g)
	}
	if g := mine.Find(name.OfProcess("GET it", "1")); g != nil {
		t.Errorf("a process is %+v", g)
	}
}

// TestMatches compares patterns with regular expressions.
func TestMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	word := func(letters string) string {
		var b strings.Builder
		for range r.IntN(7) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	hits := 0
	for range 20000 {
		pattern, text := "x"+word("ab*"), "x"+word("ab")
		table := read(t, "slices: [{component: x, send: '"+pattern+"'}]")
		want := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(text)
		if got := table.Slice(text) != nil; got != want {
			t.Fatalf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
		if want {
			hits++
		}
	}
	if hits < 500 {
		t.Errorf("only %d matches", hits)
	}
	var none *trigger.Table
	if none.Slice("x") != nil {
		t.Error("a nil table has a trigger")
	}
}
