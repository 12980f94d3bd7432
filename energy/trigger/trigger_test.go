package trigger_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/energy/trigger"
	"github.com/diffprof/diffprof/trace"
)

func read(t *testing.T, text string) *trigger.Table {
	t.Helper()
	table, err := trigger.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestFind(t *testing.T) {
	builtIn, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	mine := builtIn.With(read(t, `
methods:
  - component: printer
    assumes: it has paper
    write: [app.Printer.print, "app.Printer.feed(I)V"]
  - component: disk
    send: java.net.Socket.connect
never: [java.io.FileInputStream.read]
`))
	for _, c := range []struct {
		table                     *trigger.Table
		class, method, descriptor string
		component                 string // empty for none
		verb                      trace.Verb
	}{
		{builtIn, "java.net.Socket", "connect", "(Ljava/net/SocketAddress;I)V", "network", trace.OpOpen},
		{builtIn, "android.os.PowerManager$WakeLock", "acquire", "()V", "wakelock", trace.OpAcquire},
		{builtIn, "java.io.FileInputStream", "read", "([BII)I", "disk", trace.OpRead},
		{builtIn, "app.Printer", "print", "()V", "", 0},
		{mine, "app.Printer", "print", "()V", "printer", trace.OpWrite},
		{mine, "app.Printer", "feed", "(I)V", "printer", trace.OpWrite},
		{mine, "app.Printer", "feed", "()V", "", 0},
		{mine, "java.net.Socket", "connect", "()V", "disk", trace.OpSend},
		{mine, "java.io.FileInputStream", "read", "([BII)I", "", 0},
		{mine, "libcore.io.IoBridge", "read", "([BII)I", "disk", trace.OpRead},
		{nil, "java.net.Socket", "connect", "()V", "", 0},
	} {
		got := c.table.Find(name.OfClass(c.class, c.method, c.descriptor))
		switch {
		case c.component == "" && got != nil:
			t.Errorf("%s.%s%s asks %s", c.class, c.method, c.descriptor, got.Component)
		case c.component != "" && (got == nil || got.Component != c.component || got.Verb != c.verb):
			t.Errorf("%s.%s%s is %+v, want %s %v", c.class, c.method, c.descriptor, got, c.component, c.verb)
		}
	}
	if got := mine.Find(name.Method{Name: "print"}); got != nil {
		t.Errorf("a method without a class is %+v", got)
	}
}

// TestNestedMoves says which calls inside of others are parts of them.
func TestNestedMoves(t *testing.T) {
	for v, want := range map[trace.Verb]bool{trace.OpSend: true, trace.OpReceive: true, trace.OpRead: true, trace.OpWrite: true, trace.OpOpen: false, trace.OpAcquire: false, trace.OpStop: false} {
		if got := (&trigger.Trigger{Verb: v}).Moves(); got != want {
			t.Errorf("%v moves data: %v", v, got)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "line 1: table of triggers: the file is empty",
		"methods:\n- send: [a.B.c]": "line 2: table of triggers: methods: the group has no component, such as component: network",
		"methods:\n- component: x\n  sned: [a.B.c]":             `line 3: table of triggers: methods: unknown key "sned"; did you mean send?`,
		"methods:\n- component: x\n  send: [a.B.c,\n    a.B.c]": "line 4: table of triggers: methods.send: a.B.c stands on line 3 already",
		"methods:\n- component: x\n  send: [a b]":               `line 3: table of triggers: methods.send: "a b" is no method: write class and name, as in java.net.Socket.connect`,
		"methods:\n- component: [x]":                            "line 2: table of triggers: methods.component: use a text here",
		"- a":                                                   "line 1: table of triggers: use keys and values here, KEY: VALUE",
	} {
		_, err := trigger.Read(strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzRead holds all files to a table or an error on one line.
func FuzzRead(f *testing.F) {
	f.Add("methods:\n- component: x\n  assumes: y\n  send: [a.B.c, \"d.E.f(I)V\"]\nnever: g.H.i\n")
	f.Add("methods: {component: x}\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := trigger.Read(strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is on two lines", err)
			}
			return
		}
		for _, g := range table.Triggers() {
			if g.Method == "" || g.Component == "" {
				t.Errorf("%q reads as %+v", text, g)
			}
		}
	})
}
