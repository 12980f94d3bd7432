package otlp_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/otlp"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var format = formattest.Format{Sniff: otlp.Sniff, Decode: decode}

func decode(ctx context.Context, data []byte, _ string, sink trace.Sink) (*trace.Trace, error) {
	return otlp.Decode(ctx, bytes.NewReader(data), sink, nil)
}

func TestOpens(t *testing.T)  { format.Opens(t, otlp.Format) }
func TestGolden(t *testing.T) { format.Golden(t, *update) }
func TestCut(t *testing.T)    { format.Cut(t) }
func TestOrder(t *testing.T)  { format.Order(t) }
func FuzzDecode(f *testing.F) { format.Fuzz(f) }

// A collector keeps samples and operations.
type collector struct {
	samples    []trace.Sample
	operations []trace.Operation
}

func (c *collector) Events([]trace.Event) error { return nil }

func (c *collector) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		s.Stack = slices.Clone(s.Stack)
		c.samples = append(c.samples, s)
	}
	return nil
}

func (c *collector) TakeSignals() trace.SignalSink { return c }
func (c *collector) Track(trace.Track) error       { return nil }
func (c *collector) Signals([]trace.Signal) error  { return nil }
func (c *collector) Until(int64) error             { return nil }
func (c *collector) Operations(o []trace.Operation) error {
	c.operations = append(c.operations, o...)
	return nil
}

// TestOracle compares the time of each path with a count of the moments at which its span is open
// and none of the span's children is.
func TestOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	type span struct{ id, parent, begin, end int }
	for range 300 {
		spans := make([]span, 1+random.IntN(12))
		var texts []string
		for i := range spans {
			s := span{id: i + 1, begin: 1 + random.IntN(40)}
			s.end = s.begin + random.IntN(30)
			if i > 0 && random.IntN(5) > 0 {
				s.parent = 1 + random.IntN(i)
			}
			spans[i] = s
			parent := ""
			if s.parent > 0 {
				parent = fmt.Sprintf(`"parentSpanId":"%016x",`, s.parent)
			}
			texts = append(texts, fmt.Sprintf(`{"traceId":"1",%s"endTimeUnixNano":%d,"name":"n%d","spanId":"%016x","startTimeUnixNano":"%d"}`, parent, s.end, s.id%5, s.id, s.begin))
		}
		random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		var file strings.Builder
		for _, text := range texts {
			if random.IntN(3) == 0 {
				file.WriteString("\n")
			}
			fmt.Fprintf(&file, `{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]}`, text)
		}
		want := map[string]int64{}
		for _, s := range spans {
			path, self := "", int64(0)
			for at := s.id; at > 0; at = spans[at-1].parent {
				path = fmt.Sprintf("/n%d", at%5) + path
			}
			for moment := s.begin; moment < s.end; moment++ {
				covered := slices.ContainsFunc(spans, func(c span) bool { return c.parent == s.id && c.begin <= moment && moment < c.end })
				if !covered {
					self++
				}
			}
			want[path] += self
		}
		var c collector
		tr, err := decode(t.Context(), []byte(file.String()), "", &c)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, s := range c.samples {
			path := ""
			for _, m := range s.Stack {
				path += "/" + tr.Methods[m].Name
			}
			got[path] += s.Wall
		}
		if !maps.Equal(got, want) || len(c.samples) != len(spans) {
			t.Fatalf("%s\n%v, want %v", file.String(), got, want)
		}
	}
}

// A span that the table of triggers names is an operation. It moves its bytes, works for its whole
// time, or holds a component until its end.
func TestTriggers(t *testing.T) {
	table, err := trigger.Read(strings.NewReader(`
slices:
  - {component: network, receive: "GET *"}
  - {component: network, send: "POST *"}
  - {component: wakelock, acquire: "* lock"}
`))
	if err != nil {
		t.Fatal(err)
	}
	const file = `{"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"1","spanId":"1","name":"the lock","startTimeUnixNano":"100","endTimeUnixNano":"160"},
{"traceId":"1","spanId":"2","parentSpanId":"1","name":"GET /a","startTimeUnixNano":"110","endTimeUnixNano":"130","attributes":[{"key":"http.response.body.size","value":{"intValue":"900"}}]},
{"traceId":"1","spanId":"3","parentSpanId":"1","name":"GET /b","startTimeUnixNano":"120","endTimeUnixNano":"170","attributes":[{"key":"http.request.body.size","value":{"intValue":"900"}}]},
{"traceId":"1","spanId":"4","name":"POST /c","startTimeUnixNano":"180","endTimeUnixNano":"190","attributes":[{"key":"http.request.body.size","value":{"intValue":70}}]},
{"traceId":"1","spanId":"5","name":"other","startTimeUnixNano":"181","endTimeUnixNano":"190"}
]}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]}}]}`
	var c collector
	if _, err := otlp.Decode(t.Context(), strings.NewReader(file), &c, table); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range c.operations {
		got = append(got, fmt.Sprintf("%d+%d %s %s %d bytes, handle %d, whole %v, stack %d", o.Time, o.Duration, o.Component, o.Verb, o.Bytes, o.Handle, o.Whole, o.Stack))
	}
	want := []string{
		"0+0 wakelock acquire 0 bytes, handle 1, whole false, stack 1",
		"10+20 network receive 900 bytes, handle 0, whole false, stack 2",
		"20+50 network receive 0 bytes, handle 0, whole true, stack 3",
		"60+0 wakelock release 0 bytes, handle 1, whole false, stack 1",
		"80+10 network send 70 bytes, handle 0, whole false, stack 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range c.samples {
		if s.Activity != trace.Unrecorded || s.Calls != 1 {
			t.Errorf("a sample is %+v", s)
		}
	}
}

// A very deep chain of spans is cut off, and is read in linear time.
func TestDeep(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"resourceSpans":[{"scopeSpans":[{"spans":[`)
	for i := 1; i <= 20000; i++ {
		fmt.Fprintf(&b, `{"traceId":"1","spanId":"%d","parentSpanId":"%d","name":"x","startTimeUnixNano":"%d","endTimeUnixNano":"%d"},`, i, i+1, 100000-i, 200000+i)
	}
	b.WriteString(`{"traceId":"1","spanId":"20001","name":"x","startTimeUnixNano":"1","endTimeUnixNano":"300000"}]}]}]}`)
	var c collector
	tr, err := decode(t.Context(), []byte(b.String()), "", &c)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.samples) != 20001 || len(tr.Warnings) != 1 || tr.Warnings[0].Code != "spans-too-deep" {
		t.Errorf("%d samples, %v", len(c.samples), tr.Warnings)
	}
}
