package art_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/trace"
)

type discard struct{}

func (discard) Events([]trace.Event) error   { return nil }
func (discard) Samples([]trace.Sample) error { return nil }

func realTraces(t testing.TB) map[string][]byte {
	files, _ := filepath.Glob("../../../shared/data/art/*")
	if len(files) == 0 {
		t.Skip("no real traces: ../shared/data/art is not there")
	}
	m := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if b, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		m[filepath.Base(f)] = b
	}
	return m
}

func TestX(t *testing.T) {
	for n, b := range realTraces(t) {
		tr, err := art.Decode(context.Background(), bytes.NewReader(b), discard{}, art.Options{})
		if err != nil {
			fmt.Println(n, err)
			continue
		}
		fmt.Println(n, len(tr.Methods), tr.Active(), len(tr.Threads), tr.Events, tr.CPU(), tr.Elapsed, tr.Clock, tr.VM, tr.Technique, tr.Warnings)
	}
}

func BenchmarkReal(b *testing.B) {
	m := realTraces(b)["likaci-cpu_trace.trace"]
	i := bytes.Index(m, []byte("*end\n")) + 5 + 32
	recs := m[i:]
	m = append(m[:0:0], m...)
	for len(m) < 64<<20 {
		m = append(m, recs...)
	}
	b.SetBytes(int64(len(m)))
	b.ReportAllocs()
	for b.Loop() {
		art.Decode(context.Background(), bytes.NewReader(m), discard{}, art.Options{})
	}
}
