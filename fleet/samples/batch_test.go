package samples

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// manyRows returns samples in CSV, in any order. Each row lists some of a number of apps.
func manyRows(random *rand.Rand, rows, clients, apps, running int) string {
	var b strings.Builder
	b.WriteString("client,time,level,state,apps,screen,network\n")
	for row := range rows {
		client := random.IntN(clients)
		fmt.Fprintf(&b, "c%d,%d,%d,discharging,", client, 1_700_000_000+row*60, random.IntN(101))
		for range running {
			fmt.Fprintf(&b, "com.example.app%05d ", random.IntN(apps))
		}
		fmt.Fprintf(&b, ",%d,%s\n", random.IntN(2), []string{"wifi", "lte"}[random.IntN(2)])
	}
	return b.String()
}

// TestNumberOfWorkersDoesNotMatter reads several batches with different numbers of goroutines.
func TestNumberOfWorkersDoesNotMatter(t *testing.T) {
	const clients, badRow, badState = 9, 3*batchRows + 7, 2*batchRows + 5
	content := strings.Split(manyRows(rand.New(rand.NewPCG(1, 2)), 12*batchRows, clients, 40, 5), "\n")
	for row := badRow; row < len(content)-1; row += 700 {
		content[row] = "c1,1700000000,none,discharging,com.a,1,wifi"
	}
	for row := badState; row < len(content)-1; row += 900 {
		content[row] = "c2,1700000000,50,odd,com.a com.a,1,wifi"
	}
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte(strings.Join(content, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	var names []string
	for client := range clients {
		names = append(names, fmt.Sprintf("c%d", client))
	}
	read := func(workers int) (text string, faults []Fault) {
		set, err := Open(context.Background(), Options{Paths: []string{path}, Workers: workers, Key: []byte("key")})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		return textOf(t, set, []byte("key"), names), set.Faults()
	}
	text, faults := read(1)
	first := map[string]int{}
	for _, f := range faults {
		first[f.What] = f.Row
	}
	if first["samples without a level"] != badRow || first[unknownStates] != badState {
		t.Errorf("the first faults are in the rows %v, want %d and %d", first, badRow, badState)
	}
	for _, workers := range []int{2, 7} {
		if other, otherFaults := read(workers); other != text || !reflect.DeepEqual(otherFaults, faults) {
			t.Errorf("%d goroutines read other samples or faults than one: %v, want %v", workers, otherFaults, faults)
		}
	}
}

// TestFullDiskEndsReading has no folder for the files of the sorter.
func TestFullDiskEndsReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte(manyRows(rand.New(rand.NewPCG(1, 2)), 20*batchRows, 3, 10, 5)), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), Options{Paths: []string{path}, Memory: 1000, Temp: filepath.Join(t.TempDir(), "missing"), Workers: 3})
	if err == nil || !strings.Contains(err.Error(), "sorting samples") {
		t.Errorf("the error is %v", err)
	}
}

// TestSeparated splits lists of apps.
func TestSeparated(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " ": "", "a": "a", "a b": "a+b", ",a@1.0,,b;": "a@1.0+b", `["a", "b|c"]`: "a+b+c", "é 'ü'": "é+ü",
	} {
		var all []string
		for app := range separated(text) {
			all = append(all, app)
		}
		if got := strings.Join(all, "+"); got != want {
			t.Errorf("%q has the apps %q, want %q", text, got, want)
		}
	}
}

// BenchmarkOpen reads samples in CSV, with few and with many running apps of each sample.
func BenchmarkOpen(b *testing.B) {
	for _, shape := range []struct{ rows, apps, running int }{{20_000, 20_000, 30}, {5_000, 3_000, 105}} {
		b.Run(fmt.Sprintf("%d_of_%d_apps", shape.running, shape.apps), func(b *testing.B) {
			content := manyRows(rand.New(rand.NewPCG(3, 4)), shape.rows, shape.rows/60, shape.apps, shape.running)
			path := filepath.Join(b.TempDir(), "s.csv")
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				set, err := Open(context.Background(), Options{Paths: []string{path}})
				if err != nil {
					b.Fatal(err)
				}
				set.Close()
			}
		})
	}
}
