package main

import (
	"flag"
	"os"
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
	})
}
