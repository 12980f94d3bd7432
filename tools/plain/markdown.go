package main

import (
	"regexp"
	"strings"
)

var (
	codeSpan = regexp.MustCompile("`+[^`]+`+")
	listItem = regexp.MustCompile(`^([-*+]|\d+[.)]|#+|>|\|)\s?`)
)

// readMarkdown returns the lines of a page without code. history is true for a list of changes, of
// which only the newest entry is read.
func readMarkdown(source []byte, history bool) []line {
	var lines []line
	fence, breaks, entries := "", true, 0
	for i, text := range strings.Split(string(source), "\n") {
		indented := strings.HasPrefix(text, "    ")
		text = strings.TrimSpace(text)
		if mark := fenceOf(text); fence != "" || mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			breaks = true
			continue
		}
		if history && strings.HasPrefix(text, "## ") {
			if entries++; entries > 1 {
				break
			}
		}
		if text == "" || indented && breaks {
			breaks = true
			continue
		}
		mark := listItem.FindString(text)
		lines = append(lines, line{number: i + 1, text: codeSpan.ReplaceAllString(text[len(mark):], "`X`"), breaks: breaks || mark != ""})
		breaks = strings.HasPrefix(mark, "#")
	}
	return lines
}

// fenceOf returns the marks that begin or end a block of code. It returns "" if the line has none.
func fenceOf(text string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(text, mark) {
			return mark
		}
	}
	return ""
}
