// Package otlp reads spans of OpenTelemetry in the JSON form of its protocol, OTLP. The Collector's
// file exporter writes one object per line. docs/formats/otlp.md describes the format.
//
// A span is one call of the operation that it names. The names of its ancestors are its call path.
// The time of a span excludes the time of its children. Spans belong to services and not to
// threads, and several spans of a service may overlap. Each service therefore counts as one thread.
//
// Spans show that an operation was in progress, not that a processor worked. The time of a span
// therefore uses no energy ([trace.Unrecorded]). A table of triggers lists spans that use
// components. Such a span becomes an operation of the component, with the number of bytes in the
// span's attributes.
//
// # Bad input
//
// A span without a time, or one that ends before it begins, is left out and counted. A span whose
// parent is not in the file is a root. Parents that form a cycle are cut off, and so are parents
// beyond a depth limit. Memory grows with the number of spans, which is limited.
package otlp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

const (
	// maxSpans limits the number of spans in a file. deepest limits the depth of their paths.
	// maxServices limits the number of services.
	maxSpans    = 1 << 23
	deepest     = 1 << 9
	maxServices = 1 << 16
)

// Sniff reports whether head is the start of a file of spans.
func Sniff(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("{")) && document.Head(head)["resourceSpans"]
}

// A key identifies a span within its file.
type key struct{ trace, span string }

// A span is a span of the file.
type span struct {
	begin, end int64 // in nanoseconds since 1970
	// sent and received are the numbers of bytes in the span's attributes, or 0.
	sent, received int64
	method         trace.MethodID
	service        trace.ThreadID
	// parent is the index of the parent, or noParent.
	parent int32
	// inner is the part of the span's time that its children cover. covered is the latest end of a
	// child so far.
	inner, covered int64
	// path is the number of the span's call path, or 0 if it has none yet.
	path int32
}

const noParent = -1

// Decode reads spans from r to its end and sends them to sink. triggers may be nil. Errors in the
// file are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, triggers *trigger.Table) (*trace.Trace, error) {
	d := &decoder{
		names: stacks.NewTable(), index: make(map[key]int32), services: make(map[string]trace.ThreadID), triggers: triggers,
		trace: trace.Trace{Format: "otlp", Technique: trace.Instrumented, Clock: trace.WallClock, Calls: trace.CountedCalls},
	}
	d.doc = document.NewReader(&lines{r: r})
	if err := d.doc.Elements(func() error { return d.request(ctx) }); err != nil {
		// The reader adds a bracket and commas around the objects, so its offsets exceed those in
		// the file.
		return nil, located(d.doc.Offset()-max(d.objects, 1), err)
	}
	if len(d.spans) == 0 {
		return nil, located(-1, errors.New("the file has no spans with times"))
	}
	if err := d.send(ctx, sink); err != nil {
		return nil, err
	}
	return d.finish(), nil
}

// located adds the offset to an error. A negative offset means the whole file.
func located(offset int64, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &syntax.Error{Format: "OTLP JSON", Offset: max(offset, -1), Err: err}
}

// A decoder keeps the spans until all of them are known.
type decoder struct {
	doc      *document.Reader
	names    *stacks.Table
	trace    trace.Trace
	triggers *trigger.Table
	spans    []span
	// parents has the key of each span's parent.
	parents []key
	index   map[key]int32
	// services maps the names of services to threads.
	services map[string]trace.ThreadID
	// timeless, reversed and again count spans that were left out. orphans counts spans whose
	// parent is missing, and deep counts spans whose parent was cut off.
	timeless, reversed, again, orphans, deep int64
	// all counts the spans in the file, and objects counts its objects. whole is the total time of
	// all spans.
	all, objects int64
	whole        time.Duration
}

// request reads one object of the protocol.
func (d *decoder) request(ctx context.Context) error {
	d.objects++
	return d.doc.Members(func(name []byte) error {
		if string(name) != "resourceSpans" {
			return d.doc.Skip()
		}
		return d.doc.Elements(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return d.resource()
		})
	})
}

// resource reads the spans of one resource. The resource's attributes may follow its spans.
func (d *decoder) resource() error {
	first, service := len(d.spans), ""
	err := d.doc.Members(func(name []byte) error {
		switch string(name) {
		case "resource":
			return d.doc.Members(func(name []byte) error {
				if string(name) != "attributes" {
					return d.doc.Skip()
				}
				return d.attributes(func(key string, value []byte) {
					if key == "service.name" {
						service = string(bytes.ToValidUTF8(value, []byte("\uFFFD")))
					}
				})
			})
		case "scopeSpans", "instrumentationLibrarySpans":
			return d.doc.Elements(func() error {
				return d.doc.Members(func(name []byte) error {
					if string(name) != "spans" {
						return d.doc.Skip()
					}
					return d.doc.Elements(d.span)
				})
			})
		}
		return d.doc.Skip()
	})
	if err != nil || first == len(d.spans) {
		return err
	}
	id, ok := d.services[service]
	if !ok {
		if len(d.services) >= maxServices {
			return fmt.Errorf("there are more than %d services", maxServices)
		}
		id = trace.ThreadID(len(d.services))
		d.services[service] = id
		d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: int64(id), Name: service})
	}
	for i := first; i < len(d.spans); i++ {
		d.spans[i].service = id
	}
	return nil
}

