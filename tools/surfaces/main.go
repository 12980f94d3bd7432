// Command surfaces runs every surface of diffprof on pairs of recordings, and checks that they
// agree: the JSON report, the text, the comment on a pull request, the annotations of GitHub, the
// reports for GitLab, SARIF, JUnit and CSV, the page in a browser, the language server and the exit
// codes of --fail-on. It prints a table with one line per pair, and each disagreement below its
// pair. The exit code is 1 if surfaces disagree.
//
//	surfaces [-program FILE] [-chromium FILE] [-most N] FOLDER
//	surfaces [-program FILE] [-chromium FILE] SUBJECT REFERENCE ...
//
// For a folder, the pairs are successive recordings of the same format in the same folder, in both
// directions. -most limits the number of recordings of a format in a folder. Without Chromium, the
// page is not checked.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	var c checker
	most := flag.Int("most", 12, "the number of recordings of one format in one folder")
	flag.StringVar(&c.program, "program", "bin/diffprof", "diffprof's program")
	flag.StringVar(&c.chromium, "chromium", chromium(), "a Chromium; empty for none")
	flag.Parse()
	pairs, err := pairsOf(c.program, flag.Args(), *most)
	if err == nil {
		err = c.run(os.Stdout, pairs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "surfaces:", err)
		os.Exit(1)
	}
}

// A checker runs the surfaces on pairs.
type checker struct {
	// program is the path of diffprof. chromium is the path of a browser. It may be empty.
	program, chromium string
}

// errDisagree means that surfaces disagree. The table has the details.
var errDisagree = errors.New("surfaces disagree")

// run checks pairs and writes the table.
func (c *checker) run(w io.Writer, pairs []pair) error {
	out := bufio.NewWriter(w)
	wrong, refused := 0, 0
	for _, p := range pairs {
		agreed, r, err := c.check(p)
		switch {
		case errors.As(err, new(*refusedError)):
			refused++
			fmt.Fprintf(out, "%s\trefused\t\t%v\n", p, err)
		case err != nil:
			wrong++
			fmt.Fprintf(out, "%s\terror\t\t%v\n", p, err)
		default:
			h := r.Judgement.Headline
			fmt.Fprintf(out, "%s\t%s\t%d\t%s\n", p, verdictOf(r), h.Rows, agreed.line())
			for _, d := range agreed.differences {
				fmt.Fprintf(out, "\t%s\n", d)
			}
			if len(agreed.differences) > 0 {
				wrong++
			}
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("writing the table: %w", err)
		}
	}
	fmt.Fprintf(out, "%d pairs, %d with a disagreement, %d refused\n", len(pairs), wrong, refused)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	if wrong > 0 {
		return errDisagree
	}
	return nil
}

// agreement is the result of checking one pair.
type agreement struct {
	// surfaces are the surfaces that were checked, in order.
	surfaces []string
	// differences are the disagreements. Each names its surface.
	differences []string
	wrong       map[string]int
	current     string
}

// begin begins the check of a surface.
func (a *agreement) begin(surface string) {
	a.surfaces, a.current = append(a.surfaces, surface), surface
}

// differs notes a disagreement of the current surface.
func (a *agreement) differs(format string, args ...any) {
	if a.wrong == nil {
		a.wrong = make(map[string]int)
	}
	// One fault may occur in each row.
	if a.wrong[a.current]++; a.wrong[a.current] > 5 {
		return
	}
	a.differences = append(a.differences, a.current+": "+fmt.Sprintf(format, args...))
}

// same notes a disagreement if two values differ.
func same[T comparable](a *agreement, what string, got, want T) {
	if got != want {
		a.differs("%s is %s, the JSON has %s", what, short(got), short(want))
	}
}

// short returns a value as text on one line.
func short(v any) string {
	text := []rune(fmt.Sprintf("%q", fmt.Sprint(v)))
	return string(text[:min(len(text), 300)])
}

// line lists the surfaces that agree, and those that do not.
func (a *agreement) line() string {
	var right, wrong []string
	for _, s := range a.surfaces {
		if a.wrong[s] > 0 {
			wrong = append(wrong, s)
		} else {
			right = append(right, s)
		}
	}
	if len(wrong) == 0 {
		return "all agree: " + strings.Join(right, " ")
	}
	return cmp.Or(strings.Join(right, " "), "none") + "; NOT: " + strings.Join(wrong, " ")
}
