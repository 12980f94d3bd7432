package simulation

import (
	"bytes"
	"context"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestLargeFleetsFollowOptions checks the numbers of samples and apps in fleets with Samples and
// Installed.
func TestLargeFleetsFollowOptions(t *testing.T) {
	made := New(Options{Seed: 1, Clients: 300, Apps: 20_000, Hogs: 40, Innocent: 245, Bugs: 30, Samples: 60, Installed: 100})
	samples, installed := 0, 0
	for i := range made.Clients {
		seen, last := map[int]bool{}, int64(-1)
		made.Client(i, func(s *Sample) {
			samples++
			if s.Time <= last {
				t.Fatalf("client %d has a sample at %d, not after the one at %d", i, s.Time, last)
			}
			last = s.Time
			for _, a := range s.Apps {
				seen[a] = true
			}
		})
		installed += len(seen)
	}
	if n := samples / made.Clients; n < 50 || n > 70 {
		t.Errorf("a client has %d samples, want 60", n)
	}
	if n := installed / made.Clients; n < 60 || n > 110 {
		t.Errorf("a client runs %d of 100 apps at some time", n)
	}
}

// TestFormatsHaveTheSameSamples counts the samples in each format.
func TestFormatsHaveTheSameSamples(t *testing.T) {
	made := New(Options{Seed: 1, Clients: 4, Apps: 30, Days: 1})
	var rows, table bytes.Buffer
	for format, to := range map[string]*bytes.Buffer{"csv": &rows, "parquet": &table} {
		if err := made.Write(to, format, context.Background().Err); err != nil {
			t.Fatal(err)
		}
	}
	all, err := parquet.Read[record](bytes.NewReader(table.Bytes()), int64(table.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(rows.Bytes(), []byte("\n")) - 1; lines != len(all) {
		t.Errorf("%d lines, %d rows of Parquet", lines, len(all))
	}
	if err := made.Write(&rows, "csv", func() error { return context.Canceled }); err == nil {
		t.Error("it goes on though it was stopped")
	}
}
