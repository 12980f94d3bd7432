package strace

import (
	"strings"
	"testing"
)

// TestParts splits arguments at commas. Commas in quotes and in brackets separate nothing.
func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"3, \"a, b\", 5":               "3|\"a, b\"|5",
		"3,{a=1, b=[2, 3]}, (4, 5), 6": "3|{a=1, b=[2, 3]}|(4, 5)|6",
		"{a={b=1, c=2}, d=3}, 7":       "{a={b=1, c=2}, d=3}|7",
		`"a\", b", 2`:                  `"a\", b"|2`,
		`"a\\", 2`:                     `"a\\"|2`,
		"1}, 2":                        "1}|2",
		"\"{\", 2":                     "\"{\"|2",
	} {
		var got []string
		for _, p := range parts(nil, []byte(text)) {
			got = append(got, string(p))
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%s has the parts %s, want %s", text, got, want)
		}
	}
	args := parts(nil, []byte("1, 2"))
	if string(part(args, 1)) != "2" || part(args, 2) != nil {
		t.Errorf("the parts are %q and %q", part(args, 1), part(args, 2))
	}
}

// TestEscapes resolves the escapes of quoted texts.
func TestEscapes(t *testing.T) {
	for arg, want := range map[string]string{
		`"plain"`: "plain", `"a\nb\tc"`: "a\nb\tc", `"\"\\"`: `"\`, `"\0"`: "\x00", `"\07x"`: "\x07x", `"\101"`: "A", `"\1012"`: "A2", `"\78"`: "\x078", `"\x41b"`: "Ab", `"\x4"`: "x4",
		`"\303\251"`: "é", `"\377"`: "\uFFFD", `none`: "", `"open`: "open", `"end\`: `end\`, `{"in"}`: "in", `"\8"`: "8", `"\/"`: "/",
	} {
		if got := text([]byte(arg)); got != want {
			t.Errorf("%s is %q, want %q", arg, got, want)
		}
	}
}

// TestResults reads descriptors, counts and errors.
func TestResults(t *testing.T) {
	for text, want := range map[string]int64{"5": 5, "3</tmp/a>": 3, "12<TCP:[1->2]>": 12, "5 extra": 5, "-1 EAGAIN (x)": -1, "?": -1, "": -1, "x": -1} {
		n, ok := count([]byte(text))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("the count of %q is %d, %v", text, n, ok)
		}
	}
	if fd, note, ok := readDescriptor([]byte("7<socket:[a<b>]>")); fd != 7 || string(note) != "socket:[a<b>]" || !ok {
		t.Errorf("a socket: %d %q %v", fd, note, ok)
	}
	for text, want := range map[string]string{"-1 EAGAIN (Resource)": "EAGAIN", "0": "", "3": "", "-1": "", "-2 E": ""} {
		if got := failure([]byte(text)); got != want {
			t.Errorf("the failure of %q is %q, want %q", text, got, want)
		}
	}
	if got := string(within([]byte("a=[x] b=[y]"), "b=[", "]")); got != "y" || within([]byte("a=[x"), "a=[", "]") != nil || within([]byte("x]"), "a=[", "]") != nil {
		t.Errorf("within brackets: %q", got)
	}
}

// TestNumbersOfLines reads numbers, seconds and times of day at the limits of their forms.
func TestNumbersOfLines(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "9": 9, "10": 10, "999999999999999999": 999999999999999999, "1000000000000000000": -1, "": -1, "1a": -1, "/": -1, ":": -1} {
		n, ok := number([]byte(text))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q is %d, %v", text, n, ok)
		}
	}
	for text, want := range map[string]int64{"1.5": 1_500_000_000, "0.000000001": 1, "12.123456789": 12_123_456_789, "1.1234567891": -1, "1": -1, "8999999999.0": 8_999_999_999_000_000_000, "9000000000.0": -1, ".5": -1, "1.": -1} {
		n, ok := seconds([]byte(text))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q is %d ns, %v", text, n, ok)
		}
	}
	const hour = 3600 * 1_000_000_000
	for text, want := range map[string]int64{"00:00:00": 0, "11:41:55": 11*hour + 41*hour/60 + 55*hour/3600, "01:00:00.25": hour + 250_000_000, "1:00:00": -1, "01-00:00": -1, "01:00-00": -1, "0a:00:00": -1, "00:0a:00": -1, "00:00:0a": -1, "00:00:00x": -1} {
		n, ok := timeOfDay([]byte(text))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q is %d ns, %v", text, n, ok)
		}
	}
	for word, want := range map[string]bool{"999999999": false, "1000000000": true, "1700000000": true, "x": false} {
		if got := isSince1970([]byte(word)); got != want {
			t.Errorf("%s counts from 1970: %v", word, got)
		}
	}
}

// TestNamesOfCalls checks what may be the name of a system call.
func TestNamesOfCalls(t *testing.T) {
	for name, want := range map[string]bool{
		"read": true, "az": true, "a0": true, "pread64": true, "_exit": true, "9p": false, "": false, "Read": false, "re-ad": false, "a:": false, "a/": false, "a{": false, "a`": false,
		strings.Repeat("a", 63): true, strings.Repeat("a", 64): false,
	} {
		if got := isName([]byte(name)); got != want {
			t.Errorf("%q is a name: %v", name, got)
		}
	}
}

// TestFrames reads frames with and without a symbol.
func TestFrames(t *testing.T) {
	for text, want := range map[string]struct {
		file, symbol string
		address      uint64
	}{
		"/lib/libc.so.6(read+0x1f) [0x2a3b]":   {"/lib/libc.so.6", "read", 0x2a3b},
		"/bin/app(app::load(int)+0x1f) [0x10]": {"/bin/app", "app::load(int)", 0x10},
		"/bin/app() [0x10]":                    {"/bin/app", "", 0x10},
		"/bin/app(+0x5) [0x10]":                {"/bin/app", "", 0x10},
		"[0x10]":                               {},
		" [0x10]":                              {"", "", 0x10},
		"(+0x1) [0x10]":                        {"", "", 0x10},
		"text":                                 {},
	} {
		var f frame
		f.read([]byte(text))
		if string(f.file) != want.file || string(f.symbol) != want.symbol || f.address != want.address {
			t.Errorf("%q is %q, %q at %#x; want %+v", text, f.file, f.symbol, f.address, want)
		}
	}
}
