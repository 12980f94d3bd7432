package perfetto_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A part is a field of a message, with its bytes.
type part struct {
	number  int
	content []byte
}

// parts returns the fields of a message. ok is false if the bytes are not a message. Fields that
// are not bytes keep their encoding.
func parts(message []byte) (list []part, ok bool) {
	for m := wire.Message(message); len(m) > 0; {
		before := m
		number, _, content, err := m.Next()
		if err != nil {
			return nil, false
		}
		if content == nil {
			number, content = 0, before[:len(before)-len(m)]
		}
		list = append(list, part{number, content})
	}
	return list, len(list) > 0
}

// damage calls try with damaged copies of a message. In each copy, one inner message ends in the
// middle of a number. path has the field numbers that lead to that message.
func damage(message []byte, path string, try func(path string, copied []byte)) {
	list, _ := parts(message)
	for i, p := range list {
		if p.number == 0 {
			continue
		}
		with := func(content []byte) []byte {
			var b []byte
			for k, other := range list {
				switch {
				case k == i:
					b = append(b, text(p.number, string(content))...)
				case other.number == 0:
					b = append(b, other.content...)
				default:
					b = append(b, text(other.number, string(other.content))...)
				}
			}
			return b
		}
		at := strings.TrimPrefix(fmt.Sprintf("%s.%d", path, p.number), ".")
		if _, ok := parts(p.content); !ok {
			continue // The bytes are a text or a list of numbers.
		}
		try(at, with(append(slices.Clone(p.content), 0x80)))
		damage(p.content, at, func(path string, copied []byte) { try(path, with(copied)) })
	}
}

// TestDamagedMessages damages each message in the examples. A damaged message must be an error at
// any depth. The exceptions are texts that look like messages by chance, and messages that are not
// read.
func TestDamagedMessages(t *testing.T) {
	noticed := map[string]bool{}
	for _, e := range examples() {
		if strings.HasPrefix(render(recording{e.data, e.opts}), "error:") {
			continue
		}
		damage(e.data, "", func(path string, copied []byte) {
			_, err := recording{copied, e.opts}.Scan(t.Context(), tracetest.Discard{})
			noticed[path] = noticed[path] || err != nil
		})
	}
	var ignored []string
	for _, path := range slices.Sorted(maps.Keys(noticed)) {
		if !noticed[path] {
			ignored = append(ignored, path)
		}
	}
	// The first message is not read. The others are texts: the unit of samples, and the name of an
	// energy consumer.
	if want := []string{"1.11.2004", "1.59.100.1", "1.91.1.3"}; !slices.Equal(ignored, want) || len(noticed) < 100 {
		t.Errorf("%d of %d damages are ignored: %q, want %q", len(ignored), len(noticed), ignored, want)
	}
}
