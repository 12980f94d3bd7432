package main

import (
	"archive/zip"
	"compress/gzip"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/diffprof/diffprof/comment/commenttest"
	"github.com/diffprof/diffprof/record/recordtest"
)

var update = flag.Bool("update", false, "rewrite the scripts in testdata/script and docs/cli.md")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"diffprof": main, "adb": recordtest.Main})
}

// watched are the scripts that run with the race detector: those for concurrent code in this
// package (progress, output, signals, servers), and one script for each kind of command. All
// scripts together would start a thousand processes for the same goroutines, which the tests of
// other packages already check.
var watched = []string{
	"testdata/script/comment.txtar", "testdata/script/compare.txtar", "testdata/script/groups.txtar",
	"testdata/script/interrupt.txtar", "testdata/script/lines.txtar", "testdata/script/lsp.txtar",
	"testdata/script/mcp.txtar", "testdata/script/output.txtar", "testdata/script/publish.txtar",
	"testdata/script/record.txtar", "testdata/script/trend.txtar",
}

// TestScripts runs the command line as its users do. testdata/script/README.md describes how the
// scripts are written.
func TestScripts(t *testing.T) {
	// If nohup makes this process ignore a signal, the programs that it starts would ignore it too.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangup) })
	dir, files := "testdata/script", []string(nil)
	if raced {
		dir, files = "", watched
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The environment of the user must not affect the tests.
			for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"} {
				env.Setenv(name, "")
			}
			env.Setenv("TERM", "xterm")
			// The race detector makes each process sleep for a second at its end.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			// The scripts start a thousand processes. The heap of each is just large enough to be
			// collected.
			env.Setenv("GOGC", "400")
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			env.Setenv("MODULE", root+"/../..")
			env.Values["forge"] = commenttest.New(commenttest.Comment{Author: commenttest.Person, Body: "Nice."})
			return nil
		},
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"unpack": unpack, "pprof": writePprof, "app": writeApp, "forge": forge, "spark": runSpark},
		Condition: sparkCondition(t),
	})
}

// forge implements the script command forge [FILE]. It starts a simulated GitHub and GitLab, whose
// address is $FORGE. With FILE, it writes the comments on their pull request to the file.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value("forge").(*commenttest.Server)
	switch {
	case neg || len(args) > 1:
		ts.Fatalf("usage: forge [FILE]")
	case len(args) == 0:
		at := httptest.NewServer(server)
		ts.Defer(at.Close)
		ts.Setenv("FORGE", at.URL)
		return
	}
	var b strings.Builder
	for _, c := range server.Comments() {
		fmt.Fprintf(&b, "== %d by %d\n%s\n", c.ID, c.Author, c.Body)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o666))
	if problems := server.Problems(); len(problems) > 0 {
		ts.Fatalf("a request %s", strings.Join(problems, "; "))
	}
}

// unpack implements unpack PAGE FILE. It writes the data in a page of the HTML report to a file.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unpack PAGE FILE")
	}
	_, text, _ := strings.Cut(ts.ReadFile(args[0]), `id="data">`)
	text, _, _ = strings.Cut(text, "<")
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	ts.Check(err)
	data, err := io.ReadAll(r)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
}

// writeApp implements app FILE [SPLIT | DEX]. It writes an APK: with a small program, with a
// program whose dex file is in the tests of package instrument, or without code.
func writeApp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: app FILE [SPLIT | DEX]")
	}
	program, split := "Shapes.dex", len(args) == 2
	if split && strings.HasSuffix(args[1], ".dex") {
		program, split = args[1], false
	}
	code, err := os.ReadFile("../../instrument/testdata/" + program)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w := zip.NewWriter(f)
	entries := []struct{ name, data string }{{"AndroidManifest.xml", `<manifest package="com.mine"/>`}, {"classes.dex", string(code)}}
	if split {
		entries = entries[:1]
		entries[0].data = fmt.Sprintf(`<manifest package="com.mine" split=%q/>`, args[1])
	}
	for _, entry := range entries {
		to, err := w.Create(entry.name)
		ts.Check(err)
		_, err = io.WriteString(to, entry.data)
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(f.Close())
}

// writePprof implements pprof FOLDED FILE. It converts folded stacks in nanoseconds to a pprof
// profile with processor time and numbers of samples.
func writePprof(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pprof FOLDED FILE")
	}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	known := make(map[string]*profile.Location)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		stack, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		ts.Check(err)
		s := &profile.Sample{Value: []int64{1, n}}
		for _, frame := range strings.Split(stack, ";") {
			l := known[frame]
			if l == nil {
				id := uint64(len(known)) + 1
				f := &profile.Function{ID: id, Name: frame}
				l = &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
				known[frame] = l
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			}
			s.Location = append([]*profile.Location{l}, s.Location...)
		}
		p.Sample = append(p.Sample, s)
	}
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(p.Write(f))
	ts.Check(f.Close())
}
