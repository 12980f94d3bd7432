package main

import (
	"bufio"
	"encoding/json"
	"os"
)

// A row is a result as -json writes it.
type row struct {
	Source          string              `json:"source"`
	Kind            string              `json:"kind"`
	Strength        int                 `json:"strength"`
	Seed            uint64              `json:"seed"`
	Method          string              `json:"method"`
	Precision       float64             `json:"precision"`
	Recall          float64             `json:"recall"`
	F1              float64             `json:"f1"`
	EnergyPrecision float64             `json:"energyPrecision"`
	EnergyRecall    float64             `json:"energyRecall"`
	EnergyF1        float64             `json:"energyF1"`
	OnlyPrecision   float64             `json:"onlyPrecision"`
	OnlyRecall      float64             `json:"onlyRecall"`
	Top10           float64             `json:"top10"`
	Error           float64             `json:"error"`
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
	for way, w := range s.Found {
		found[way] = foundRow{w.Pairs, w.Wrong}
	}
	return row{
		r.source, r.kind, r.strength, r.seed, r.method,
		s.Precision.Value(), s.Recall.Value(), s.TasksF1(),
		s.EnergyPrecision.Value(), s.EnergyRecall.Value(), s.EnergyF1(),
		s.OnlyPrecision.Value(), s.OnlyRecall.Value(), s.Top10.Value(), s.Error.Value(), s.MedianError,
		found,
	}
}

// writeRows writes a line of JSON for each result.
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
