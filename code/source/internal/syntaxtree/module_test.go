package syntaxtree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
)

// TestModuleIsReproducible runs module/build, if `make deps` fetched its compiler. It writes a mark
// to .cache/, so that the same inputs are built only once.
func TestModuleIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles C")
	}
	if found, err := filepath.Glob("../../../../.cache/zig-*/complete"); err != nil || len(found) == 0 {
		t.Skip("needs Zig in .cache/, which scripts/zig gets")
	}
	hash := sha256.New()
	inputs, err := filepath.Glob("module/*")
	if err != nil || len(inputs) < 4 {
		t.Fatal(inputs, err)
	}
	for _, path := range append(inputs, "../../../../scripts/zig", "parsers.wasm.gz") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
	}
	mark := "../../../../.cache/reproduced-" + hex.EncodeToString(hash.Sum(nil)[:8])
	if _, err := os.Stat(mark); err == nil {
		return
	}
	made := filepath.Join(t.TempDir(), "made.gz")
	if out, err := exec.Command("module/build", made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	// Different versions of gzip may write different bytes for the same content.
	got, err := decompress(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := decompress(compressed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatal("parsers.wasm.gz is not what module/build makes of module/: run it and commit what it makes")
	}
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		t.Error(err)
	}
}

// small is a text whose tree has nine nodes.
const small = "class A { int f; }"

func mustParse(t *testing.T, p *Parser, source string) string {
	t.Helper()
	tree, err := p.Parse(context.Background(), Java, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return dump(tree.Root())
}

func TestTooLittleMemory(t *testing.T) {
	code, err := decompress(compressed)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModule(wazero.NewRuntimeConfig(), code, 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	p := &Parser{module: func() (*module, error) { return m, nil }}
	defer p.Close()
	want := mustParse(t, p, small)
	large := []byte(strings.Repeat(small, 20000))
	if _, err := p.Parse(context.Background(), Java, large); err == nil || err.Error() != "parsing takes more than 8 MiB of memory" {
		t.Error(err)
	}
	if got := mustParse(t, p, small); got != want {
		t.Errorf("after a file that was too large:\n%s\nwant\n%s", got, want)
	}
	if len(m.idle) != 0 {
		t.Error("an instance waits that was never put back, or is exhausted")
	}
}

// TestBrokenInstance overwrites an instance's memory, as a fault of the grammar might do.
func TestBrokenInstance(t *testing.T) {
	p := NewParser()
	defer p.Close()
	want := mustParse(t, p, small)
	b := NewBuffer(Java)
	defer b.Close()
	if _, err := p.ParseBuffer(context.Background(), b, []byte(small)); err != nil {
		t.Fatal(err)
	}
	memory := p.instance.code.Memory()
	memory.Write(0, bytes.Repeat([]byte{0xff}, int(memory.Size())))
	if _, err := p.Parse(context.Background(), Java, []byte(small)); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if got := mustParse(t, p, small); got != want {
		t.Errorf("after the parser broke down:\n%s\nwant\n%s", got, want)
	}
	tree, err := p.ParseBuffer(context.Background(), b, []byte(small))
	if err != nil || dump(tree.Root()) != want {
		t.Error("a buffer whose tree is lost:", err)
	}
}

// A patience is a context that is done after a number of checks.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestParseEndsWithItsContext(t *testing.T) {
	m, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	i, err := m.take()
	if err != nil {
		t.Fatal(err)
	}
	defer m.put(i)
	large := []byte(strings.Repeat(small, 1000))
	for _, left := range []int{0, 1, 20} {
		ctx := &patience{context.Background(), left}
		if _, _, tree, err := i.parse(ctx, nil, Java, large, 0); tree != 0 || err != nil {
			t.Error("the parser went on:", err)
		}
		// The parser checks once more whether the context was done at the start.
		if ctx.left < -2 {
			t.Error("the parser was told to end, and went on for a while:", ctx.left)
		}
	}
	nodes, _, tree, err := i.parse(context.Background(), nil, Java, []byte(small), 0)
	if err != nil || tree == 0 || len(nodes) == 0 || int(nodes[0].end) != len(small) {
		t.Error("the parser does not work after it was told to end:", err)
	}
	i.forget(tree)
}

func TestInstancesAreUsedAgain(t *testing.T) {
	m, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	p := &Parser{module: func() (*module, error) { return m, nil }}
	mustParse(t, p, small)
	first := p.instance
	p.Close()
	mustParse(t, p, small)
	if p.instance != first {
		t.Error("another instance")
	}
	// Parse has a time limit, which may be too short for such a text on a loaded machine.
	_, _, tree, err := first.parse(context.Background(), nil, Java, []byte(strings.Repeat(small, 40000)), 0)
	if err != nil || tree == 0 {
		t.Fatal("parsing a large text:", err)
	}
	first.forget(tree)
	mustParse(t, p, small)
	if p.instance == first || !first.broken {
		t.Error("an instance that became large is kept")
	}
	b := NewBuffer(Java)
	if _, err := p.ParseBuffer(context.Background(), b, []byte(small)); err != nil {
		t.Fatal(err)
	}
	holds := p.instance
	p.Close()
	b.Close()
	if !holds.broken || len(m.idle) > 1 {
		t.Error("an instance with a tree waits for others")
	}
}

// TestParsersAtOnce parses concurrently, also for the race detector.
func TestParsersAtOnce(t *testing.T) {
	sources := map[Language]string{Java: small, Kotlin: "class A { fun f() { g(\"$x\") { h() } } }"}
	want := map[Language]string{}
	for lang, source := range sources {
		p := NewParser()
		tree, err := p.Parse(context.Background(), lang, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		want[lang] = dump(tree.Root())
		p.Close()
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				p := NewParser()
				for lang, source := range sources {
					tree, err := p.Parse(context.Background(), lang, []byte(source))
					if err != nil || dump(tree.Root()) != want[lang] {
						t.Error("another tree", err)
					}
				}
				p.Close()
			}
		})
	}
	group.Wait()
}

// TestCacheFolder opens modules with folders that are full, that are damaged, or that cannot be
// created.
func TestCacheFolder(t *testing.T) {
	works := func(folder string) {
		t.Helper()
		m, err := open(folder)
		if err != nil {
			t.Fatal(err)
		}
		p := &Parser{module: func() (*module, error) { return m, nil }}
		mustParse(t, p, small)
		p.Close()
	}
	folder := t.TempDir()
	works(folder)
	written := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		written++
		return os.Truncate(path, 1000)
	})
	if err != nil || written == 0 {
		t.Error("nothing is kept:", err)
	}
	works(folder)
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	works(filepath.Join(file, "below"))
}
