package samples

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// madeClients returns clients of all kinds: with few entries and with more than 256, with several
// versions of an app, with rates, and without any app.
func madeClients(random *rand.Rand) []*Client {
	var clients []*Client
	for _, apps := range []int{0, 1, 40, 255, 256, 257, 5_000} {
		c := NewClient(ID(random.Uint64()), 2)
		time := int64(1_700_000_000_000)
		for range 20 {
			time += random.Int64N(1 << 40)
			s := &Sample{
				Time: time, Level: random.Int32N(101) * Percent, Step: random.Int32N(3), State: State(random.IntN(3)), Trigger: Trigger(random.IntN(3)),
				Features: []uint32{random.Uint32N(5), random.Uint32()},
			}
			for app := range apps {
				if random.IntN(4) > 0 {
					s.Apps, s.Versions = append(s.Apps, uint32(app)), append(s.Versions, random.Uint32N(3))
				}
			}
			c.Add(s)
		}
		clients = append(clients, c)
	}
	rates := NewClient(7, 1)
	for range 3 {
		rates.run(nil, nil)
		rates.Rates, rates.Features[0] = append(rates.Rates, random.Int64()), append(rates.Features[0], 1)
	}
	return append(clients, rates, NewClient(8, 0))
}

// samplesOf returns all data of a client as text, for comparison.
func samplesOf(c *Client) string {
	type one struct {
		ran      []Entry
		features []uint32
	}
	var all []one
	for i := range c.Len() {
		var o one
		for _, at := range c.Ran(i) {
			o.ran = append(o.ran, c.Entries[at])
		}
		for _, values := range c.Features {
			o.features = append(o.features, values[i])
		}
		all = append(all, o)
	}
	return fmt.Sprint(c.ID, all, c.Rates, c.Times, c.Levels, c.Steps, c.States, c.Triggers)
}

// TestStoredSamplesEqualRead reads clients several times into the same Client. All readings except
// the first use the store.
func TestStoredSamplesEqualRead(t *testing.T) {
	clients := madeClients(rand.New(rand.NewPCG(1, 2)))
	var want []string
	for _, c := range clients {
		want = append(want, samplesOf(c))
	}
	reads := 0
	source := func(_ context.Context, f func(*Client) error) error {
		reads++
		for _, c := range clients {
			if err := f(c); err != nil {
				return err
			}
		}
		return nil
	}
	closed, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for _, c := range []struct {
		name  string
		kept  *store
		reads int
	}{
		{"kept", &store{temp: t.TempDir()}, 1},
		{"no file", &store{temp: filepath.Join(t.TempDir(), "missing")}, 3},
		{"no room", &store{file: closed}, 3}, // writing to it fails
	} {
		kept := c.kept
		part := kept.keep(source)
		reads = 0
		for range 3 {
			var got []string
			if err := part(t.Context(), func(c *Client) error {
				got = append(got, samplesOf(c))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: the clients differ", c.name)
			}
		}
		if reads != c.reads {
			t.Errorf("%s: the source was read %d times, want %d", c.name, reads, c.reads)
		}
		kept.close()
	}
}

// TestCancelledReadingIsNotStored: a reading that stops at its second client is not stored.
func TestCancelledReadingIsNotStored(t *testing.T) {
	clients := madeClients(rand.New(rand.NewPCG(3, 4)))
	kept := &store{temp: t.TempDir()}
	defer kept.close()
	part := kept.keep(func(_ context.Context, f func(*Client) error) error {
		for _, c := range clients {
			if err := f(c); err != nil {
				return err
			}
		}
		return nil
	})
	n := 0
	if err := part(t.Context(), func(*Client) error {
		if n++; n == 2 {
			return context.Canceled
		}
		return nil
	}); err == nil {
		t.Fatal("no error")
	}
	n = 0
	if err := part(t.Context(), func(*Client) error { n++; return nil }); err != nil || n != len(clients) {
		t.Errorf("then %d of %d clients, and the error %v", n, len(clients), err)
	}
}
