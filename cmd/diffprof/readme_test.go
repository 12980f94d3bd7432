package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadme runs the commands whose output the README shows. Each line that it shows must
// be in the output, in the same order. A line with … skips lines.
func TestReadme(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the README's commands are for bash, which is not here")
	}
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, block := range strings.Split(string(data), "```") {
		text, ok := strings.CutPrefix(strings.TrimPrefix(block, "\n"), "$ ")
		if i%2 == 0 || !ok {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
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
				break
			}
			if line != "…" {
				rest = rest[at+1:]
			}
		}
		ran++
	}
	if ran != 2 {
		t.Errorf("%d commands of the README were run", ran)
	}
}
