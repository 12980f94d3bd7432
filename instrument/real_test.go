package instrument

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/test/cached"
)

// A method is a method with code.
type method struct {
	dex.Method
	body *dex.Body
	code *dex.Code
}

// BenchmarkRewrite reads, rewrites and verifies the largest file.
func BenchmarkRewrite(b *testing.B) {
	data := cached.DexFiles(b, cached.Apps(b))["ApiDemos-debug.apk"][0].Data
	for b.Loop() {
		files, err := dex.Parse(data)
		if err != nil {
			b.Fatal(err)
		}
		f := files[0]
		w, err := dex.NewWriter(f)
		if err != nil {
			b.Fatal(err)
		}
		target, err := Targets(w)
		if err != nil {
			b.Fatal(err)
		}
		members, err := f.Members()
		if err != nil {
			b.Fatal(err)
		}
		defined := make(map[uint16]bool)
		for _, c := range f.Classes {
			defined[uint16(c.Type)] = true
		}
		id := int32(0)
		for _, m := range members {
			for _, d := range slices.Concat(m.Direct, m.Virtual) {
				if d.Code == 0 || f.Verify(d, true) != nil {
					continue
				}
				w.Replace(d.Index, func() (*dex.Body, error) {
					c, err := f.Code(d.Code)
					if err != nil {
						return nil, err
					}
					body, err := f.Body(c)
					if err != nil {
						return nil, err
					}
					return body, Method(body, target, id, parametersOf(f, d), func(in *dex.BodyInstruction) (int32, bool) {
						id++
						return id, !defined[f.Methods[in.Index].Class]
					})
				})
			}
		}
		out, err := w.Bytes()
		if err != nil {
			b.Fatal(err)
		}
		again, err := dex.Parse(out)
		if err != nil {
			b.Fatal(err)
		}
		if members, err = again[0].Members(); err != nil {
			b.Fatal(err)
		}
		for _, m := range members {
			for _, d := range slices.Concat(m.Direct, m.Virtual) {
				_ = again[0].Verify(d, false)
			}
		}
	}
}

func methodsOf(t testing.TB, f *dex.File) (methods []method) {
	members, err := f.Members()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		for _, d := range slices.Concat(m.Direct, m.Virtual) {
			if d.Code == 0 {
				continue
			}
			c, err := f.Code(d.Code)
			if err != nil {
				t.Fatal(err)
			}
			b, err := f.Body(c)
			if err != nil {
				t.Fatal(err)
			}
			methods = append(methods, method{d, b, c})
		}
	}
	return methods
}

// TestRewriteRealApps inserts probes into every method of real apps. It verifies every rewritten
// method, and checks that removing the probes gives the original code.
func TestRewriteRealApps(t *testing.T) {
	rewritten, unchanged, sites := 0, 0, 0
	var want, got []byte
	for _, file := range slices.Concat(slices.Collect(maps.Values(cached.DexFiles(t, cached.Few(t))))...) {
		name, data := file.Name, file.Data
		files, err := dex.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		f := files[0]
		w, err := dex.NewWriter(f)
		if err != nil {
			t.Fatal(err)
		}
		target, err := Targets(w)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defined := make(map[uint16]bool)
		for _, c := range f.Classes {
			defined[uint16(c.Type)] = true
		}
		originals := methodsOf(t, f)
		strict := make([]bool, len(originals))
		for i, m := range methodsOf(t, f) {
			if strict[i] = f.Verify(m.Method, true) == nil; !strict[i] { // A lock outside of exception handlers: such a method stays unchanged.
				unchanged++
				continue
			}
			parameters := parametersOf(f, m.Method)
			err := Method(m.body, target, int32(i), parameters, func(in *dex.BodyInstruction) (int32, bool) {
				sites++
				return int32(sites), !defined[f.Methods[in.Index].Class]
			})
			if err != nil {
				unchanged++
				continue
			}
			w.Replace(m.Index, func() (*dex.Body, error) { return m.body, nil })
			rewritten++
		}
		out, err := w.Bytes()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := dex.Parse(out)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		refused := 0
		for i, m := range methodsOf(t, again[0]) {
			if err := again[0].Verify(m.Method, strict[i]); err != nil {
				if refused++; refused < 4 {
					t.Errorf("%s: %v", name, err)
				}
			}
			want, got = plain(t, want[:0], f, originals[i], false), plain(t, got[:0], again[0], m, true)
			if !bytes.Equal(want, got) {
				if refused++; refused < 4 {
					t.Errorf("%s: without its probes a method is\n%s\nwant\n%s", name, got, want)
				}
			}
		}
		if path, err := exec.LookPath("dexdump"); err == nil {
			file := filepath.Join(t.TempDir(), "classes.dex")
			if err := os.WriteFile(file, out, 0o644); err != nil {
				t.Fatal(err)
			}
			if text, err := exec.Command(path, "-f", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%.500s", name, err, text)
			}
		}
	}
	if !testing.Short() && rewritten < 137_000 || unchanged > 10 {
		t.Errorf("%d methods rewritten, %d not", rewritten, unchanged)
	}
	t.Logf("%d methods rewritten, %d not, %d calls", rewritten, unchanged, sites)
}

