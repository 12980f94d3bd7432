package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestShownCommands runs the commands whose output the documents show. Each line that a document
// shows must be in the output, in the same order. A line with … represents any lines.
func TestShownCommands(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the documents' commands need bash, which is not installed")
	}
	for _, path := range []string{"README.md", "docs/compare.md"} {
		t.Run(path, func(t *testing.T) {
			data, err := os.ReadFile("../../" + path)
			if err != nil {
				t.Fatal(err)
			}
			ran := 0
			for i, block := range strings.Split(string(data), "```") {
				if text, ok := strings.CutPrefix(strings.TrimPrefix(block, "\n"), "$ "); ok && i%2 == 1 {
					runShown(t, bash, strings.Split(strings.TrimSuffix(text, "\n"), "\n"))
					ran++
				}
			}
			if ran != 1 {
				t.Errorf("%d commands were run", ran)
			}
		})
	}
}

// runShown runs the command at the start of a block, and checks that the output has the block's
// other lines.
func runShown(t *testing.T, bash string, lines []string) {
	first := 1
	for strings.HasSuffix(lines[first-1], `\`) {
		first++
	}
	command := exec.Command(bash, "-c", strings.Join(lines[:first], "\n"))
	command.Dir = "../.."
	command.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=", "GORACE=atexit_sleep_ms=0")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", lines[0], err)
	}
	rest := strings.Split(string(out), "\n")
	for _, line := range lines[first:] {
		at := 0
		for line != "…" && at < len(rest) && strings.TrimRight(rest[at], " ") != line {
			at++
		}
		if at == len(rest) {
			t.Errorf("%s: there is no line %q, or not at its place, in\n%s", lines[0], line, out)
			return
		}
		if line != "…" {
			rest = rest[at+1:]
		}
	}
}
