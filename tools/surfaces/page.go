package main

import (
	"fmt"
	"html"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/diffprof/diffprof/report"
)

// Patterns that match parts of the page's document.
var (
	inShort   = regexp.MustCompile(`(?s)<section class="inshort"[^>]*>(.*?)</section>`)
	paragraph = regexp.MustCompile(`(?s)<p(?: class="([^"]*)")?>(.*?)</p>`)
	button    = regexp.MustCompile(`(?s)<button.*?</button>`)
	tag       = regexp.MustCompile(`<[^>]*>`)
	lineOf    = regexp.MustCompile(`<div class="row (counts|doubted)[^"]*" id="task-\d+"`)
	figureOf  = regexp.MustCompile(`(?s)<span class="(here|there)" role="gridcell">.*?<span class="figure">(.*?)</span>`)
	savingOf  = regexp.MustCompile(`(?s)<span class="saving" role="gridcell"><span class="first"[^>]*>(.*?)<span`)
	// likely matches the likelihood after a number.
	likely = regexp.MustCompile(`(?s)<abbr.*$`)
)

// page checks the page as a browser shows it. The window is large enough for all rows.
func (c *checker) page(a *agreement, p pair, folder string, r *report.Report, rows []row) error {
	file := filepath.Join(folder, "page.html")
	if _, code, err := c.output(p, "--format", "html", "-o", file); err != nil || code != 0 {
		return fmt.Errorf("exit code %d: %v", code, err)
	}
	height := 1000 + 56*min(len(rows), 500)
	data, err := exec.Command(c.chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(folder, "browser"),
		fmt.Sprintf("--window-size=1440,%d", height), "--virtual-time-budget=5000", "--dump-dom", "file://"+file).Output()
	if err != nil {
		return fmt.Errorf("running the browser: %w", err)
	}
	dom := string(data)
	section := inShort.FindStringSubmatch(dom)
	if section == nil {
		return fmt.Errorf("the page has no headline")
	}
	var sentences []string
	for _, found := range paragraph.FindAllStringSubmatch(section[1], -1) {
		if found[1] == "" {
			sentences = append(sentences, spoken(button.ReplaceAllString(found[2], "")))
		}
	}
	same(a, "the headline", plainly(strings.Join(sentences, " ")), plainly(strings.Join(r.Judgement.Sentences, " ")))
	return pageRows(a, dom, r, rows)
}

// typed replaces the characters in the page's numbers by those that the program prints: the minus
// sign, and the thin space in large numbers.
var typed = strings.NewReplacer("\u2212", "-", "\u202f", "")

// spoken returns the text in a part of a document, without tags.
func spoken(part string) string {
	return typed.Replace(html.UnescapeString(tag.ReplaceAllString(part, "")))
}

// pageRows checks the rows of the list of tasks.
func pageRows(a *agreement, dom string, r *report.Report, rows []row) error {
	starts := lineOf.FindAllStringSubmatchIndex(dom, -1)
	if err := few(len(starts), 500, rows); err != nil {
		return err
	}
	s := scaleOf(r)
	for i, start := range starts {
		end := len(dom)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		line, row := dom[start[0]:end], &rows[i]
		same(a, fmt.Sprintf("whether row %d counts", i+1), dom[start[2]:start[3]] == "counts", row.IsFinding)
		shown := map[string]string{}
		for _, found := range figureOf.FindAllStringSubmatch(line, -1) {
			shown[found[1]] = spoken(likely.ReplaceAllString(found[2], ""))
		}
		saving := savingOf.FindStringSubmatch(line + "<span")
		if saving == nil {
			return fmt.Errorf("row %d has no saving", i+1)
		}
		there := "none"
		if row.peer != nil {
			there = s.Amount(*row.peer)
		}
		if strings.HasPrefix(shown["there"], "perhaps") {
			there = shown["there"]
		}
		plus := ""
		if row.savings > 0 {
			plus = "+"
		}
		savings := strings.TrimSuffix(spoken(saving[1]), "<span")
		same(a, fmt.Sprintf("row %d", i+1), shown["here"]+" "+shown["there"]+" "+savings, s.Amount(row.energy)+" "+there+" "+plus+s.Amount(row.savings))
	}
	return nil
}
