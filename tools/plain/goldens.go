package main

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

var (
	quotedOrNumber = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|` + number.String())
	number         = regexp.MustCompile(`\d+(?:[.,]\d+)*`)
)

// facts returns where a golden file has text that a change of wording must not change: numbers,
// keys of JSON, and other strings of JSON without a space.
func facts(text string) [][]int {
	var found [][]int
	for _, at := range quotedOrNumber.FindAllStringIndex(text, -1) {
		fact, rest := text[at[0]:at[1]], text[at[1]:]
		if !strings.Contains(fact, " ") || strings.HasPrefix(rest, ":") {
			found = append(found, at)
			continue
		}
		for _, inner := range number.FindAllStringIndex(fact, -1) {
			found = append(found, []int{at[0] + inner[0], at[0] + inner[1]})
		}
	}
	return found
}

// compareGoldens compares the files in folders named testdata between two commits of a repository.
// It returns an error if the facts or their order differ in a file that both commits have. It lists
// the files that only one commit has, because a reader must judge them.
func compareGoldens(w io.Writer, repository, base, head string) error {
	changed, err := git(repository, "diff", "--name-status", "--no-renames", base, head)
	if err != nil {
		return err
	}
	words, other := 0, 0
	for change := range strings.Lines(changed) {
		status, file, _ := strings.Cut(strings.TrimSpace(change), "\t")
		if !slices.Contains(strings.Split(file, "/"), "testdata") {
			continue
		}
		if status != "M" {
			fmt.Fprintf(w, "%s: only in one commit (%s)\n", file, status)
			continue
		}
		before, err := git(repository, "show", base+":"+file)
		if err != nil {
			return err
		}
		after, err := git(repository, "show", head+":"+file)
		if err != nil {
			return err
		}
		if difference := differ(before, after); difference != "" {
			fmt.Fprintf(w, "%s: %s\n", file, difference)
			other++
			continue
		}
		words++
	}
	fmt.Fprintf(w, "%d golden files differ only in words, %d in more than words\n", words, other)
	if other > 0 {
		return fmt.Errorf("%d golden files changed by more than words", other)
	}
	return nil
}

// differ describes the first fact in which two texts differ. It returns "" if there is none.
func differ(before, after string) string {
	a, b := facts(before), facts(after)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("line %d adds %s", lineAt(after, b[i][0]), after[b[i][0]:b[i][1]])
		case i >= len(b):
			return fmt.Sprintf("line %d of the base has %s, which is gone", lineAt(before, a[i][0]), before[a[i][0]:a[i][1]])
		}
		if was, is := before[a[i][0]:a[i][1]], after[b[i][0]:b[i][1]]; was != is {
			return fmt.Sprintf("line %d has %s, before %s", lineAt(after, b[i][0]), is, was)
		}
	}
	return ""
}

func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

func git(repository string, args ...string) (string, error) {
	command := exec.Command("git", append([]string{"-C", repository}, args...)...)
	out, err := command.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
