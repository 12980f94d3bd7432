package metered

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
)

var update = flag.Bool("update", false, "write the simulated recording and the goldens")

// recorded is the simulated run whose recording is in testdata. It was not measured on a phone.
var recorded = simulation{seed: 11, rate: 20, seconds: 25, spread: 0.3, power: 0.1, methodCount: 10, noise: 0.01, busy: 0.5, seeded: 6}

// recordedSamples is the simulated run whose samples are in testdata.
var recordedSamples = simulation{seed: 12, rate: 20, seconds: 20, spread: 0.3, power: 0.1, methodCount: 3, noise: 0.01, busy: 0.4}

// methodLines is the distance of the first lines of methods in the simulated source.
const methodLines = 100

// source returns a source text of the simulated methods. Each statement is on its line in the
// recording.
func (w *world) source() []byte {
	texts := make(map[int]string)
	var write func(m *simMethod, list []*statement, depth int)
	write = func(m *simMethod, list []*statement, depth int) {
		for _, s := range list {
			text := strings.Repeat("    ", depth) + fmt.Sprintf("step(%d);", len(s.codes))
			end := ""
			switch {
			case s.loop != nil:
				text, end = text+fmt.Sprintf(" for (int i = random(%d); i >= 0; i--) {", s.rounds), " }"
				write(m, s.loop, depth+1)
			case s.then != nil:
				text, end = text+" if (chance()) {", " }"
				write(m, s.then, depth+1)
			}
			if s.no != nil {
				// The lines of the other branch begin after those of the first.
				write(m, s.no, depth+1)
				first := sourceLine(m, s.no[0].line)
				texts[first] = "    } else { " + strings.TrimSpace(texts[first])
			}
			if s.calls != nil {
				end += fmt.Sprintf(" m%d();", s.calls.id)
			}
			at := sourceLine(m, s.line)
			texts[at] = text
			last := at
			for n := range texts {
				if n/methodLines == at/methodLines {
					last = max(last, n)
				}
			}
			texts[last] += end
		}
	}
	for _, m := range w.methods {
		write(m, m.body, 2)
		first := sourceLine(m, 1)
		head := fmt.Sprintf("    void m%d() { ", m.id)
		if m.id == 0 {
			head = "package com.mine; class Sim {" + head
		}
		texts[first] = head + strings.TrimSpace(texts[first])
		texts[sourceLine(m, m.lines)] += " }"
	}
	end := sourceLine(w.methods[len(w.methods)-1], w.methods[len(w.methods)-1].lines)
	texts[end] += " }"
	var b bytes.Buffer
	for n := range end {
		b.WriteString(texts[n+1] + "\n")
	}
	return b.Bytes()
}

// sourceLine returns the line in the source text for a line of a method.
func sourceLine(m *simMethod, line int32) int { return int(m.id)*methodLines + int(line) }

