package crowd

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/report/words"
)

// Published is a publication of a fleet in JSON. All figures from the samples have noise.
type Published struct {
	SchemaVersion int            `json:"schemaVersion"`
	Tool          Tool           `json:"tool"`
	Epsilon       float64        `json:"epsilon"`
	Delta         float64        `json:"delta"`
	AppsOfDevice  int            `json:"appsOfDevice"`
	Least         int64          `json:"leastDevices"`
	Apps          []PublishedApp `json:"apps"`
	Notes         []string       `json:"notes"`
}

// PublishedApp is an app of a publication. Its excess is nil if the noise hides it.
type PublishedApp struct {
	App     string   `json:"app"`
	Devices int64    `json:"devices"`
	Excess  *float64 `json:"excessPercentPerSecond"`
	Half    *float64 `json:"halfIntervalPercentPerSecond"`
}

// Publication renders sums with noise, as text or as JSON.
func Publication(w io.Writer, p *fleet.Publication, format, version string) error {
	d := Published{SchemaVersion: 1, Tool: Tool{"diffprof", version}, Epsilon: p.Epsilon, Delta: p.Delta, AppsOfDevice: p.Privacy.Apps, Least: p.Least, Apps: []PublishedApp{}}
	for _, a := range p.Apps {
		d.Apps = append(d.Apps, PublishedApp{a.App, a.Clients, probability(a.Excess), probability(a.Half)})
	}
	d.Notes = []string{
		p.String(),
		fmt.Sprintf("This protects all samples of a device together. For each device, at most %s count, with at most 48 hours of time and an excess of 10 %%/h.", words.Some(p.Privacy.Apps, "app")),
		"Each further publication of the same devices adds its epsilon and its delta.",
		"Each excess is computed for one app without regard to other apps: it may include what they use while they run together. The interval includes the noise.",
		fmt.Sprintf("Apps of fewer than %s are not listed.", words.Some(p.Least, "device")),
	}
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		e.SetEscapeHTML(false)
		return e.Encode(d)
	}
	if len(d.Apps) == 0 {
		fmt.Fprintf(w, "No app has enough devices: with this noise, %s are needed.\n", words.Some(p.Least, "device"))
	} else {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "app\tit uses more\tdevices, about")
		for _, a := range p.Apps {
			use := "hidden by the noise"
			if !math.IsNaN(a.Excess) {
				use = words.PercentPerHour(a.Excess, a.Half)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", a.App, use, words.Count(a.Clients))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	for _, n := range d.Notes {
		if _, err := fmt.Fprintln(w, n); err != nil {
			return err
		}
	}
	return nil
}
