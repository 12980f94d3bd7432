package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrUnknownFormat is the cause where a file is no recording that can be read.
var ErrUnknownFormat = errors.New("not a recording that diffprof reads")

// A look is what a file that cannot be read looks like, and what to do about it.
type look struct {
	magic string
	// at is where the magic stands.
	at         int
	what, hint string
}

const hintRecord = "record a method trace, with Debug.startMethodTracing, am profile start or Android Studio"

var looks = [...]look{
	{magic: "JAVA PROFILE ", what: "a heap dump", hint: hintRecord},
	{magic: "SIMPLEPERF", what: "a simpleperf report", hint: "turn it into folded stacks with simpleperf's stackcollapse.py"},
	{magic: "PERFILE2", what: "a perf.data file", hint: "turn it into folded stacks with simpleperf's stackcollapse.py or FlameGraph's stackcollapse-perf.pl"},
	{magic: "TRACE:", what: "an atrace or systrace log", hint: hintRecord},
	{magic: "# tracer:", what: "an ftrace log", hint: hintRecord},
	{magic: "FLR\x00", what: "a Java Flight Recorder file", hint: "turn it into folded stacks, as async-profiler's converter does"},
	{magic: "PK\x03\x04", what: "a zip archive, such as an apk or a bug report", hint: "unpack the trace that is in it"},
	{magic: "ustar", at: 257, what: "a tar archive", hint: "unpack the trace that is in it"},
	{magic: "\xfd7zXZ\x00", what: "xz-compressed data", hint: "decompress it, or compress it with gzip or zstd"},
	{magic: "BZh", what: "bzip2-compressed data", hint: "decompress it, or compress it with gzip or zstd"},
	{magic: "\x04\x22\x4d\x18", what: "lz4-compressed data", hint: "decompress it, or compress it with gzip or zstd"},
	{magic: "\x7fELF", what: "a program or library", hint: hintRecord},
	{magic: "dex\n", what: "a dex file", hint: hintRecord},
	{magic: "\xca\xfe\xba\xbe", what: "a class file", hint: hintRecord},
	{magic: "SQLite format 3\x00", what: "an SQLite database", hint: hintRecord},
	{magic: "TMOL", what: "a low-overhead profile of ART, which has no clock", hint: hintRecord},
	{magic: "{", what: "JSON, such as a browser's profile", hint: "turn it into folded stacks"},
	{magic: "[", what: "JSON, such as a browser's profile", hint: "turn it into folded stacks"},
	{magic: "<", what: "HTML or XML, such as a systrace report or a page that was saved in place of the file", hint: hintRecord},
}

// unknown says what a file that begins with head looks like.
func unknown(head []byte) error {
	what, hint := guess(head)
	return fmt.Errorf("%w: %s; %s", ErrUnknownFormat, what, hint)
}

func guess(head []byte) (what, hint string) {
	if len(head) == 0 {
		return "the file is empty", "record again, or fetch the file again"
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, l := range looks {
		if len(head) > l.at && bytes.HasPrefix(head[l.at:], []byte(l.magic)) || l.at == 0 && bytes.HasPrefix(text, []byte(l.magic)) {
			return "it looks like " + l.what, l.hint
		}
	}
	switch {
	case isText(head):
		return "it is text, but not folded stacks", "write a line as frames joined by ';', a space and a number"
	case head[0] == 0x0a:
		return "it looks like a protobuf message, such as a Perfetto trace or a pprof profile", hintRecord
	case bytes.Count(head, []byte{0}) == len(head):
		return "it begins with nothing but zeros", "fetch the file again"
	}
	return "its first bytes are " + fmt.Sprintf("% x", head[:min(len(head), 8)]), hintRecord
}

// isText says whether b holds text: UTF-8 without control characters, but for a
// character that b's end may cut.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(b)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r':
			return false
		}
		b = b[n:]
	}
	return true
}