// recording encodes a world in the format that ingest/calls reads. The graph of a method has one
// block per path.
func (w *world) recording() []byte {
	type graph struct {
		Next    [][]int32  `json:"next"`
		Starts  []int32    `json:"starts"`
		Lines   [][]int32  `json:"lines"`
		Opcodes [][]string `json:"opcodes"`
	}
	type method struct {
		ID         int    `json:"id"`
		Class      string `json:"class"`
		Name       string `json:"name"`
		Descriptor string `json:"descriptor"`
		File       string `json:"file"`
		Paths      *graph `json:"paths"`
	}
	var methods []method
	for _, m := range w.methods {
		methods = append(methods, method{int(m.id), "com.mine.Sim", fmt.Sprintf("m%d", m.id), "()V", "Sim.java", &graph{
			Next: [][]int32{{}}, Starts: []int32{0}, Lines: [][]int32{{}}, Opcodes: [][]string{{}},
		}})
	}
	numbers := make([]int, len(w.paths))
	for i, p := range w.paths {
		g := methods[p.Method].Paths
		numbers[i] = len(g.Next) - 1
		g.Next[0] = append(g.Next[0], int32(len(g.Next)))
		lines := make([]int32, len(p.Lines))
		for k, line := range p.Lines {
			lines[k] = int32(sourceLine(w.methods[p.Method], line))
		}
		g.Next, g.Lines = append(g.Next, []int32{}), append(g.Lines, lines)
		var codes []string
		for _, c := range p.Opcodes {
			codes = append(codes, hex.EncodeToString(c))
		}
		g.Opcodes = append(g.Opcodes, codes)
	}
	text, err := json.Marshal(map[string]any{"format": "diffprof-calls-map 2", "numbers": 1, "dex": []int{}, "methods": methods, "sites": []int{}})
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	var b []byte
	number := func(all ...int64) {
		for _, v := range all {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	words := func(all ...string) {
		for _, v := range all {
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		}
	}
	number(4)
	words(hex.EncodeToString(sum[:]), "com.mine 1.0 (simulated)", "com.mine", "simulated phone")
	number(34, 4711, 1, 5_000_000_000, int64(w.seconds*1e9), 1_760_000_000_000, 1, 0, 0, 0, 0, 0, 0)
	number(0, 0, 0, 0, 1) // lost methods and sites, hand-overs, origins, one thread
	number(1)
	words("main")
	number(0, 0, 0, 0, 0, 0, int64(len(methods)))
	for i := range methods {
		count, wall := int64(0), int64(0)
		for _, p := range w.paths {
			if int(p.Method) == i {
				count, wall = count+p.Count, wall+p.Wall
			}
		}
		number(int64(i+1), int64(i), count, wall, 0, 0)
	}
	number(0, 1, int64(len(w.paths)))
	for i, p := range w.paths {
		number(int64(p.Method), 0, int64(numbers[i]), p.Count, p.Wall)
	}
	number(int64(len(w.times)))
	for _, at := range w.times {
		number(int64(at.Path), at.Enter, at.Exit-at.Enter)
	}
	number(0, 1, 0, int64(w.now), 0)
	var z bytes.Buffer
	pack := gzip.NewWriter(&z)
	if _, err := pack.Write(text); err != nil {
		panic(err)
	}
	if err := pack.Close(); err != nil {
		panic(err)
	}
	var out []byte
	for _, part := range []struct {
		kind    byte
		content []byte
	}{{'M', z.Bytes()}, {'P', b}} {
		out = append(append(out, "\x89DPCALL\n"...), part.kind)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(part.content)))
		out = append(out, part.content...)
		out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(append([]byte{part.kind}, part.content...)))
	}
	return out
}

// table returns the table of the simulated meter, which uses the phone's clock.
func (w *world) table() []byte {
	var b bytes.Buffer
	b.WriteString("timestamp,energy_total_mJ\n")
	for _, s := range w.signals() {
		if s.Kind == trace.Drain {
			fmt.Fprintf(&b, "%d,%d.%06d\n", 1_760_000_000_000+s.Time/1e6, s.Value/1e6, s.Value%1e6)
		}
	}
	return b.Bytes()
}

// TestRecorded writes the simulated recording if -update is set. Otherwise it compares the
// recording with the written one. It leaves out the map, whose compression may change. Processors
// differ in the last digits of a simulation.
func TestRecorded(t *testing.T) {
	w := simulate(recorded)
	s := &sampling{world: simulate(recordedSamples), distance: 5 * time.Millisecond}
	for name, data := range map[string][]byte{
		"testdata/simulated.calls": w.recording(), "testdata/simulated.csv": w.table(), "testdata/com/mine/Sim.java": w.source(),
		"testdata/sampled.perf-script": s.script(), "testdata/sampled.csv": s.table(),
	} {
		if *update {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tail := len(w.times)
		if !strings.HasSuffix(name, ".calls") {
			tail = len(data)
		}
		if runtime.GOARCH == "amd64" && !bytes.Equal(got[max(0, len(got)-tail):], data[max(0, len(data)-tail):]) {
			t.Errorf("%s differs from the simulation: run go test ./lines/metered -update", name)
		}
	}
}
