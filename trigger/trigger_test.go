package trigger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
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
		component                 string // empty if the method makes no request
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

// TestNestedMoves checks which nested calls are part of the outer call.
func TestNestedMoves(t *testing.T) {
	for v, want := range map[trace.Verb]bool{trace.OpSend: true, trace.OpReceive: true, trace.OpRead: true, trace.OpWrite: true, trace.OpOpen: false, trace.OpAcquire: false, trace.OpStop: false} {
		if got := (&trigger.Trigger{Verb: v}).Moves(); got != want {
			t.Errorf("%v moves data: %v", v, got)
		}
	}
}

// TestNamesOfSystemCalls checks each character at the bounds of those that names may have.
func TestNamesOfSystemCalls(t *testing.T) {
	read(t, "syscalls:\n  send: [a, z, '0', '9', _newselect, pwrite64]")
	for _, text := range []string{"/", ":", "`", "{", "A", "Z", "sendTo", "é", "send-to"} {
		if _, err := trigger.Read(strings.NewReader("syscalls:\n  send: ['" + text + "']")); err == nil || !strings.Contains(err.Error(), "is not a system call") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "line 1: table of triggers: the file is empty",
		"methods:\n- send: [a.B.c]": "line 2: table of triggers: methods: the group has no component, such as component: network",
		"methods:\n- component: x\n  sned: [a.B.c]":                   `line 3: table of triggers: methods: unknown key "sned"; did you mean send?`,
		"methods:\n- component: x\n  send: [a.B.c,\n    a.B.c]":       "line 4: table of triggers: methods.send: a.B.c is already on line 3",
		"methods:\n- component: x\n  send: [a b]":                     `line 3: table of triggers: methods.send: "a b" is not a method: write class and name, as in java.net.Socket.connect`,
		"methods:\n- component: [x]":                                  "line 2: table of triggers: methods.component: use a text here",
		"syscalls:\n  send: [write, write]":                           "line 2: table of triggers: syscalls.send: write is already on line 2",
		"syscalls:\n  send: [a b]":                                    `line 2: table of triggers: syscalls.send: "a b" is not a system call: write its name, such as sendto`,
		"syscalls:\n  transfers: [write]":                             `line 2: table of triggers: syscalls: unknown key "transfers"; the keys are none, receive, send, sync`,
		"files:\n  disk: data":                                        `line 2: table of triggers: files.disk: "data" is not a path: write the start of a path, such as /data/`,
		"files:\n  disk: /a\n  none: /a":                              "line 3: table of triggers: files.none: /a is already on line 2",
		"sockets:\n  network: INET":                                   `line 2: table of triggers: sockets.network: "INET" is not a family of sockets: write its name, such as AF_INET`,
		"log:\n- tags: [A]\n  pattern: '('":                           "line 3: table of triggers: log.pattern: the pattern is not a regular expression of Go: error parsing regexp: missing closing ): `(`",
		"log:\n- pattern: a":                                          "line 2: table of triggers: log: the message has no tags, such as tags: [CameraService]",
		"log:\n- {tags: A, pattern: b, component: gps}":               "line 2: table of triggers: log: the message has no verb, such as verb: start",
		"log:\n- {tags: A, pattern: b, component: gps, verb: begins}": `line 2: table of triggers: log.verb: unknown verb "begins"; the verbs are send, receive,`,
		"log:\n- {tags: A, pattern: b, verb: start}":                  "line 2: table of triggers: log: a message needs a pattern and a component",
		"slices:\n- component: x\n  acquire: '**'":                    `line 3: table of triggers: slices.acquire: the pattern "**" matches every slice`,
		"slices:\n- component: x\n  release: 'a *'":                   "line 3: table of triggers: slices.release: release is not a verb of slices",
		"slices:\n- component: x\n  send: ['a *', 'a *']":             "line 3: table of triggers: slices.send: a * is already on line 3",
		"slices:\n- component: x\n  ends: by itself\n  acquire: a":    `line 3: table of triggers: slices: unknown key "ends"`,
		"slices:\n- send: a":                                          "line 2: table of triggers: slices: the group has no component",
		"- a":                                                         "line 1: table of triggers: use keys and values here, KEY: VALUE",
	} {
		_, err := trigger.Read(strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestExtends checks that a user's entries replace the built-in ones.
func TestExtends(t *testing.T) {
	builtIn, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	mine := builtIn.With(read(t, `
syscalls: {send: [vmsplice, read], none: syncfs}
files: {audio: /dev/snd/, none: /tmp/}
sockets: {modem: AF_QIPCRTR, none: AF_INET6}
log:
  - {tags: CameraService, pattern: "^CameraService::connect.* camera ID 7", component: none}
  - {tags: Mine, pattern: "^on (?P<handle>.)", component: gps, verb: start}
`))
	for name, want := range map[string]trigger.Effect{
		"write": trigger.Sends, "vmsplice": trigger.Sends, "read": trigger.Sends, "recvfrom": trigger.Receives, "fsync": trigger.Syncs, "syncfs": trigger.NoEffect, "ioctl": trigger.NoEffect,
	} {
		if got := mine.Call(name); got != want {
			t.Errorf("%s has the effect %d, want %d", name, got, want)
		}
	}
	for path, want := range map[string]string{
		"/data/a": "disk", "a": "disk", "/dev/snd/pcm": "audio", "/dev/null": "", "/tmp/a": "", "/proc/self/maps": "", "/memfd:a": "", "/tmpfs": "disk",
	} {
		if got := mine.File(path); got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
	for family, want := range map[string]string{"AF_INET": "network", "PF_INET": "network", "AF_INET6": "", "AF_QIPCRTR": "modem", "AF_UNIX": "", "AF_BLUETOOTH": "bluetooth"} {
		if got := mine.Socket(family); got != want {
			t.Errorf("%s is of %q, want %q", family, got, want)
		}
	}
	if builtIn.File("/tmp/a") != "disk" || builtIn.Call("syncfs") != trigger.Syncs || builtIn.Socket("AF_INET6") != "network" {
		t.Error("the built-in table changed")
	}
	component := func(table *trigger.Table, tag, text string) string {
		for _, m := range table.Messages([]byte(tag)) {
			if handle, _, ok := m.Match([]byte(text)); ok {
				return m.Component + " " + string(handle)
			}
		}
		return "nothing"
	}
	const connect = `CameraService::connect call (PID 9 "com.mine", camera ID %s)`
	for _, c := range []struct{ tag, text, want string }{
		{"CameraService", fmt.Sprintf(connect, "7"), " "}, {"CameraService", fmt.Sprintf(connect, "8"), "camera 8"}, {"Mine", "on x", "gps x"}, {"Mine", "off", "nothing"},
	} {
		if got := component(mine, c.tag, c.text); got != c.want {
			t.Errorf("%s: %s asks %q, want %q", c.tag, c.text, got, c.want)
		}
	}
}

// FuzzRead checks that any file gives a table or an error on one line.
func FuzzRead(f *testing.F) {
	f.Add("methods:\n- component: x\n  assumes: y\n  send: [a.B.c, \"d.E.f(I)V\"]\nnever: g.H.i\n")
	f.Add("methods: {component: x}\n")
	f.Add("syscalls: {send: [vmsplice], none: syncfs}\nfiles: {disk: /, none: [/dev/]}\nsockets: {network: AF_INET}\n")
	f.Add("slices: {component: network, receive: ['NETWORK: *', a*b*c]}\n")
	f.Add("log:\n- {tags: [A], pattern: '^a(?P<handle>.)', component: gps, verb: start}\n")
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