func parametersOf(f *dex.File, m dex.Method) (parameters []string) {
	if m.Access&dex.AccStatic == 0 {
		parameters = append(parameters, "L;")
	}
	list, _ := f.TypeList(f.Protos[f.Methods[m.Index].Proto].Parameters)
	for _, p := range list {
		parameters = append(parameters, f.Descriptor(uint32(p)))
	}
	return parameters
}

// plain appends the code of a method. If the method was rewritten, it omits the probes.
func plain(t *testing.T, out []byte, f *dex.File, m method, rewritten bool) []byte {
	b := m.body
	probe := make([]bool, len(b.Code))
	isProbe := func(i int) bool {
		return b.Code[i].Op.Index() == dex.IndexMethod && f.Descriptor(uint32(f.Methods[b.Code[i].Index].Class)) == RuntimeClass
	}
	left := -1 // The handler for exceptions that leave the method.
	if rewritten && slices.ContainsFunc(b.Order, isProbe) {
		for i := range b.Code {
			if isProbe(i) {
				probe[i-1], probe[i] = true, true
			}
		}
		for i := range parametersOf(f, m.Method) {
			probe[i] = true
		}
		n := len(b.Code)
		if n > 4 && b.Code[n-1].Op == dex.OpThrow && probe[n-2] && b.Code[n-4].Op == dex.OpMoveException {
			probe[n-1], probe[n-4] = true, true
			left = n - 4
		}
	}
	number := make([]int, len(b.Code)) // The number of the next original instruction.
	next := 0
	for i := range b.Code {
		number[i] = next
		if !probe[i] {
			next++
		}
	}
	lines, err := f.Lines(m.code)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(all ...int) {
		for _, n := range all {
			out = append(strconv.AppendInt(out, int64(n), 10), ' ')
		}
	}
	for i, in := range b.Code {
		if probe[i] {
			continue
		}
		op := in.Op.String()
		if in.Op >= dex.OpGoto && in.Op <= dex.OpGoto32 {
			op = "goto"
		}
		text := ""
		switch in.Op.Index() {
		case dex.IndexString:
			op, text = "const-string", f.Strings[in.Index]
		case dex.IndexType:
			text = f.Descriptor(in.Index)
		case dex.IndexField:
			id := f.Fields[in.Index]
			text = f.Descriptor(uint32(id.Class)) + f.Strings[id.Name] + f.Descriptor(uint32(id.Type))
		case dex.IndexMethod:
			id := f.Methods[in.Index]
			text = f.Descriptor(uint32(id.Class)) + f.Strings[id.Name] + f.Signature(id.Proto)
		}
		line := 0
		if in.Op.Throws() {
			line = shownLine(lines, in.Address)
		}
		numbers(number[i])
		out = append(append(append(out, op...), ' '), text...)
		numbers(int(in.A), int(in.B), int(in.C), int(in.Literal))
		out = append(out, in.Arguments[:]...)
		if len(in.Keys)+len(in.Data) > 0 {
			out = fmt.Append(out, in.Keys, in.Data)
		}
		out = append(out, " line "...)
		numbers(line)
		if strings.HasPrefix(op, "goto") || strings.HasPrefix(op, "if-") {
			out = append(out, "to "...)
			numbers(number[in.Target])
		}
		for _, target := range in.Targets {
			out = append(out, "case "...)
			numbers(number[target])
		}
		if in.Handler >= 0 {
			h := b.Handlers[in.Handler]
			for _, c := range h.Catches {
				out = append(append(out, "catch "...), f.Descriptor(c.Type)...)
				numbers(number[c.Address])
			}
			if h.All >= 0 && h.All != left {
				out = append(out, "catch all "...)
				numbers(number[h.All])
			}
		}
		out = append(out, '\n')
	}
	return out
}
