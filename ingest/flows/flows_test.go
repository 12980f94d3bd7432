package flows_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/flows"
)

func TestReadErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"enqueue 1 2", "line 1: flows: 3 fields, not 4"},
		{"\npost 1 2 a", `line 2: flows: "post" is neither enqueue nor dispatch`},
		{"enqueue main 2 a", `thread "main" is not an id`},
		{"enqueue -1 2 a", `thread "-1" is not an id`},
		{"enqueue 1 2.5 a", `time "2.5" is not a count of microseconds`},
		{"enqueue 1 9223372036854775807 a", "is not a count of microseconds"},
		{strings.Repeat("x", 1<<20), "line 1: flows: the line is too long"},
	}
	for _, test := range tests {
		_, err := flows.Read(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: %v, want %q", test.text, err, test.want)
		}
	}
}
