package report

import (
	"bytes"
	"errors"
	"testing"
)

// TestWriteJSONIsTheEncoding compares the streamed JSON with the encoding of the whole
// report.
func TestWriteJSONIsTheEncoding(t *testing.T) {
	path := []string{"(toplevel)", "\n  \"tasks\": []", "\n  \"appCode\": []", "&"}
	task := Task{Method: "a.B.<init>()V", Path: path, Callers: []Caller{}}
	code := AppCode{Place: Place{Method: "a.B.<init>()V"}, Path: path, Parts: []CodePart{}}
	for n := range 9 {
		r := &Report{Comparability: []Note{}, Warnings: []Note{{Code: "x", Message: "\n  \"tasks\": []"}}, Tasks: []Task{}, AppCode: []AppCode{}}
		for range n % 3 {
			r.Tasks = append(r.Tasks, task)
		}
		for range n / 3 {
			r.AppCode = append(r.AppCode, code)
		}
		var got, want bytes.Buffer
		if err := r.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if err := writeJSON(&want, r); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%d tasks, %d rows of app code:\n%s\nwant:\n%s", n%3, n/3, got.String(), want.String())
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
	for _, r := range []*Report{{Tasks: make([]Task, 100)}, {AppCode: make([]AppCode, 100)}} {
		for _, room := range []int{0, 5000, 10000} {
			if err := r.WriteJSON(&closedPipe{room}); !errors.Is(err, errClosed) {
				t.Errorf("with room for %d bytes: %v", room, err)
			}
		}
	}
}
