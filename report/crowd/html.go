package crowd

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/diffprof/diffprof/report/words"
)

func writeHTML(w io.Writer, d *Document) error {
	return page.Execute(w, map[string]any{"D": d, "View": d.view})
}

// titles has the title and the description of each answer.
var titles = map[string][2]string{
	"hogs":    {"Apps that use much wherever they run", "Hogs, by total cost over all devices."},
	"bugs":    {"Apps that use much on single devices", "Bugs: on these devices the app uses more than on others. Devices are the hashes of their names."},
	"actions": {"What this device could do", "Apps in its last sample. The gain of a charge takes into account how much of the time they run."},
	"scores":  {"How long devices last compared with their kind", "The score is how many of 100 devices of a cohort last less. Devices are the hashes of their names."},
}

// page is the page of every answer. Charts are drawings of SVG, so that it needs no script.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"round": words.TwoDigits, "percent": words.PercentAnHour, "drained": words.Drained, "curve": curve, "grow": grow, "like": like, "when": when,
	"join":    func(s []string) string { return strings.Join(s, ", ") },
	"gain":    words.Gain,
	"count":   words.Count[int64],
	"hour":    func(x float64) float64 { return x * 3600 },
	"hundred": func(x float64) float64 { return 100 * x },
	"minutes": Drain.minutes, "shorter": shorter, "lives": Drain.lives, "doubt": (*Hog).doubt,
	"title": func(view string) string { return titles[view][0] },
	"about": func(view string) string { return titles[view][1] },
}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{with .D}}{{if .App}}{{.App.Name}}: {{.App.Verdict}}{{else if .Suggestion}}What to record for {{.Suggestion.App}}{{else}}{{title $.View}}{{end}}{{end}}</title>
<style>
:root{color-scheme:light dark;--ink:light-dark(#1b1f24,#e6e8eb);--soft:light-dark(#59636e,#9aa4af);--line:light-dark(#d5dae0,#363d45);--with:light-dark(#b3273a,#ff8a94);--without:light-dark(#25638c,#7fbfe6);--back:light-dark(#fff,#16191d);--panel:light-dark(#f4f6f8,#20252b)}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .5rem}p{margin:.3rem 0}.soft{color:var(--soft)}p,h1{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin-top:1rem}th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;vertical-align:bottom}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}code{overflow-wrap:anywhere}tr>:last-child{padding-right:0}
svg{width:100%;height:auto;max-width:44rem;display:block}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}
ul.tree,ul.tree ul{list-style:none;margin:0;padding-left:1.2rem;border-left:1px solid var(--line)}ul.tree{border:0;padding:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);padding:.5rem .7rem;margin:.2rem 0 .8rem}.with{color:var(--with)}.without{color:var(--without)}
@media(max-width:40rem){table,tbody,tr,td{display:block;width:auto}tr.head{display:none}tr{border-bottom:1px solid var(--line);padding:.4rem 0}td{border:0;padding:0}td.n,th.n{text-align:left;white-space:normal}td[data-of]:before{content:attr(data-of) ": ";color:var(--soft)}ul.tree,ul.tree ul{padding-left:.6rem}}
</style></head><body><main>
{{with .D}}<h1>{{if .App}}<code>{{.App.Name}}</code>: {{.App.Verdict}}{{else if .Suggestion}}What to record for <code>{{.Suggestion.App}}</code>{{else}}{{title $.View}}{{end}}</h1>
{{with about $.View}}<p>{{.}}</p>{{end}}<p class="soft">{{.Fleet.Life}}</p>
{{if eq $.View "hogs"}}{{if .Hogs}}<table><tr class="head"><th>app<th class="n">while it runs, a charge is shorter by<th class="n">and lasts<th class="n">more drain<th class="n">devices</tr>
{{$shorter := shorter .Hogs}}{{range $i, $hog := .Hogs}}<tr><td><code>{{.App}}</code>{{with doubt .}} <span class="soft">{{.}}</span>{{end}}<td class="n" data-of="a charge is shorter by">{{index $shorter $i}}<td class="n" data-of="and lasts">{{lives .Drain}}<td class="n" data-of="more drain">{{percent .Excess .Half}}<td class="n" data-of="devices">{{count .Clients}}</tr>
{{end}}</table>{{else}}<p>{{.Fleet.NoHogs}}</p>{{end}}{{end}}
{{if eq $.View "bugs"}}{{if .Bugs}}<table><tr class="head"><th>app<th>device<th class="n">while it runs, a charge lasts<th class="n">more drain<th class="n">pairs of samples</tr>
{{range .Bugs}}<tr><td><code>{{.App}}</code>{{with like .Like}} <span class="soft">{{.}}</span>{{end}}<td data-of="device"><code>{{.Client}}</code><td class="n" data-of="while it runs, a charge lasts">{{lives .Drain}}<td class="n" data-of="more drain">{{percent .Excess .Half}}<td class="n" data-of="pairs of samples">{{count .Pairs}}</tr>
{{end}}</table>{{else}}<p>No bugs were found.</p>{{end}}{{end}}
{{if eq $.View "actions"}}{{if .Actions}}<table><tr class="head"><th>what to do<th class="n">a charge is longer by<th class="n">it runs</tr>
{{range .Actions}}<tr><td>{{.Do}} <code>{{.App}}</code>{{with like .Like}} <span class="soft">{{.}}</span>{{end}}<td class="n" data-of="a charge is longer by">{{gain .Minutes .Least .Most}}<td class="n" data-of="it runs">{{round (hundred .Share)}} % of the time</tr>
{{end}}</table>{{else}}<p>No app that runs on this device now is known to use much.</p>{{end}}{{end}}
{{if eq $.View "scores"}}<table><tr class="head"><th>device<th>score<th>cohort<th class="n">devices in it<th class="n">drain</tr>
{{range .Scores}}<tr><td><code>{{.Client}}</code><td data-of="score">{{if .Score}}{{.Score}}{{else}}<span class="soft">{{.Missing}}</span>{{end}}<td data-of="cohort">{{.Cohort}}<td class="n" data-of="devices in it">{{.N}}<td class="n" data-of="drain">{{if .Rate}}{{round (hour .Rate)}} %/h{{if .Active}} <span class="soft">screen on</span>{{end}}{{end}}</tr>
{{end}}</table>{{end}}
{{with .Suggestion}}{{with .Drain}}<p>Record <b>{{$.D.Suggestion.What}}</b>: it uses {{percent .Excess .Half}} more.</p>{{end}}
{{with .Against}}<p>Compare with <b>{{.Less}}</b>: {{drained .Drain.Excess .Drain.Half}} more.</p>{{end}}
{{with .Commands}}<h2>How</h2>{{range .}}<p class="soft">{{.For}}</p><pre>{{.Line}}</pre>{{end}}{{end}}
{{with .Missing}}<h2>What is missing</h2>{{range .}}<p>{{.}}</p>{{end}}{{end}}{{end}}
{{with .App}}{{with .Hog}}<p>While it runs, a charge is shorter by <b>{{minutes .Drain}}</b> and lasts {{lives .Drain}}. It uses {{percent .Excess .Half}} more. {{count .Clients}} devices ran it.{{with .Like}} It cannot be distinguished from {{join .}}.{{end}}</p>{{end}}
{{if .BugsOn}}<p>It is a bug on {{.BugsOn}} devices.</p>{{end}}
{{with .Rates}}<h2>Rates <span class="with">with it</span> and, dashed, <span class="without">without it</span></h2>{{curve .}}{{end}}
{{with .Tree}}<h2>{{if $.D.Fleet.Clients}}Its extra drain, by condition{{else}}The drain, by condition{{end}}</h2><ul class="tree">{{template "node" .}}</ul>{{end}}
{{with .Remedies}}<h2>{{if $.D.Fleet.Clients}}What could be done other than closing it{{else}}What could be done{{end}}</h2><table><tr class="head"><th>what to do<th class="n">{{if $.D.Fleet.Clients}}its extra drain is then{{else}}the drain is then{{end}}</tr>{{range .}}<tr><td>{{join .Do}}{{when .When}}<td class="n" data-of="its extra drain is then">{{drained .Drain .Half}}</tr>{{end}}</table>{{end}}
{{with .Growth}}<h2>How the estimate converges with more devices</h2>{{grow .}}{{end}}{{end}}
{{with .Notes}}<h2>Notes</h2>{{range .}}<p class="soft">{{.}}</p>{{end}}{{end}}
{{end}}</main></body></html>
{{define "node"}}<li>{{.Condition}} <span class="soft">{{drained .Drain .Half}}</span>{{if .With}}<ul>{{template "node" .With}}{{template "node" .Without}}</ul>{{end}}</li>{{end}}
`))

const width, height, margin = 640.0, 235.0, 55.0

// curve draws the distributions of rates, on a logarithmic axis (Carat, Figures 3 and 15).
func curve(classes []Class) template.HTML {
	var shown []Class
	most := 0.0
	for _, c := range classes {
		if c.Rate > 0 {
			shown = append(shown, c)
			most = max(most, c.With, c.Without)
		}
	}
	if len(shown) < 2 || most == 0 {
		return ""
	}
	least, last := math.Log(shown[0].Rate), math.Log(shown[len(shown)-1].Rate)
	x := func(rate float64) float64 { return margin + (width-margin)*(math.Log(rate)-least)/(last-least) }
	y := func(share float64) float64 { return (height - margin) * (1 - share/most) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="Shares of rates with the app and without it">`, width, height)
	for _, line := range []struct {
		style string
		of    func(Class) float64
	}{
		{`stroke="var(--without)" stroke-dasharray="5 3"`, func(c Class) float64 { return c.Without }},
		{`stroke="var(--with)"`, func(c Class) float64 { return c.With }},
	} {
		fmt.Fprintf(&b, `<path fill="none" %s stroke-width="2" d="`, line.style)
		for i, c := range shown {
			fmt.Fprintf(&b, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], x(c.Rate), 4+y(line.of(c)))
		}
		b.WriteString(`"/>`)
	}
	axis(&b)
	for _, hour := range []float64{0.5, 1, 2, 5, 10, 20, 50, 100} {
		if rate := hour / 3600; math.Log(rate) > least && math.Log(rate) < last {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%s %%/h</text>`, x(rate), height-margin+20, words.TwoDigits(hour))
		}
	}
	caption(&b, "the drain between two samples; the height is the share of the pairs with that drain")
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// grow draws how an estimate settles with more clients (Carat, Figure 18).
func grow(points []Point) template.HTML {
	if len(points) < 2 {
		return ""
	}
	low, high := 0.0, 0.0
	for _, p := range points {
		low, high = min(low, p.Mean-p.Half), max(high, p.Mean+p.Half)
	}
	least, last := math.Log(float64(points[0].N)), math.Log(float64(points[len(points)-1].N))
	if last == least || high == low {
		return ""
	}
	x := func(n int64) float64 { return margin + (width-2*margin)*(math.Log(float64(n))-least)/(last-least) }
	y := func(v float64) float64 { return 4 + (height-margin)*(high-v)/(high-low) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="The estimate and its interval from more and more data">`, width, height)
	b.WriteString(`<path fill="var(--with)" fill-opacity=".15" d="M`)
	for _, p := range points {
		fmt.Fprintf(&b, "%.1f %.1fL", x(p.N), y(p.Mean+p.Half))
	}
	for i := len(points) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%.1f %.1f%s", x(points[i].N), y(points[i].Mean-points[i].Half), map[bool]string{true: "L", false: "Z"}[i > 0])
	}
	b.WriteString(`"/><path fill="none" stroke="var(--with)" stroke-width="2" d="`)
	for i, p := range points {
		fmt.Fprintf(&b, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], x(p.N), y(p.Mean))
	}
	b.WriteString(`"/>`)
	axis(&b)
	for _, p := range points {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%d</text>`, x(p.N), height-margin+20, p.N)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.1f" text-anchor="end">%s %%/h</text><text x="%.0f" y="%.1f" text-anchor="end">0</text>`, margin-4, y(high)+10, words.TwoDigits(high*3600), margin-4, y(0)-2)
	caption(&b, "devices, or rates for the paper's method; the band is the 95 % interval")
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// caption says what the axis of a chart is of.
func caption(b *strings.Builder, text string) {
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`, (width+margin)/2, height-margin+40, template.HTMLEscapeString(text))
}

func axis(b *strings.Builder) {
	fmt.Fprintf(b, `<path stroke="var(--line)" d="M%.0f %.0fH%.0f"/>`, margin, height-margin+4, width)
}
