package report

import (
	"bytes"
	"errors"
	"testing"
)

// TestWriteJSONIsTheEncoding holds the streamed JSON to what encoding the whole
// report at once gives.
func TestWriteJSONIsTheEncoding(t *testing.T) {
	task := Task{Method: "a.B.<init>()V", Path: []string{"(toplevel)", "\n  \"tasks\": []", "&"}, Callers: []Caller{}}
	for n := range 3 {
		r := &Report{Comparability: []Note{}, Warnings: []Note{{Code: "x", Message: "\n  \"tasks\": []"}}, Tasks: []Task{}}
		for range n {
			r.Tasks = append(r.Tasks, task)
		}
		var got, want bytes.Buffer
		if err := r.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if err := writeJSON(&want, r); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%d tasks:\n%s\nwant:\n%s", n, got.String(), want.String())
		}
	}
}

type closedPipe struct{ room int }

var errClosed = errors.New("closed")

func (p *closedPipe) Write(b []byte) (int, error) {
	if len(b) > p.room {
		return 0, errClosed
	}
	p.room -= len(b)
	return len(b), nil
}

func TestWriteJSONReportsWriteErrors(t *testing.T) {
	r := &Report{Tasks: make([]Task, 100)}
	for _, room := range []int{0, 5000, 10000} {
		if err := r.WriteJSON(&closedPipe{room}); !errors.Is(err, errClosed) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}
