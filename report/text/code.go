package text

import (
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// codeName returns the name of a row of app code in the table.
func (p *page) codeName(c report.AppCode) string {
	if c.Kind == "callback" {
		return p.short(c.Method) + " itself"
	}
	return p.short(c.Method)
}

// codeDetails writes the lines under a row of app code.
func (p *page) codeDetails(r *report.Report, c report.AppCode, wide bool) {
	room := p.width - 10
	if c.Kind == "callback" {
		p.detail("in", p.codeParts(c, room, func(part report.CodePart) string {
			return p.short(part.Method) + place(part.File, part.Line)
		}))
	} else {
		at := place(c.File, c.Line)
		if at != "" {
			at = at[1:] + ", "
		}
		if library := c.Parts[0].Library; library != "" {
			at += clean(library) + ", "
		}
		at = cutLeft(at+"within ", room/2)
		p.detail("at", at+p.codeParts(c, room-cells(at), func(part report.CodePart) string { return p.short(part.Callback) }))
	}
	if c.Peer != nil && c.Peer.How != "" {
		how := ", " + c.Peer.How
		p.detail("there", cutLeft(p.short(c.Peer.Method), room-cells(how))+how)
	}
	if c.Split != nil && !wide && c.Saving != 0 {
		p.detail("why", words.Split(c.Split.Calls, c.Split.PerCall, p.scale))
	}
	p.evidence(r, c.Saving, c.Evidence)
	p.detail("via", p.faint(p.callPath(r.Subject, c.Threads, c.Path, room, 0)))
}

// codeParts names the largest parts of app code, at most three and as many as fit.
func (p *page) codeParts(c report.AppCode, room int, name func(report.CodePart) string) string {
	const most, more = 3, ", +9,999 more"
	list, shown := "", 0
	var named []string
	for _, part := range c.Parts[:min(len(c.Parts), most)] {
		s := cutLeft(name(part), room-len(more))
		if slices.Contains(named, s) { // All code of a file without symbols has one name.
			shown++
			continue
		}
		named = append(named, s)
		if shown > 0 {
			s = ", " + s
		}
		if shown > 0 && cells(list)+cells(s)+len(more) > room {
			break
		}
		list += s
		shown++
	}
	if left := c.PartCount - shown; left > 0 {
		list += fmt.Sprintf(", +%s more", words.Count(left))
	}
	return list
}
