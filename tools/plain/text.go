package main

import (
	"slices"
	"strings"
	"unicode"
)

// A line is one line of text for readers.
type line struct {
	number int
	text   string
	// breaks is true for the first line of a paragraph.
	breaks bool
	// sentence is true for a string in code, and false for a comment or Markdown.
	sentence bool
}

// A finding is a line in which at least one pattern begins.
type finding struct {
	line
	patterns []string
}

// findings matches the patterns against each paragraph of lines.
func findings(lines []line) []finding {
	var found []finding
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && !lines[n].breaks {
			n++
		}
		found = append(found, paragraph(lines[:n])...)
		lines = lines[n:]
	}
	return found
}

func paragraph(lines []line) []finding {
	var text strings.Builder
	starts := make([]int, len(lines))
	for i, l := range lines {
		starts[i] = text.Len()
		text.WriteString(l.text)
		text.WriteByte(' ')
	}
	hits := make([][]string, len(lines))
	for _, m := range find(text.String()) {
		i, exact := slices.BinarySearch(starts, m.at)
		if !exact {
			i--
		}
		if !slices.Contains(hits[i], m.name) {
			hits[i] = append(hits[i], m.name)
		}
	}
	var found []finding
	for i, names := range hits {
		if len(names) > 0 {
			found = append(found, finding{lines[i], names})
		}
	}
	return found
}

// prose returns the lines of a comment without comment marks. It leaves out indented code,
// directives and lines without letters. These end a paragraph.
func prose(first int, text []string) []line {
	var lines []line
	breaks := true
	for i, s := range text {
		if strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "   ") || !strings.ContainsFunc(s, unicode.IsLetter) {
			breaks = true
			continue
		}
		s = strings.TrimSpace(s)
		if strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") || strings.HasPrefix(s, "# ") {
			breaks = true
		}
		lines = append(lines, line{number: first + i, text: s, breaks: breaks})
		breaks = strings.HasPrefix(s, "# ")
	}
	return lines
}

// sentences returns the lines of a string in code if the string has at least three words. A message
// has that many, and a name does not.
func sentences(first int, text string) []line {
	if len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })) < 3 || !strings.Contains(strings.TrimSpace(text), " ") {
		return nil
	}
	var lines []line
	for i, s := range strings.Split(text, "\n") {
		if s = strings.TrimSpace(s); s != "" {
			lines = append(lines, line{number: first + i, text: s, breaks: len(lines) == 0, sentence: true})
		}
	}
	return lines
}
