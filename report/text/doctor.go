package text

import (
	"io"
	"strings"
	"unicode"

	"github.com/diffprof/diffprof/report"
)

// Doctor writes the troubles of a gate, one line for each, and the differences that the gate can
// show.
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
	line("shows", d.Shows.Message)
	for _, h := range d.History {
		line("shows", h.Message)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// graphic replaces control and direction characters, which names in recordings may have.
func graphic(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
