package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/android"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// corrupt returns files with typical damage. All are made from the same small trace, which is also
// in the result undamaged.
func corrupt() ([]file, error) {
	sound, err := small(artwrite.Form{Version: 3}, false)
	if err != nil {
		return nil, err
	}
	overflowed, err := small(artwrite.Form{Version: 3}, true)
	if err != nil {
		return nil, err
	}
	stream, err := small(artwrite.Form{Version: 3, Streaming: true}, false)
	if err != nil {
		return nil, err
	}
	end := []byte("*end\n")
	data := bytes.Index(sound, end) + len(end)
	record := slices.Clone(sound)
	binary.LittleEndian.PutUint16(record[data+16:], 0)
	huge := slices.Clone(sound)
	binary.LittleEndian.PutUint16(huge[data+16:], 65535)
	magic := slices.Clone(sound)
	copy(magic[data:], "FAST")
	offset := slices.Clone(sound)
	binary.LittleEndian.PutUint16(offset[data+6:], 65000)
	squeezed := compress(bytes.Repeat(sound, 4))
	return []file{
		{"corrupt/sound.trace", sound},
		{"corrupt/text-filter.trace", textFilter(sound)},
		{"corrupt/no-end.trace", bytes.Replace(sound, end, nil, 1)},
		{"corrupt/header-only.trace", sound[:data]},
		{"corrupt/header-cut.trace", sound[:data*2/3]},
		{"corrupt/record-cut.trace", sound[:len(sound)-5]},
		{"corrupt/wrong-magic.trace", magic},
		{"corrupt/empty.trace", nil},
		{"corrupt/overflow.trace", overflowed},
		{"corrupt/record-size-0.trace", record},
		{"corrupt/record-size-65535.trace", huge},
		{"corrupt/data-offset-65000.trace", offset},
		{"corrupt/stream-cut.trace", stream[:len(stream)*3/5]},
		{"corrupt/gzip-cut.trace.gz", squeezed[:len(squeezed)*4/5]},
	}, nil
}

// startSeconds is chosen so that, in microseconds, one of its bytes is not UTF-8. A text filter
// replaces that byte by three bytes. Zeros then move to the position of the record size.
const startSeconds = 352005

// small is a trace of a few calls.
func small(f artwrite.Form, overflow bool) ([]byte, error) {
	t := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 4021, Name: "main"}}, PID: 4021, Overflow: overflow,
		Start: startSeconds * time.Second, Elapsed: 40 * time.Millisecond,
	}
	for _, label := range []string{
		android.Labels()["Handler.dispatchMessage"], android.Labels()["Handler.handleCallback"],
		"com.example.notes.NoteView$1.run()V", android.Labels()["TextView.setText"], android.Labels()["Canvas.drawBitmap"],
	} {
		m := name.Parse(label, name.JVM)
		m.File = sourceFile(m.Class())
		t.Methods = append(t.Methods, m)
	}
	var events []artwrite.Event
	at := time.Duration(0)
	step := func(method int, a artwrite.Action) {
		at += 487 * time.Microsecond
		events = append(events, artwrite.Event{Method: method, Action: a, CPU: at, Wall: at * 3 / 2})
	}
	for range 4 {
		for m := range 3 {
			step(m, artwrite.Enter)
		}
		for m := 3; m < 5; m++ {
			step(m, artwrite.Enter)
			step(m, artwrite.Exit)
		}
		for m := 2; m >= 0; m-- {
			step(m, artwrite.Exit)
		}
	}
	t.Events = slices.Values(events)
	var b bytes.Buffer
	if err := artwrite.Write(&b, t, f); err != nil {
		return nil, fmt.Errorf("corrupt: %w", err)
	}
	return b.Bytes(), nil
}

// textFilter simulates a tool that treats a trace as text. Bytes that are not UTF-8 become U+FFFD,
// which is the bytes EF BF BD. The bytes after them move, so zeros of the start time move to the
// position of the record size.
func textFilter(data []byte) []byte {
	var b bytes.Buffer
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		b.WriteRune(r)
		data = data[n:]
	}
	return b.Bytes()
}
