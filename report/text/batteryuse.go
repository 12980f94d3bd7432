package text

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// maxUsers limits the lists of components and of battery users.
const maxUsers = 10

// batteryUse writes Android's own estimate of the charge of components and apps.
func (p *page) batteryUse(u *report.BatteryUse) {
	if u == nil {
		return
	}
	p.linef("")
	p.paragraph(p.bold, words.BatteryUse+", by component; in mAh")
	p.paragraph(p.faint, words.BatteryUseLegend(clean(words.Name(u.Path)), u.Computed, u.ActualLeast, u.ActualMost))
	p.notes("warning", u.Notes)
	apps := false
	for _, c := range u.Components {
		apps = apps || c.Apps != nil
	}
	heading := table.Row{"mAh", "share"}
	if apps {
		heading = append(heading, "apps")
	}
	p.apiTable(heading, "component", len(u.Components), maxUsers, nil, func(i int) (table.Row, string) {
		c := &u.Components[i]
		row := table.Row{words.MilliampereHours(c.Charge), words.Percent(c.Share)}
		if apps {
			used := "–"
			if c.Apps != nil {
				used = words.MilliampereHours(*c.Apps)
			}
			row = append(row, used)
		}
		return row, c.Name
	})
	p.linef("")
	p.paragraph(p.bold, words.BatteryUse+", by uid; in mAh")
	p.apiTable(table.Row{"mAh", "share"}, "uid", len(u.Users), maxUsers, nil, func(i int) (table.Row, string) {
		user := &u.Users[i]
		return table.Row{words.MilliampereHours(user.Charge), words.Percent(user.Share)}, strings.TrimSpace(user.UID+" "+user.Package) + batteryParts(user.Components)
	})
}

// batteryParts formats the largest components of a user: " (cpu 0.383, wifi 0.01)".
func batteryParts(list []report.BatteryComponent) string {
	const most = 3
	var parts []string
	for _, c := range list[:min(len(list), most)] {
		parts = append(parts, c.Name+" "+words.MilliampereHours(c.Charge))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
