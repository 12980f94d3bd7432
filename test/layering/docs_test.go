package layering

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDependenciesAreExplained compares docs/dependencies.md with go.mod.
func TestDependenciesAreExplained(t *testing.T) {
	mod, err := os.ReadFile(root + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(root + "/docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "v") {
			continue
		}
		if !strings.Contains(string(doc), fields[0]) {
			t.Errorf("docs/dependencies.md does not say why go.mod requires %s", fields[0])
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#+ +(.*)`)
	mark    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	code    = regexp.MustCompile("`[^`]*`")
)

// TestLinksLeadSomewhere checks the relative links and the anchors of all Markdown files.
func TestLinksLeadSomewhere(t *testing.T) {
	pages, links := 0, 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "build") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(file) != ".md" {
			return nil
		}
		pages++
		lines := prose(t, file)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(strings.Join(lines, "\n"), ""), -1) {
			if strings.Contains(m[1], ":") {
				continue // a web address
			}
			links++
			path, anchor, anchored := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
				continue
			}
			if anchored && filepath.Ext(target) == ".md" && !slices.Contains(anchors(prose(t, target)), anchor) {
				t.Errorf("%s links to %s: %s has no heading for #%s", file, m[1], target, anchor)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 40 || links < 200 {
		t.Errorf("found only %d pages with %d links", pages, links)
	}
}

// TestMapNamesAllPages checks that docs/README.md links to each page, and docs/formats.md to each
// page of a format.
func TestMapNamesAllPages(t *testing.T) {
	for pattern, index := range map[string]string{"*.md": "README.md", "formats/*.md": "formats.md"} {
		text, err := os.ReadFile(root + "/docs/" + index)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(root, "docs", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			page, err := filepath.Rel(root+"/docs", file)
			if err != nil {
				t.Fatal(err)
			}
			if page != index && !strings.Contains(string(text), "("+filepath.ToSlash(page)+")") {
				t.Errorf("docs/%s has no link to %s", index, page)
			}
		}
	}
}

// prose returns the lines of a page, without blocks of code.
func prose(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	block := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			block = !block
			continue
		}
		if !block {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return lines
}

// anchors returns the anchors that GitHub gives the headings of a page: in lower case, without
// punctuation, with a hyphen for each space, and with a number if the anchor is in use.
func anchors(lines []string) []string {
	var all []string
	used := map[string]int{}
	for _, line := range lines {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text := link.ReplaceAllString(strings.ReplaceAll(m[1], "`", ""), "")
		anchor := strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), ""), " ", "-")
		if n := used[anchor]; n > 0 {
			all = append(all, anchor+"-"+strconv.Itoa(n))
		} else {
			all = append(all, anchor)
		}
		used[anchor]++
	}
	return all
}

func TestAnchors(t *testing.T) {
	got := anchors([]string{"# What `a` is, in %", "text", "## Same", "## Same", "### One-two_three", "#no heading"})
	if want := []string{"what-a-is-in-", "same", "same-1", "one-two_three"}; !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

// TestPagesStayShort limits the number of words of the two pages that newcomers read first.
func TestPagesStayShort(t *testing.T) {
	for file, most := range map[string]int{"README.md": 700, "ARCHITECTURE.md": 2000} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(strings.Fields(string(text))); n > most {
			t.Errorf("%s has %d words, and may have %d: move what is longer to docs", file, n, most)
		}
	}
}
