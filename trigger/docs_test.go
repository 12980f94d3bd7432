package trigger_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

var update = flag.Bool("update", false, "write README.md anew")

// seen are the methods of the table that occur in real traces. A test of package analysis computes
// the list.
var seen = strings.Fields(`
java.net.Socket.connect java.net.PlainSocketImpl.connect libcore.io.IoBridge.connect java.net.Socket.close
java.net.PlainSocketImpl.close java.net.PlainSocketImpl.write java.net.PlainSocketImpl$PlainSocketOutputStream.write
libcore.io.IoBridge.sendto java.net.PlainSocketImpl.read java.net.PlainSocketImpl$PlainSocketInputStream.read
libcore.io.IoBridge.recvfrom libcore.io.IoBridge.open java.io.FileInputStream.read libcore.io.IoBridge.read
libcore.io.Linux.read libcore.io.Posix.read android.database.sqlite.SQLiteConnection.executeForCursorWindow
android.database.sqlite.SQLiteConnection.nativeExecuteForCursorWindow java.io.FileOutputStream.write
java.io.FileDescriptor.sync libcore.io.IoBridge.write libcore.io.Posix.write libcore.io.Posix.fsync
android.database.sqlite.SQLiteConnection.execute android.database.sqlite.SQLiteConnection.executeForChangedRowCount
android.database.sqlite.SQLiteConnection.nativeExecute`)

// TestTableIsDocumented compares the table in the documentation with the built-in one.
func TestTableIsDocumented(t *testing.T) {
	const tableHead = "| component | methods | assumed |\n|---|---|---|\n"
	builtIn, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	var cell strings.Builder
	all := builtIn.Triggers()
	for i, g := range all {
		begins := i == 0 || all[i-1].Component != g.Component || all[i-1].Assumption != g.Assumption
		switch {
		case begins:
			cell.Reset()
			cell.WriteString("*" + g.Verb.String() + "* ")
		case all[i-1].Verb != g.Verb:
			cell.WriteString("; *" + g.Verb.String() + "* ")
		default:
			cell.WriteString(", ")
		}
		if slices.Contains(seen, g.Method) {
			cell.WriteString("**`" + g.Method + "`**")
		} else {
			cell.WriteString("`" + g.Method + "`")
		}
		if i+1 == len(all) || all[i+1].Component != g.Component || all[i+1].Assumption != g.Assumption {
			rows = append(rows, "| "+g.Component+" | "+cell.String()+" | "+g.Assumption+" |")
		}
	}
	const file = "README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), tableHead)
	want := before + tableHead + strings.Join(rows, "\n") + "\n\n" + syscalls(builtIn) + "\n" + messages(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("README.md lists other methods; run go test ./trigger -update")
	}
	for _, method := range seen {
		if !slices.ContainsFunc(all, func(g trigger.Trigger) bool { return g.Method == method }) {
			t.Errorf("%s is no trigger", method)
		}
	}
	guide, err := os.ReadFile("../docs/triggers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range trace.VerbNames() {
		if !strings.Contains(string(guide), verb) {
			t.Errorf("docs/triggers.md does not name the verb %s", verb)
		}
	}
}

// syscalls formats the table of system calls.
func syscalls(t *trigger.Table) string {
	s := "System calls, by what they do with their first argument:\n\n| | system calls |\n|---|---|\n"
	for _, row := range []struct {
		key    string
		effect trigger.Effect
	}{{"receive", trigger.Receives}, {"send", trigger.Sends}, {"sync", trigger.Syncs}} {
		s += "| " + row.key + " | `" + strings.Join(t.Calls(row.effect), "`, `") + "` |\n"
	}
	return s
}

// messages formats the messages of the log.
func messages(t *testing.T) string {
	data, err := os.ReadFile("log.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Log []struct {
			Tags                           []string
			Pattern, Component, Verb, When string
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	s := "Messages of Android's log, always written unless noted:\n\n| tags | operation | pattern |\n|---|---|---|\n"
	for _, m := range file.Log {
		effect := m.Component + " " + m.Verb
		if m.When != "" {
			effect += " (" + m.When + ")"
		}
		s += "| `" + strings.Join(m.Tags, "`, `") + "` | " + effect + " | `" + strings.ReplaceAll(m.Pattern, "|", "\\|") + "` |\n"
	}
	return s
}
