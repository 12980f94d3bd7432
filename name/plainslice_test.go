package name_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

func TestPlainSlice(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"inflate":                       "inflate",
		"Choreographer#doFrame 191073":  "Choreographer#doFrame #",
		"commit 191072 vsyncIn 16.24ms": "commit # vsyncIn #ms",
		"Lock contention on a monitor lock (owner tid: 2059)": "Lock contention on a monitor lock (owner tid: #)",
		"transactionIsReadyToBeApplied vsyncId: -1":           "transactionIsReadyToBeApplied vsyncId: #",
		"2348-10227-5e10:updateUniveralBoostMode()":           "#-#-#:updateUniveralBoostMode()",
		"ActivityRecord{4e436ad u0 com.mine/.Main}#90":        "ActivityRecord{# u# com.mine/.Main}##",
		"Surface(name=9f0bc20 Input)/@0x400aa7f - of":         "Surface(name=# Input)/@# - of",
		"View@deadbeef draws":                                 "View@# draws",
		"deadbeef":                                            "deadbeef",
		"beef12 Beef12 BEEF12":                                "# Beef# #",
		"GET https://example.com/a/7?b=c, 3 of 4":             "GET <url>, # of #",
		"at (content://media/external)":                       "at (<url>)",
		"a-5 and b -5 and 5-5":                                "a-# and b # and #-#",
		"version 1.2.3.":                                      "version #.",
		"x86_64 utf8":                                         "x#_# utf#",
		"größe 12":                                            "größe #",
		"\xff\xfe 12":                                         "\xff\xfe #",
	} {
		if got := string(name.PlainSlice(nil, []byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := name.PlainSlice(nil, []byte(strings.Repeat("ö", 5000))); len(got) != 1024-2 {
		t.Errorf("a long name has %d bytes", len(got))
	}
	if n := testing.AllocsPerRun(100, func() {
		var room [64]byte
		name.PlainSlice(room[:0], []byte("Choreographer#doFrame 191073"))
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPlainSlice(f *testing.F) {
	for _, s := range []string{"", "a 12", "0x12", "http://a b", "-1-1", "@ab", "1.2.3", "a_1f", "x://://y", "--12", "#-1", "12-#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := string(name.PlainSlice(nil, []byte(s)))
		if len(s) < 500 {
			if twice := string(name.PlainSlice(nil, []byte(once))); once != twice {
				t.Errorf("%q becomes %q and then %q", s, once, twice)
			}
			if strings.ContainsAny(once, "0123456789") {
				t.Errorf("%q keeps a number: %q", s, once)
			}
		}
	})
}
