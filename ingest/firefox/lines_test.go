package firefox_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/trace"
)

// TestLinesAreSums compares the samples of each line with sums over the JSON of real profiles.
func TestLinesAreSums(t *testing.T) {
	for file, located := range map[string]bool{
		"other/firefox/processed-3.json": true, "other/firefox/simple-firefox-63.json": true, "other/speedscope-firefox-59.json": true,
		"other/speedscope-firefox-61-recursion.json": true, "time/samply-ls-profile.json.gz": false, "time/sp-perf_with_interpreter_frames.gecko.json.gz": false,
	} {
		data := formattest.Load(t, file)
		var all any
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		want := make(map[int]int)
		count(all, want)
		got := make(lineCounts)
		if _, err := format.Decode(t.Context(), data, "wall", got); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(map[int]int(got), want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
		if some := len(want) > 1; some != located {
			t.Errorf("%s: lines %v", file, want)
		}
	}
}

// count counts the samples of each line in all threads of a JSON value.
func count(value any, lines map[int]int) {
	switch v := value.(type) {
	case []any:
		for _, x := range v {
			count(x, lines)
		}
	case map[string]any:
		frames, stacks, samples := column(v["frameTable"], "line"), column(v["stackTable"], "frame"), column(v["samples"], "stack")
		for _, s := range samples {
			line := 0
			if at, ok := s.(float64); ok {
				if f, ok := stacks[int(at)].(float64); ok && int(f) < len(frames) {
					n, _ := frames[int(f)].(float64)
					line = int(n)
				}
			}
			lines[line]++
		}
		for name, x := range v {
			if name == "threads" || name == "processes" || name == "profile" {
				count(x, lines)
			}
		}
	}
}

// column returns a column of a table. The table has either columns, or rows with a schema.
func column(table any, name string) []any {
	t, ok := table.(map[string]any)
	if !ok {
		return nil
	}
	if list, ok := t[name].([]any); ok {
		return list
	}
	schema, _ := t["schema"].(map[string]any)
	at, ok := schema[name].(float64)
	rows, _ := t["data"].([]any)
	var list []any
	for _, row := range rows {
		var cell any
		if cells := row.([]any); ok && int(at) < len(cells) {
			cell = cells[int(at)]
		}
		list = append(list, cell)
	}
	return list
}

// lineCounts counts samples by the line of the innermost frame.
type lineCounts map[int]int

func (lineCounts) Events([]trace.Event) error { return nil }

func (c lineCounts) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		line := int32(0)
		if n := len(s.Lines); n > 0 {
			line = s.Lines[n-1]
		}
		c[int(line)]++
	}
	return nil
}
