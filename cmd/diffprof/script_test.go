package main

import (
	"compress/gzip"
	"encoding/base64"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the scripts in testdata/script and docs/cli.md")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"diffprof": main})
}

// TestScripts runs the command line as its users do. testdata/script/README.md
// says how the scripts are written.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Nothing of who runs the tests may show.
			for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"} {
				env.Setenv(name, "")
			}
			env.Setenv("TERM", "xterm")
			// The race detector lets each process sleep for a second at its end.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			env.Setenv("MODULE", root+"/../..")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"unpack": unpack},
	})
}

// unpack writes the data of a page, of the HTML report, to a file: unpack PAGE FILE.
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
