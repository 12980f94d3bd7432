package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/diffprof/diffprof/tools/truth/score"
)

// A row is a result as -json writes it. A ratio is null if its whole is 0. The pair of runs then
// has no value for it, and no mean includes it.
type row struct {
	Source          string              `json:"source"`
	Kind            string              `json:"kind"`
	Strength        int                 `json:"strength"`
	Seed            uint64              `json:"seed"`
	Method          string              `json:"method"`
	Precision       *float64            `json:"precision"`
	Recall          *float64            `json:"recall"`
	F1              float64             `json:"f1"`
	EnergyPrecision *float64            `json:"energyPrecision"`
	EnergyRecall    *float64            `json:"energyRecall"`
	EnergyF1        float64             `json:"energyF1"`
	OnlyPrecision   *float64            `json:"onlyPrecision"`
	OnlyRecall      *float64            `json:"onlyRecall"`
	Top10           *float64            `json:"top10"`
	Error           *float64            `json:"error"`
	MedianError     float64             `json:"medianError"`
	Found           map[string]foundRow `json:"found"`
}

type foundRow struct {
	Pairs int `json:"pairs"`
	Wrong int `json:"wrong"`
}

func (r result) row() row {
	s := r.score
	found := make(map[string]foundRow)
	for kind, w := range s.Found {
		found[kind] = foundRow{w.Pairs, w.Wrong}
	}
	return row{
		r.source, r.kind, r.strength, r.seed, r.method,
		known(s.Precision), known(s.Recall), s.TasksF1(),
		known(s.EnergyPrecision), known(s.EnergyRecall), s.EnergyF1(),
		known(s.OnlyPrecision), known(s.OnlyRecall), known(s.Top10), known(s.Error), s.MedianError,
		found,
	}
}

// known returns the value of a ratio, or nil if its whole is 0.
func known(r score.Ratio) *float64 {
	if r.Whole <= 0 {
		return nil
	}
	v := r.Value()
	return &v
}

// writeRows writes one line of JSON per result.
func writeRows(path string, results []result) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	encoder := json.NewEncoder(w)
	for _, r := range results {
		if err := encoder.Encode(r.row()); err != nil {
			f.Close()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
