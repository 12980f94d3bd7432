package name_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/name"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// read parses the texts of a recording as decoders do.
func read(texts []string) []name.Method {
	var census name.Detector
	methods := make([]name.Method, len(texts))
	var open []int
	for i, text := range texts {
		m, sure := census.Parse(text)
		if methods[i] = m; !sure {
			open = append(open, i)
		}
	}
	for _, i := range open {
		methods[i] = census.Resolve(texts[i])
	}
	return methods
}

// TestLanguages parses the frames of each testdata/*.txtar as one recording, and compares the parts
// of their names. The distinct short names come first in the output.
func TestLanguages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts := strings.Split(strings.TrimSuffix(string(archive.Files[0].Data), "\n"), "\n")
		methods := read(texts)
		apart := name.DistinctNames(methods)
		var got bytes.Buffer
		for i, m := range methods {
			fmt.Fprintf(&got, "%s\n  %s", apart[i], cmp.Or(m.Lang.String(), "unknown"))
			for _, part := range []struct{ what, text string }{
				{"short", m.Short()}, {"scope", m.Scope}, {"type", m.Type}, {"name", m.Name}, {"signature", m.Signature},
				{"mark", m.Mark}, {"module", m.Module}, {"file", m.File}, {"label", m.Label()},
			} {
				if part.text != "" && (part.what != "short" || part.text != apart[i]) && (part.what != "label" || part.text != texts[i]) {
					fmt.Fprintf(&got, ", %s %s", part.what, part.text)
				}
			}
			if m.Line != 0 {
				fmt.Fprintf(&got, ", line %d", m.Line)
			}
			got.WriteByte('\n')
		}
		if *update {
			archive.Files = []txtar.File{archive.Files[0], {Name: "methods", Data: got.Bytes()}}
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if len(archive.Files) < 2 || !bytes.Equal(archive.Files[1].Data, got.Bytes()) {
			t.Errorf("%s: got\n%s", file, got.Bytes())
		}
	}
}

// TestRealFrames reads the frames of real recordings. No short name may be empty, longer than
// the frame, or truncated.
func TestRealFrames(t *testing.T) {
	recordings := make(map[string][]string)
	for _, pattern := range []string{"folded/*.folded", "folded/*.collapsed", "folded/*-all.txt", "folded/*-flamegraph.txt", "folded/*.foldedstack*", "pprof/*.gz", "pprof/*.pprof"} {
		files, err := filepath.Glob("../../shared/data/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(pattern, "pprof") {
				recordings[file] = functions(t, data)
			} else {
				recordings[file] = frames(data)
			}
		}
	}
	if len(recordings) == 0 {
		t.Skip("no real data")
	}
	for file, texts := range recordings {
		if len(texts) == 0 {
			t.Errorf("%s has no frames", file)
		}
		for i, m := range read(texts) {
			short := m.Short()
			if short == "" || len(short) > len(texts[i]) || strings.ContainsAny(short[len(short)-1:], ".:") {
				t.Errorf("%s: %q is %q: %+v", filepath.Base(file), texts[i], short, m)
			}
		}
	}
}

// frames returns the frames in folded stacks, each once.
func frames(data []byte) []string {
	seen := make(map[string]bool)
	for line := range strings.Lines(string(data)) {
		stack := strings.TrimRight(line, "\n")
		if i := strings.LastIndexByte(stack, ' '); i > 0 {
			stack = stack[:i]
		}
		for text := range strings.SplitSeq(stack, ";") {
			if text != "" {
				seen[text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// functions returns the names of a profile's functions. In pprof's message Profile, field 5 is a
// function, whose field 2 is the index of its name in the strings of field 6.
func functions(t *testing.T, data []byte) []string {
	t.Helper()
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	var names []uint64
	eachField(t, data, func(field, _ uint64, value []byte) {
		switch field {
		case 5:
			eachField(t, value, func(field, number uint64, _ []byte) {
				if field == 2 {
					names = append(names, number)
				}
			})
		case 6:
			texts = append(texts, string(value))
		}
	})
	var out []string
	for _, i := range names {
		if texts[i] != "" {
			out = append(out, texts[i])
		}
	}
	return out
}

// eachField calls f for each field of a protocol buffer message that is a number or is
// length-delimited.
func eachField(t *testing.T, message []byte, f func(field, number uint64, value []byte)) {
	t.Helper()
	number := func() uint64 {
		n, size := binary.Uvarint(message)
		if size <= 0 {
			t.Fatal("a number is cut off")
		}
		message = message[size:]
		return n
	}
	for len(message) > 0 {
		key := number()
		switch n := number(); key & 7 {
		case 0:
			f(key>>3, n, nil)
		case 2:
			f(key>>3, 0, message[:n])
			message = message[n:]
		default:
			t.Fatalf("wire type %d", key&7)
		}
	}
}

// TestConstructorsAreOfTheJVM checks that the names <init> and <clinit> are enough to identify the
// language.
func TestConstructorsAreOfTheJVM(t *testing.T) {
	for _, text := range []string{"p.C1.<init>", "C1.<clinit>", "a/b/C.<init>"} {
		var census name.Detector
		if m, sure := census.Parse(text); m.Lang != name.JVM || !sure {
			t.Errorf("%s is read as %s (sure: %v)", text, m.Lang, sure)
		}
	}
	var census name.Detector
	if m, _ := census.Parse("a.init>"); m.Lang == name.JVM {
		t.Error("a.init> is no constructor")
	}
}
