package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// Noise writes how much repeated runs vary, and which differences they could detect.
func Noise(w io.Writer, n *report.Noise, o report.Options) error {
	p := newPage(o, n.Input.Energy, n.Input)
	p.methods = n.Methods
	p.linef("%s%s", p.faint(pad("runs", 11)), p.fileAndEnergy(n.Input))
	p.prose("total", p.bold, words.NoiseTotal(len(n.Runs), n.Total.Deviation, n.Total.Least, n.Total.Needed, n.Sought, n.Power))
	p.prose("set up", p.faint, n.Setup.Message)
	p.linef("")
	if len(n.Tasks) > 0 {
		p.paragraph(p.faint, words.NoiseLegend(len(n.Runs), n.Tested, n.Sought, n.Power, n.Rate))
		p.linef("")
		p.noiseRows(n)
		if hidden := n.Tested - len(n.Tasks); hidden > 0 {
			p.linef("")
			p.linef("%s", p.faint(words.Some(hidden, "task")+" more: --top 0 shows all."))
		}
	}
	if len(n.Warnings) > 0 {
		p.linef("")
		p.notes("warning", n.Warnings)
	}
	return p.flush(w)
}

// noiseRows writes one row per task.
func (p *page) noiseRows(n *report.Noise) {
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
		Options: table.OptionsNoBordersAndSeparators,
	})
	t.AppendHeader(table.Row{p.scale.Unit(), "share", "noise", "shows", "runs for " + words.Percent(n.Sought)})
	var configs []table.ColumnConfig
	for i := range 5 {
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	for _, row := range n.Tasks {
		t.AppendRow(table.Row{p.amount(row.Energy), words.Percent(row.Share), words.Percent(row.Deviation), words.DetectableGrowth(row.Least), words.Needed(row.Needed)})
	}
	rows := strings.Split(t.Render(), "\n")
	room := p.width - cells(rows[0])
	p.linef("%s", p.head(strings.TrimRight(rows[0]+"task", " ")))
	for i, row := range n.Tasks {
		name := cutMethod(p.short(row.Method), room)
		if len(row.Path) > 2 {
			above := fmt.Sprintf(", from %s", p.short(row.Path[len(row.Path)-2]))
			name += p.faint(cutRight(above, room-cells(name)))
		}
		p.linef("%s%s", rows[i+1], name)
	}
}
