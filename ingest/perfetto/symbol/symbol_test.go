package symbol_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/perfetto/symbol"
)

func number(field int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), value)
}

func message(field int, parts ...string) []byte {
	data := strings.Join(parts, "")
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|2), uint64(len(data))), data...)
}

func m(field int, parts ...string) string { return string(message(field, parts...)) }
func n(field int, value uint64) string    { return string(number(field, value)) }

func TestLines(t *testing.T) {
	var table symbol.Table
	line := func(function string, number uint64) string { return m(2, m(1, function), m(2, "a.cc"), n(3, number)) }
	for _, data := range []string{
		m(1, "/lib/libmine.so") + m(2, "id") + m(3, n(1, 16), line("inner", 5), line("outer", 9)),
		m(1, "/lib/other.so") + m(3, n(1, 16), line("other", 1)),
	} {
		if err := table.AddModule([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path, build string
		address     uint64
		want        string
	}{
		{"/lib/libmine.so", "id", 16, "inner outer"},
		{"/moved/libmine.so", "id", 16, "inner outer"},
		{"/lib/libmine.so", "another", 16, ""},
		{"/lib/libmine.so", "id", 17, ""},
		{"/lib/other.so", "unlisted", 16, "other"},
	} {
		var got []string
		for _, l := range table.Lines(c.path, c.build, c.address) {
			got = append(got, l.Function)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s %d: %v, want %s", c.path, c.build, c.address, got, c.want)
		}
	}
	if err := table.AddModule([]byte{0x0a, 9}); err == nil {
		t.Error("a message that is cut is no error")
	}
}

func TestJava(t *testing.T) {
	mapping := func(pkg string, classes ...string) []byte { return []byte(m(1, pkg) + strings.Join(classes, "")) }
	class := func(short, long string, methods ...string) string {
		return m(3, m(1, short), m(2, long), strings.Join(methods, ""))
	}
	method := func(short, long string) string { return m(4, m(1, short), m(2, long)) }
	var one, two symbol.Table
	mine := mapping("com.mine", class("a", "com.mine.Feed", method("b", "load"), method("c", "com.mine.Feed.save"), method("d", "com.lib.Json.read"), method("e", "first"), method("e", "second")))
	for table, all := range map[*symbol.Table][][]byte{&one: {mine}, &two: {mine, mapping("com.other", class("a", "com.other.Main", method("b", "run")))}} {
		for _, data := range all {
			if err := table.AddMapping(data); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		table                 *symbol.Table
		path, pkg, name, want string
	}{
		{&one, "", "", "a.b", "com.mine.Feed.load"},
		{&one, "", "", "a.c", "com.mine.Feed.save"},
		{&one, "", "", "a.d", "com.lib.Json.read"},
		{&one, "", "", "a.e", "com.mine.Feed.e"}, // The name matches one of two members.
		{&one, "", "", "a.x", "com.mine.Feed.x"},
		{&one, "", "", "java.lang.Thread.run", "java.lang.Thread.run"},
		{&one, "", "com.other", "a.b", "a.b"},
		{&two, "/data/app/com.other-1/base.apk", "com.mine", "a.b", "com.other.Main.run"},
		{&two, "/system/app.apk", "com.mine", "a.b", "com.mine.Feed.load"},
		{&two, "/system/app.apk", "", "a.b", "a.b"},
	} {
		if got := c.table.Java(c.path, c.pkg, c.name); got != c.want {
			t.Errorf("%s of %q in %q: %s, want %s", c.name, c.path, c.pkg, got, c.want)
		}
	}
}
