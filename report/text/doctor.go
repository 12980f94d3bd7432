package text

import (
	"io"
	"strings"
	"unicode"

	"github.com/diffprof/diffprof/report"
)

// Doctor writes what keeps a CI gate from working, one line each, and the differences that the gate
// can detect.
func Doctor(w io.Writer, d *report.Doctor, _ report.Options) error {
	var text strings.Builder
	line := func(kind, message string) {
		text.WriteString(kind + strings.Repeat(" ", 9-len(kind)) + graphic(message) + ".\n")
	}
	for _, t := range d.Troubles {
		kind := "caution"
		if t.Wrong {
			kind = "wrong"
		}
		line(kind, t.Code+": "+t.Message)
	}
	if len(d.Troubles) == 0 {
		text.WriteString("Nothing is wrong: each condition can be judged, can hold, and is above the noise of these runs.\n")
	}
	line("shows", d.Sensitivity.Message)
	for _, h := range d.History {
		line("shows", h.Message)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// graphic replaces characters that could move the cursor or change the text direction.
func graphic(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
