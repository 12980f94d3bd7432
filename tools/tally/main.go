// Command tally reads the output of go test -json. It prints the output of failed tests as go test
// would, and then one line with counts:
//
//	1024 passed, 0 failed, 3 skipped
//
// The tests in TypeScript print the same line, through the reporter in vitest.mjs.
//
// With -slowest N it first lists the N slowest tests.
//
// It exits with 1 if a test or a build failed, or if there was no test. A pipeline then gets the
// result of the tests even if its shell has no pipefail.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	slowest := flag.Int("slowest", 0, "list the `N` tests that took longest")
	flag.Parse()
	passed, err := run(os.Stdin, os.Stdout, *slowest)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

// run counts one stream. It reports whether all tests passed.
func run(r io.Reader, w io.Writer, slowest int) (bool, error) {
	t := tally{out: w, pending: map[testKey][]string{}}
	if err := t.read(r); err != nil {
		return false, err
	}
	if slowest > 0 {
		t.slowest(slowest)
	}
	return t.finish(), nil
}