// attributes reads a list of attributes, and passes texts and numbers to the callback. The value is
// valid during the call.
func (d *decoder) attributes(each func(key string, value []byte)) error {
	var value []byte
	return d.doc.Elements(func() error {
		var key string
		plain := false
		err := d.doc.Members(func(name []byte) (err error) {
			switch string(name) {
			case "key":
				var text []byte
				text, err = d.doc.Text()
				key = string(text)
			case "value":
				err = d.doc.Members(func(name []byte) error {
					if kind := string(name); kind != "stringValue" && kind != "intValue" {
						return d.doc.Skip()
					}
					text, err := d.doc.Text()
					value, plain = append(value[:0], text...), true
					return err
				})
			default:
				err = d.doc.Skip()
			}
			return err
		})
		if err == nil && plain {
			each(key, value)
		}
		return err
	})
}

// span reads a span.
func (d *decoder) span() error {
	d.all++
	s := span{parent: noParent}
	var id, parent key
	called := ""
	err := d.doc.Members(func(member []byte) (err error) {
		text := func(to *string) {
			var b []byte
			b, err = d.doc.Text()
			*to = string(b)
		}
		switch string(member) {
		case "traceId":
			text(&id.trace)
		case "spanId":
			text(&id.span)
		case "parentSpanId":
			text(&parent.span)
		case "name":
			called, err = d.doc.Name()
		case "startTimeUnixNano":
			s.begin, err = d.doc.Int()
		case "endTimeUnixNano":
			s.end, err = d.doc.Int()
		case "attributes":
			err = d.attributes(func(key string, value []byte) { s.attribute(key, value) })
		default:
			err = d.doc.Skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	parent.trace = id.trace
	_, known := d.index[id]
	switch {
	case s.begin <= 0 || s.end <= 0:
		d.timeless++
		return nil
	case s.end < s.begin:
		d.reversed++
		return nil
	case known && id.span != "":
		d.again++
		return nil
	case len(d.spans) >= maxSpans:
		return fmt.Errorf("there are more than %d spans: read a part of the time", maxSpans)
	}
	d.index[id] = int32(len(d.spans))
	s.method = d.names.Add(name.OfSlice(cmp.Or(called, "(no name)")))
	d.spans, d.parents = append(d.spans, s), append(d.parents, parent)
	return nil
}

// attribute records the number of bytes that a span moved, such as http.request.size. The spans of
// a client and of its server state the same bytes. The table of triggers selects one of the two, so
// that they count once.
func (s *span) attribute(key string, value []byte) {
	n := int64(0)
	for _, c := range value {
		if c < '0' || c > '9' || n > math.MaxInt64/100 {
			return
		}
		n = 10*n + int64(c-'0')
	}
	switch key {
	case "http.request.body.size", "http.request.size", "http.request_content_length":
		s.sent = n
	case "http.response.body.size", "http.response.size", "http.response_content_length":
		s.received = n
	}
}

// lines is a reader that presents successive JSON objects as one list.
type lines struct {
	r     io.Reader
	state int
	// level is the nesting of braces. quoted and escaped are set within texts. any is set after the
	// first object.
	level                int
	quoted, escaped, any bool
}

// Read implements io.Reader. It puts a comma between objects at the outermost level.
func (l *lines) Read(p []byte) (int, error) {
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	switch l.state {
	case 0:
		l.state, p[0] = 1, '['
		return 1, nil
	case 2:
		l.state, p[0] = 3, ']'
		return 1, nil
	case 3:
		return 0, io.EOF
	}
	n, err := l.r.Read(p[:len(p)/2])
	out := slices.Clone(p[:n])
	at := 0
	for _, c := range out {
		switch {
		case l.escaped:
			l.escaped = false
		case l.quoted:
			l.escaped, l.quoted = c == '\\', c != '"'
		case c == '"':
			l.quoted = true
		case c == '{':
			if l.level == 0 && l.any {
				p[at] = ','
				at++
			}
			l.level, l.any = l.level+1, true
		case c == '}':
			l.level--
		}
		p[at] = c
		at++
	}
	if errors.Is(err, io.EOF) {
		err = nil
		if l.state = 2; l.level != 0 || l.quoted {
			return at, io.ErrUnexpectedEOF
		}
	}
	return at, err
}

// finish returns the trace.
func (d *decoder) finish() *trace.Trace {
	t := &d.trace
	warn := func(n int64, code, text string) {
		if n > 0 {
			t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: fmt.Sprintf("%s: %d of %d spans", text, n, d.all)})
		}
	}
	warn(d.timeless, "spans-without-times", "spans without a time are left out")
	warn(d.reversed, "spans-reversed", "spans that end before they begin are left out")
	warn(d.again, "spans-repeated", "spans with the same id as an earlier span are left out")
	warn(d.orphans, "spans-without-parents", "spans whose parent is not in the file begin a call path")
	warn(d.deep, "spans-too-deep", "spans with too many parents, or with a cycle of parents, begin a call path")
	begin, end := d.spans[0].begin, d.spans[0].end
	for i := range d.spans {
		end = max(end, d.spans[i].end)
	}
	t.Elapsed = time.Duration(end - begin)
	return t
}
