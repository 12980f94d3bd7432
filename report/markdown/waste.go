package markdown

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// maxWastes is the largest number of listed wastes.
const maxWastes = 10

// wastes lists the energy that components used without need. It writes nothing if there is none.
// link returns the address of a method in the sources, empty if unknown.
func wastes(b *strings.Builder, in *analysis.Input, scale words.Scale, link func(name.Method) string) {
	all := finding.Wastes(in)
	if len(all) == 0 {
		return
	}
	heading := ""
	for i := range all[:min(len(all), maxWastes)] {
		w := &all[i]
		if now := words.WasteHeading(w.Caveat != ""); now != heading {
			heading = now
			fmt.Fprintf(b, "\n**%s**, by component, largest possible saving first:\n\n", heading)
		}
		where := ""
		if len(w.Path) > 0 {
			if where = literal(w.Method.Short()); link(w.Method) != "" {
				where = "[" + where + "](" + link(w.Method) + ")"
			}
			where = " at " + where
		}
		fmt.Fprintf(b, "- %s, %s, %s%s: %s\n", scale.Energy(w.Saving.Most), words.Percent(units.Share(w.Saving.Most, in.Energy)), w.Code, where, escaped(words.Waste(w, in)))
	}
	if more := len(all) - maxWastes; more > 0 {
		fmt.Fprintf(b, "\n%s more.\n", words.Some(more, "finding"))
	}
}
