package report_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// hostile are parts of names of methods as damaged and malicious recordings have them. None has a
// semicolon or a line break, which end a frame of folded stacks.
var hostile = []string{
	"\x1b[31mred\x1b[0m", "bell\a", "\u009b31mred", "\u0085next", "\u202A\u202B\u202C\u202D\u2067\u2068\u200E\u200F\u061C", "\uFEFF", "+1+1", "-1+1", "\u2029", "\u202Etxt.exe", "\u2066isolated\u2069", "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
	"a|b|c", "`code`", "**bold**", "[link](javascript:alert(1))", "]]>", "%0A::error::injected", "::warning::injected", "=1+1", "@SUM(A1)", "<!-- -->", "&amp;&lt;", "\u2028line", "{{.}}", "$(id)",
	strings.Repeat("long", 3000), "\xff\xfe", "---", "|---|---|", "</code></td>",
}

// TestHostileNames checks that names of methods do not change the structure of any output, and that
// outputs for people contain no control or direction characters of the names.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	write := func(file string, scale int) string {
		var b strings.Builder
		for range 2000 { // The format is recognised by the start of the file.
			b.WriteString("android.view.View.draw()V;com.mine.Main.onDraw()V 1000\n")
		}
		for i, part := range hostile {
			fmt.Fprintf(&b, "android.view.View.draw()V;com.mine.Main.onDraw()V;com.mine.Own%d.%s()V %d\n", i, part, 1000000+2000000*scale)
			fmt.Fprintf(&b, "android.view.View.draw()V;com.mine.Main.onDraw()V;android.util.Log.%s()V %d\n", part, 1000000+3000000*scale)
		}
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{
		Subject: analysis.Side{Path: write("new.folded", 9)}, Reference: analysis.Side{Path: write("old.folded", 0)}, Noise: 0.01,
	})
	if err != nil {
		t.Fatal(err)
	}
	set := finding.New(r)
	if set.Headline().Rows < 10 {
		t.Fatalf("%d rows count", set.Headline().Rows)
	}
	d := report.NewComparison(set, report.New(set, "test", 0))
	for _, format := range []string{"text", "markdown", "html", "json", "sarif", "github", "gitlab", "junit", "csv"} {
		t.Run(format, func(t *testing.T) {
			out := rendered(t, d, format, report.Options{Width: 120})
			allowed := "\n"
			if format == "csv" {
				allowed = "\n\r"
			}
			if format != "html" && format != "json" { // JSON and the page's data have the names as they were recorded.
				for _, c := range out {
					if unicode.IsControl(c) && !strings.ContainsRune(allowed+"\t", c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029' {
						t.Fatalf("it has the character %U", c)
					}
				}
			}
			switch format {
			case "json", "sarif", "gitlab":
				if !json.Valid([]byte(out)) {
					t.Error("it is no JSON")
				}
			case "junit":
				for decoder := xml.NewDecoder(strings.NewReader(out)); ; {
					if _, err := decoder.Token(); err == io.EOF {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
			case "csv":
				rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range rows {
					for _, cell := range row {
						_, err := strconv.ParseFloat(cell, 64)
						if cell != "" && strings.ContainsAny(cell[:1], "=@+-") && err != nil {
							t.Errorf("a cell is the formula %.40q", cell)
						}
					}
				}
			case "github":
				for line := range strings.Lines(out) {
					if !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice ") && !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::notice::") {
						t.Errorf("a line is %.80q", line)
					}
				}
			case "markdown", "html":
				for _, bad := range []string{"<script>alert", "<img src=x", "](javascript:"} {
					if strings.Contains(out, bad) {
						t.Errorf("it has %q: %.200q", bad, out[max(0, strings.Index(out, bad)-80):])
					}
				}
			}
		})
	}
}
