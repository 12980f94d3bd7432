// Command plain counts patterns of wording that are rare in plain technical English (patterns.go).
// It reads comments, Markdown, JSON schemas, and sentences in the strings of programs.
//
//	go run ./tools/plain [-v] [-most PERCENT] [FOLDER…]
//	go run ./tools/plain -goldens BASE..HEAD
//
// For each room, which is a top folder, it prints how many lines match. A line counts at most once.
// It exits with 1 if a room has two or more matching lines that are more than -most percent of its
// comments and Markdown. -v lists the lines. The count shows a habit, but a reader must judge the
// sentence.
//
// It also exits with 1 if the comment of a function begins a sentence with a name that does not
// exist, such as the former name of a parameter (names.go).
//
// By this count, the Go library has 0.1 %. See CONTRIBUTING.md on plain words.
//
// With -goldens, it compares the golden files of two commits instead. It exits with 1 if anything
// other than wording changed: a number, a key of JSON, or a string of JSON without a space, such as
// the name of a rule.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "list the lines that match")
	most := flag.Float64("most", 100, "exit 1 if more than this `percent` of the comments and Markdown of a room match")
	mostStrings := flag.Float64("most-strings", 100, "exit 1 if more than this `percent` of the sentences in the strings of a room match")
	goldens := flag.String("goldens", "", "compare the golden files of two commits, `BASE..HEAD`")
	flag.Parse()
	limits := limits{comments: *most, sentences: *mostStrings}
	if err := run(os.Stdout, flag.Args(), *verbose, limits, *goldens); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, folders []string, verbose bool, limits limits, goldens string) error {
	if goldens != "" {
		base, head, ok := strings.Cut(goldens, "..")
		if !ok || base == "" || head == "" {
			return errors.New("-goldens takes BASE..HEAD, two commits")
		}
		return compareGoldens(w, ".", base, head)
	}
	if len(folders) == 0 {
		folders = []string{"."}
	}
	rooms, err := read(folders)
	if err != nil {
		return err
	}
	if verbose {
		list(w, rooms)
	}
	stale, err := staleNames(folders)
	if err != nil {
		return err
	}
	for _, s := range stale {
		fmt.Fprintf(w, "%s:%d: the comment of %s names %s, which neither the function nor its package has\n", s.file, s.line, s.function, s.name)
	}
	err = summary(w, rooms, limits)
	if len(stale) > 0 {
		err = errors.Join(err, fmt.Errorf("comments name %d things that do not exist", len(stale)))
	}
	return err
}
