package server

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/simulation"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/settings"
)

// writeFleet writes the findings of an artificial fleet, in which com.app uses too much on
// mobile data.
func writeFleet(t testing.TB, path string) {
	t.Helper()
	made := simulation.New(simulation.Options{
		Seed: 1, Clients: 100, Apps: 60, Hogs: 4, Innocent: 8, Days: 5, Named: &simulation.Named{Name: "com.app", Mobile: true},
	})
	f, err := fleet.Analyze(context.Background(), made.Set(nil, 2), fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(file)
	if err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFleetInEditors checks that a fleet's finding is in a lens and a hover at the call of the
// suspect task, and nowhere else. The suspect task must come first in the list.
func TestFleetInEditors(t *testing.T) {
	folder := t.TempDir()
	set := traces(t, folder)
	write(t, folder, "subject.folded", strings.Join([]string{
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;com.app.Main.onCreate(Landroid/os/Bundle;)V;android.content.ContentResolver.query()V 4000000",
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;com.app.Main.onCreate(Landroid/os/Bundle;)V;java.net.Socket.connect()V 2000000",
	}, "\n")+"\n")
	path := write(t, folder, "Main.java", strings.Replace(mainJava, "text.setText()", "socket.connect()", 1))
	writeFleet(t, filepath.Join(folder, "fleet.dp"))
	f := connect(t, nil)
	set["fleet"] = filepath.Join(folder, "fleet.dp")
	f.open(folder, `{}`, set)
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
		t.Fatal(did.Error)
	}
	document := map[string]any{"uri": lsp.URIOf(path)}
	found := func() (fleets []protocol.CodeLens, all int) {
		var lenses []protocol.CodeLens
		f.must("textDocument/codeLens", map[string]any{"textDocument": document}, &lenses)
		for _, l := range lenses {
			if strings.HasPrefix(l.Command.Title, "fleet: ") {
				fleets = append(fleets, l)
			}
		}
		return fleets, len(lenses)
	}
	lenses, all := found()
	if len(lenses) != 1 || all != 3 || lenses[0].Range.Start.Line != 5 {
		t.Fatalf("%d of %d lenses are the fleet's: %+v", len(lenses), all, lenses)
	}
	for _, want := range []string{" per charge, ", " devices", ", network mobile"} {
		if !strings.Contains(lenses[0].Command.Title, want) {
			t.Errorf("the lens says %q, without %q", lenses[0].Command.Title, want)
		}
	}
	hover := func(line int) string {
		var h protocol.Hover
		f.must("textDocument/hover", map[string]any{"textDocument": document, "position": map[string]int{"line": line, "character": 18}}, &h)
		return h.Contents.Value
	}
	if text := hover(5); !strings.Contains(text, "Suspect: it uses cellular in java.net.Socket.connect") || !strings.Contains(text, "in the fleet com.app costs") {
		t.Errorf("the hover says %q", text)
	}
	if text := hover(4); strings.Contains(text, "fleet") {
		t.Errorf("the hover of another task says %q", text)
	}
	var tasks struct {
		Tasks []struct {
			Method  string
			Suspect *struct{ Message string }
		}
	}
	f.must(lsp.MethodTasks, nil, &tasks)
	if len(tasks.Tasks) != 2 || !strings.Contains(tasks.Tasks[0].Method, "connect") || tasks.Tasks[0].Suspect == nil || tasks.Tasks[1].Suspect != nil {
		t.Errorf("the list is %+v", tasks.Tasks)
	}
	var whole struct {
		Report struct {
			Fleet *struct{ App, Agreement string }
		}
	}
	f.must(lsp.MethodReport, nil, &whole)
	if whole.Report.Fleet == nil || whole.Report.Fleet.App != "com.app" || whole.Report.Fleet.Agreement != "no-battery" {
		t.Errorf("the report says %+v", whole.Report.Fleet)
	}
	f.quit()
}

// TestFleetWithoutClaims checks that an invalid fleet file causes a message, and that the
// comparison is still shown.
func TestFleetWithoutClaims(t *testing.T) {
	folder := t.TempDir()
	set := traces(t, folder)
	set["fleet"] = write(t, folder, "fleet.dp", "no fleet")
	path := write(t, folder, "Main.java", mainJava)
	f := connect(t, nil)
	f.open(folder, `{}`, set)
	var message struct{ Message string }
	f.await("window/showMessage", 1, &message)
	if !strings.Contains(message.Message, "fleet.dp: ") || !strings.Contains(message.Message, "this is not a fleet that diffprof wrote") {
		t.Errorf("the user reads %q", message.Message)
	}
	var did didCompareParams
	if f.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
		t.Error(did.Error)
	}
	if n := f.lenses(map[string]any{"uri": lsp.URIOf(path)}); n != 2 {
		t.Errorf("%d lenses", n)
	}
	f.quit()
}

// TestRemarksHaveSettings checks that each kind of lens is on by default and can be switched off.
func TestRemarksHaveSettings(t *testing.T) {
	for _, r := range remarks {
		if !settings.Default().CodeLens[r.lens] {
			t.Errorf("lenses of %q are off", r.lens)
		}
		if off, wrong := settings.Default().WithYAML([]byte("codeLens:\n  "+r.lens+": false\n"), ""); len(wrong) > 0 || off.CodeLens[r.lens] {
			t.Errorf("lenses of %q cannot be switched off: %v", r.lens, wrong)
		}
	}
}
