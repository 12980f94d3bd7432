package dex

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRoundTrip copies files, and compares what dexdump shows of the original and of the copy. It
// copies them as they are, with new references that move all indexes, or with these and with the
// code of all methods laid out again.
func TestRoundTrip(t *testing.T) {
	if _, err := exec.LookPath("dexdump"); err != nil || testing.Short() {
		t.Skip("needs dexdump (apt-get install dexdump) and some seconds")
	}
	type copied struct {
		realDex
		ways []string
	}
	files := []copied{{realDex{"sample", sample(t)}, []string{"copy", "indexes", "layout"}}}
	for app, way := range map[string]string{"ApiDemos-debug.apk": "layout", "settings_apk-debug.apk": "indexes"} {
		for _, file := range realApps(t)[app] {
			files = append(files, copied{file, []string{way}})
		}
	}
	for _, file := range files {
		for _, way := range file.ways {
			found, err := Parse(file.data)
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(found[0])
			if err != nil {
				t.Fatal(err)
			}
			if way != "copy" {
				for _, class := range []string{"LA/A;", "LKiosk;", "Lzzz/Z;"} {
					if _, err := w.Method(class, "Afirst", "V", "I", "[J", class); err != nil {
						t.Fatal(err)
					}
				}
			}
			if way == "layout" {
				replaceAll(t, w)
			}
			data, err := w.Bytes()
			if err != nil {
				t.Fatalf("%s: %v", file.name, err)
			}
			if n, err := readAll(data); err != nil || n == 0 {
				t.Errorf("%s: reading the copy: %d parts, %v", file.name, n, err)
			}
			compareDumps(t, file.name+" "+way, file.data, data)
		}
	}
}

// replaceAll replaces the code of each method by its own body.
func replaceAll(t *testing.T, w *Writer) {
	for _, m := range w.members {
		for _, methods := range [][]Method{m.Direct, m.Virtual} {
			for _, method := range methods {
				if method.Code == 0 {
					continue
				}
				c, err := w.Code(method.Code)
				if err != nil {
					t.Fatal(err)
				}
				b, err := w.Body(c)
				if err != nil {
					t.Fatal(err)
				}
				w.Replace(method.Index, b)
			}
		}
	}
}

// compareDumps compares what dexdump shows of two files.
func compareDumps(t *testing.T, name string, original, copied []byte) {
	t.Helper()
	want, got := dump(t, original), dump(t, copied)
	lines, wrong := 0, 0
	for line := range want {
		lines++
		if other := <-got; other != line && wrong < 5 {
			wrong++
			t.Errorf("%s: line %d is %q, in the original %q", name, lines, other, line)
		}
	}
	for line := range got {
		if wrong++; wrong < 5 {
			t.Errorf("%s: the copy has also %q", name, line)
		}
	}
	if lines == 0 {
		t.Errorf("%s: nothing to compare", name)
	}
}

// plain removes the numbers that depend on offsets and indexes from a line of dexdump.
func plain(line string) string {
	if at := strings.IndexByte(line, '|'); at > 6 && line[6] == ':' {
		line = line[at:]
		if strings.HasPrefix(line, "|[") {
			return line[strings.IndexByte(line, ']')+1:]
		}
		if at := strings.LastIndex(line, " // "); at > 0 && strings.Contains(line[at:], "@") {
			line = line[:at]
		}
		if at := strings.LastIndex(line, ", call_site@"); at > 0 {
			line = line[:at]
		}
		return line
	}
	for _, mark := range []string{"source_file_idx   : ", " method #", " field #", " // offset ", "string@", "type@", "(offset="} {
		if at := strings.Index(line, mark); at >= 0 {
			rest := strings.TrimLeft(line[at+len(mark):], "0123456789abcdefx")
			line = line[:at+len(mark)] + rest
		}
	}
	return line
}

// dump returns the lines of dexdump, without offsets and indexes.
func dump(t *testing.T, data []byte) <-chan string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "classes.dex")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "dexdump", "-a", "-d", path)
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1024)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(pipe)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			line := scanner.Text()
			if !strings.HasPrefix(line, "Processing") && !strings.HasPrefix(line, "Opened") {
				lines <- plain(line)
			}
		}
		if err := command.Wait(); err != nil {
			lines <- err.Error()
		}
	}()
	return lines
}

func BenchmarkWrite(b *testing.B) {
	for app, files := range realApps(b) {
		b.Run(app, func(b *testing.B) {
			for b.Loop() {
				for _, file := range files {
					found, err := Parse(file.data)
					if err != nil {
						b.Fatal(err)
					}
					w, err := NewWriter(found[0])
					if err != nil {
						b.Fatal(err)
					}
					if _, err := w.Bytes(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
