package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

// TestCalls lists ten methods whose calls have measured energy, and adds up the others. Text and Markdown have the same list.
func TestCalls(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 10: "", 11: "5 calls of 1 other method", 12: "10 calls of 2 other methods"} {
		m := &report.Metered{Grade: "lines", Metered: units.Joule}
		l := &report.Lines{Metered: m, Methods: report.Methods{}, Subject: report.Input{Energy: units.Joule}}
		for i := range n {
			read := name.OfClass("io.Files", fmt.Sprintf("read%02d", i), "()V")
			l.Methods[read.Label()] = read
			m.Calls = append(m.Calls, report.MeteredEvent{Method: read.Label(), Count: 5, Energy: units.Millijoule})
		}
		for way, render := range map[string]func(*strings.Builder) error{
			"Markdown": func(b *strings.Builder) error { return Lines(b, l, report.Options{}) },
			"text":     func(b *strings.Builder) error { return text.Lines(b, l, report.Options{}) },
		} {
			var b strings.Builder
			if err := render(&b); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(b.String(), "5 calls of "); got < min(n, 10) {
				t.Errorf("%s lists %d of %d methods:\n%s", way, got, n, b.String())
			}
			if strings.Contains(b.String(), "other method") != (want != "") || !strings.Contains(b.String(), want) {
				t.Errorf("%s of %d methods lacks %q:\n%s", way, n, want, b.String())
			}
		}
	}
}
