package html

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// about has the sentences of a group's page.
type about struct {
	Tasks       string `json:"tasks"`
	Overlap     string `json:"overlap"`
	CommonTasks string `json:"duties"`
	None        string `json:"none"`
}

// writeGroup writes the data of a group. It adds the call trees of as many tasks as fit, beginning
// with the first.
func writeGroup(w io.Writer, packed *counter, g *report.AppGroup, o report.Options) error {
	scale := words.ScaleFor(g.UnitFor(o.Unit), cmp.Or(o.Voltage, g.Voltage), g.MaxEnergy())
	group, err := json.Marshal(g)
	if err != nil {
		return err
	}
	sentences, err := json.Marshal(about{words.GroupAppsPage, words.GroupMaps, words.GroupTasksLegend, words.GroupNone})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `{"group":%s,"about":%s,"volts":%s,"unit":%q,"flasks":{`, group, sentences, strconv.FormatFloat(scale.Volts(), 'g', -1, 64), scale.Unit())
	names, first := &packer{at: make(map[string]int)}, true
	for _, ranking := range g.Rankings() {
		flask := g.Flasks[ranking]
		if flask == nil {
			continue
		}
		data, err := json.Marshal(names.pack(flask))
		if err != nil {
			return err
		}
		if packed.n >= dataBytes {
			break
		}
		if !first {
			io.WriteString(w, ",")
		}
		first = false
		fmt.Fprintf(w, "%q:%s", fmt.Sprintf("%d/%d", ranking.Task, ranking.User), data)
	}
	table, err := json.Marshal(names.names)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `},"names":%s}`, table)
	return err
}
